# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog list`: lists the libraries of catalogs."""

from __future__ import annotations

import argparse
import json

import nexus
from nexus._units import counted
from nexus.cli._console import show, table
from nexus.cli.catalog._find import catalogs_of


def run(options: argparse.Namespace) -> int:
    """Prints one line for each library; returns 0.

    Raises:
        Misuse: there is no such catalog.
    """
    catalogs = catalogs_of(options.catalogs)
    if options.json:
        told = [
            {
                "name": catalog.name,
                "version": catalog.version,
                "path": catalog.path,
                "libraries": [library._asdict() for library in catalog.libraries],
            }
            for catalog in catalogs
        ]
        print(json.dumps({"catalogs": told}, indent=2))
        return 0
    rows = [
        (catalog.name, library.name, library.version, builds(library))
        for catalog in catalogs
        for library in catalog.libraries
    ]
    summary = f"{counted(len(catalogs), 'catalog')}, {counted(len(rows), 'library')}"
    show(*([table(rows, indented=False)] if rows else []), summary)
    return 0


def builds(library: nexus.CatalogLibrary) -> str:
    """Returns 'cuda:sm_90, cpu:x86-64-v3, source in nexus'."""
    return ", ".join([*library.targets, *(f"source in {name}" for name in library.languages)])
