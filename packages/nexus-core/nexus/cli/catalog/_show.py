# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog show`: prints a catalog, or a library of it."""

from __future__ import annotations

import argparse
import json
from typing import Any

import nexus
from nexus._catalog import _catalog, _load
from nexus._units import size_text
from nexus.cli._console import Rows, heading, section, sentence, show, table
from nexus.cli._misuse import Misuse
from nexus.cli.catalog._find import catalog_of
from nexus.cli.catalog._list import builds


def run(options: argparse.Namespace) -> int:
    """Prints the catalog, or the library that LIBRARY names, and returns 0.

    Raises:
        Misuse: there is no such catalog or library.
    """
    catalog = catalog_of(options.catalog)
    if options.library is None:
        _show_catalog(catalog, options.json)
        return 0
    try:
        entry = _load.entry_of(catalog, options.library, options.version)
    except ValueError as error:
        raise Misuse(str(error)) from error
    if options.json:
        print(json.dumps(entry, indent=2))
        return 0
    description = entry.get("Description")
    show(
        heading(f"{entry['Name']} {entry['Version']}"),
        *([sentence(description)] if description else []),
        *section("Library", [("Licence", entry.get("License", catalog.license) or "not stated")]),
        *section("Kernels", _kernels(entry)),
        *section("Builds", _builds(entry)),
    )
    return 0


def _show_catalog(catalog: nexus.Catalog, as_json: bool) -> None:
    if as_json:
        print(json.dumps(catalog.to_dict(), indent=2))
        return
    rows: Rows = [("Licence", catalog.license or "not stated"), ("File", catalog.path)]
    libraries = [(each.name, each.version, builds(each)) for each in catalog.libraries]
    show(
        heading(f"{catalog.name} {catalog.version}"),
        *([sentence(catalog.description)] if catalog.description else []),
        *section("Catalog", rows),
        *section("Libraries", table(libraries) if libraries else ""),
    )


def _kernels(entry: dict[str, Any]) -> Rows:
    return [row for kernel in entry.get("Kernels", ()) for row in _kernel(kernel)]


def _kernel(kernel: dict[str, Any]) -> Rows:
    arguments = kernel.get("Arguments")
    names = (
        "arguments unknown" if arguments is None
        else ", ".join(map(_argument, arguments)) or "no arguments"
    )  # fmt: skip
    settings = _settings(kernel)
    return [(kernel["Name"], names), *([("", settings)] if settings else [])]


def _settings(kernel: dict[str, Any]) -> str:
    """Returns 'group size 64 x 4, local memory 1 KiB, tile=16'."""
    parts = []
    if "GroupSize" in kernel:
        parts.append(f"group size {' x '.join(map(str, kernel['GroupSize']))}")
    if kernel.get("LocalMemory"):
        parts.append(f"local memory {size_text(kernel['LocalMemory'])}")
    parts += [f"{key}={value}" for key, value in kernel.get("Tuning", {}).items()]
    return ", ".join(parts)


def _argument(argument: dict[str, Any]) -> str:
    return f"{argument.get('Type') or argument.get('DataType', '')} {argument['Name']}".strip()


def _builds(entry: dict[str, Any]) -> Rows:
    rows: Rows = []
    for build in _catalog.builds_of(entry):
        file = f"{build['File']}, SHA-256 {build['SHA256'][:12]}..."
        rows.append((_catalog.target(build), file))
        for kernel in build.get("Kernels", ()):
            rows.append(("", f"{kernel['Name']}: {_settings(kernel) or 'other arguments'}"))
    return rows
