# SPDX-License-Identifier: Apache-2.0
"""`nexus db list`: lists the device files."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import nexus
from nexus._units import counted
from nexus.cli._console import show, table
from nexus.cli._misuse import Misuse

_TOLD = ("Name", "Vendor", "Type", "Architecture")


def run(options: argparse.Namespace) -> int:
    """Prints one line per file, then the problems of unusable files on stderr; returns 0.

    Raises:
        Misuse: no file has that vendor or type.
    """
    with _without_warnings():  # printed to stderr below the list
        known = list(_files())
        problems = nexus.get_device_info_problems()
    of_vendor = _having(known, "Vendor", "--vendor", options.vendor)
    of_type = _having(known, "Type", "--type", options.type)
    files = [file for file in of_vendor if file in of_type]
    if options.json:
        shown = [problem._asdict() for problem in problems]
        print(json.dumps({"files": files, "problems": shown}, indent=2))
        return 0
    counts = [len(file["variants"]) for file in files]
    rows = [
        (file["stem"], file["Name"], counted(count, "variant") if count else "")
        for file, count in zip(files, counts, strict=True)
    ]
    show(
        *([table(rows, indented=False)] if rows else []),
        f"{counted(len(files), 'device file')}, {counted(sum(counts), 'variant')}",
    )
    for problem in problems:
        place = ":".join(str(part) for part in (problem.file, problem.line, problem.column) if part)
        print(f"{place}: {problem.reason}", file=sys.stderr)
    return 0


@contextmanager
def _without_warnings() -> Iterator[None]:
    logger = logging.getLogger("nexus")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _files() -> Iterator[dict[str, Any]]:
    """Yields a summary of each file. Skips devices of this machine without a file."""
    database = nexus.get_device_info()
    for stem in database:
        if database.source([stem, "Architecture"]).file:
            tree = database[stem]
            variants = [str(variant.get("Name")) for variant in tree.get("Variants", ())]
            yield {
                "stem": stem,
                **{key: str(tree.get(key, "")) for key in _TOLD},
                "variants": variants,
            }


def _having(
    files: list[dict[str, Any]], key: str, option: str, wanted: str | None
) -> list[dict[str, Any]]:
    if wanted is None:
        return files
    found = [file for file in files if file[key].casefold() == wanted.casefold()]
    if not found:
        known = ", ".join(sorted({file[key] for file in files}))
        raise Misuse(
            f"{option} is {ascii(wanted)[:80]}, which no device file has; there are {known}."
        )
    return found
