# SPDX-License-Identifier: Apache-2.0
"""Tests of schedules: replay, nesting, branches, host functions, and changes between runs."""
