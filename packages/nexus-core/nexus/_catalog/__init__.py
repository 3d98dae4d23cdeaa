# SPDX-License-Identifier: Apache-2.0
"""Kernel catalogs: files that index compiled kernels and sources."""
