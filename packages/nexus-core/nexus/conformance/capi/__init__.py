# SPDX-License-Identifier: Apache-2.0
"""Tests of a backend through its own function table, without libnexus in between."""
