# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog verify`: compares the files of catalogs with their checksums."""

from __future__ import annotations

import argparse
import json

import nexus
from nexus._units import counted
from nexus.cli._console import progress, show
from nexus.cli.catalog._find import catalog_of, catalogs_of


def run(options: argparse.Namespace) -> int:
    """Prints the problems of the catalogs; returns 0 if there are none, else 1.

    Raises:
        Misuse: there is no such catalog.
    """
    words = options.catalogs or [catalog.path for catalog in catalogs_of([])]
    problems: list[tuple[str, str]] = []
    with progress(len(words)) as begin:
        for word in words:
            begin(word)
            problems += [(word, reason) for reason in _problems(word)]
    if options.json:
        told = [{"catalog": word, "reason": reason} for word, reason in problems]
        print(json.dumps({"catalogs": len(words), "problems": told}, indent=2))
    else:
        summary = f"{counted(len(words), 'catalog')}, {counted(len(problems), 'problem')}"
        show(*(f"{word}: {reason}" for word, reason in problems), summary)
    return 1 if problems else 0


def _problems(word: str) -> list[str]:
    try:
        return catalog_of(word).verify()
    except nexus.NexusError as error:  # also a file that is not a catalog
        return [str(error)]
