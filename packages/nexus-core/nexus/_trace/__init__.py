# SPDX-License-Identifier: Apache-2.0
"""Reads a trace, summarizes it, and draws it as a timeline."""
