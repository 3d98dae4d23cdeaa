# SPDX-License-Identifier: Apache-2.0
"""Tests of buffers and the bytes in them: copies, maps, foreign and shared memory, leaks."""
