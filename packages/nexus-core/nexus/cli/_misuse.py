# SPDX-License-Identifier: Apache-2.0
"""The error of a wrong command line."""

from __future__ import annotations


class Misuse(Exception):
    """The command line is wrong. The text names the wrong word and the correction."""
