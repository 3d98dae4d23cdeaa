# SPDX-License-Identifier: Apache-2.0
"""The command `nexus`."""

from __future__ import annotations

from nexus.cli._main import main

__all__ = ["main"]
