# SPDX-License-Identifier: Apache-2.0
"""Reads a trace for `nexus trace`, summarizes it, and lays out the tables."""
