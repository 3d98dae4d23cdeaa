# SPDX-License-Identifier: Apache-2.0
"""`nexus db show`: prints a device file with its sources."""

from __future__ import annotations

import argparse
import json
from pathlib import PurePath

from nexus._units import count_text, list_text
from nexus.cli._console import Rows, heading, section, sentence, show, table
from nexus.cli._misuse import Misuse
from nexus.cli.db._lookup import file_of, look_up, stem_of
from nexus.cli.page._citations import Numbers
from nexus.cli.page._page import Field, Page, Path
from nexus.cli.page._sections import device_sections, rest

_IDENTITY = (
    Field("Vendor", ("Vendor",)),
    Field("Type", ("Type",)),
    Field("Architecture", ("Architecture",)),
    Field("Also called", ("Aliases",), list_text),
    Field("Reports itself as", ("DeviceNames",), list_text),
    Field("First sold", ("ReleaseYear",)),
    Field("Process", ("FabricationProcess",)),
    Field("Transistors", ("TransistorCount",), count_text),
    Field("Die", ("DieSize",)),
)


def run(options: argparse.Namespace) -> int:
    """Prints the device file with that name and returns 0.

    Raises:
        Misuse: no device file, or more than one, has that name.
    """
    properties = look_up(" ".join(options.name))
    stem = stem_of(properties)
    if options.json:
        told = {"stem": stem, "file": file_of(properties), "properties": properties.to_dict()}
        print(json.dumps(told, indent=2))
        return 0
    numbers = Numbers()
    page = Page(properties, numbers)
    description = page.get("Description")
    show(
        table([(heading(str(page.get("Name"))), stem)], indented=False),
        *([sentence(str(description))] if description else []),
        *section("Identity", page.fields(*_IDENTITY)),
        *device_sections(page),
        *section("Variants", _variants(page, file_of(properties))),
        *section("More", rest(page, _is_of_interest)),
        *section("Sources", *numbers.citations()),
    )
    return 0


def _variants(page: Page, file: str) -> Rows:
    names = [str(page.get(*path, "Name")) for path in page.entries("Variants")]
    if not names:
        return []
    first = names[0] if _leads_to(names[0], file) else f"{PurePath(file).stem}/{names[0]}"
    return [("Products", ", ".join(names)), ("", f"`nexus db show {first}`")]


def _leads_to(name: str, file: str) -> bool:
    """Returns whether the name alone finds this variant of the file."""
    try:
        found = look_up(name)
    except Misuse:
        return False
    return found.get("Name") == name and file_of(found) == file


def _is_of_interest(path: Path) -> bool:
    """Returns whether the page shows the value: not if it has it in another form."""
    return path[0] not in ("Variants", "Sources", "Keys", "ID")
