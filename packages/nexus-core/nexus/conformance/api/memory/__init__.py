# SPDX-License-Identifier: Apache-2.0
"""Tests of buffers: copies, slices, views of them, and imported and large memory."""
