# SPDX-License-Identifier: Apache-2.0
"""Finds the catalogs that a command line names."""

from __future__ import annotations

import os
from collections.abc import Sequence

import nexus
from nexus import _checks
from nexus._catalog._catalog import FILE
from nexus.cli._misuse import Misuse


def catalog_of(word: str) -> nexus.Catalog:
    """Returns the catalog at a path (a file, or the folder with it), or the installed one of that
    name.

    Raises:
        Misuse: there is none.
        nexus.NexusError: the file is not a catalog.
    """
    path = os.path.join(word, FILE) if os.path.isdir(word) else word  # noqa: PTH112, PTH118
    if os.path.exists(path):  # noqa: PTH110  # pathlib's raises for some words
        return nexus.load_catalog(path)
    installed = {catalog.name: catalog for catalog in nexus.get_catalogs()}
    if word in installed:
        return installed[word]
    raise Misuse(
        f"{word!a} is neither the file or folder of a catalog nor the name of an installed one"
        f"{_checks.near(word, installed)}"
    )


def catalogs_of(words: Sequence[str]) -> list[nexus.Catalog]:
    """Returns the catalogs that the words name; all installed ones without words."""
    return [catalog_of(word) for word in words] if words else list(nexus.get_catalogs())
