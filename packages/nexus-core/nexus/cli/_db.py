# SPDX-License-Identifier: Apache-2.0
"""`nexus db`: the device files."""

from __future__ import annotations

import argparse

from nexus.cli import _db_diff, _db_list, _db_show, _db_validate


def run(options: argparse.Namespace) -> int:
    """Runs one of the actions and returns the exit status.

    Raises:
        Misuse: a word of the command line is wrong.
    """
    if options.action == "list":
        return _db_list.run(options.vendor, options.type, as_json=options.json)
    if options.action == "show":
        return _db_show.run(options.name, as_json=options.json)
    if options.action == "diff":
        return _db_diff.run(options.a, options.b, as_json=options.json)
    if options.action == "validate":
        return _db_validate.run(options.files, as_json=options.json)
    from nexus.cli import _db_plot

    return _db_plot.run(options.names, options.output, options.data_type, options.unit)
