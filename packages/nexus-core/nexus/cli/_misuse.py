# SPDX-License-Identifier: Apache-2.0
"""What a command line that makes no sense raises."""

from __future__ import annotations


class Misuse(Exception):
    """The words of the command line are wrong. The text says which, and what to write instead."""
