# SPDX-License-Identifier: Apache-2.0
"""Tests of a backend's promises through the Python API."""
