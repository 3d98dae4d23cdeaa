# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog`: kernel catalogs."""

from __future__ import annotations

import argparse
import importlib


def run(options: argparse.Namespace) -> int:
    """Runs one of the actions and returns the exit status.

    Raises:
        Misuse: a word of the command line is wrong.
        nexus.NexusError: a file is not a catalog, or a source can't be compiled.
    """
    status: int = importlib.import_module(f"nexus.cli.catalog._{options.action}").run(options)
    return status
