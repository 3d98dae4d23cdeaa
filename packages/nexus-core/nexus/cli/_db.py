# SPDX-License-Identifier: Apache-2.0
"""`nexus db`: the device files."""

from __future__ import annotations

import argparse
import importlib


def run(options: argparse.Namespace) -> int:
    """Runs one of the actions and returns the exit status.

    Raises:
        Misuse: a word of the command line is wrong.
    """
    status: int = importlib.import_module(f"nexus.cli.db._{options.action}").run(options)
    return status
