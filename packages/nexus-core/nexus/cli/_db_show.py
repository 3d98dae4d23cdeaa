# SPDX-License-Identifier: Apache-2.0
"""`nexus db show`: all that a device file tells, with its sources."""

from __future__ import annotations

import json
from pathlib import PurePath

from nexus.cli._citations import Numbers
from nexus.cli._console import heading, show, width, wrapped
from nexus.cli._lookup import file_of, look_up, stem_of
from nexus.cli._misuse import Misuse
from nexus.cli._page import Field, Page, Path, labelled
from nexus.cli._sections import device_sections, rest, section
from nexus.cli._units import count_text, list_text

_IDENTITY = (
    Field("Vendor", ("Vendor",)),
    Field("Type", ("Type",)),
    Field("Architecture", ("Architecture",)),
    Field("Also called", ("Aliases",), list_text),
    Field("Says of itself", ("DeviceNames",), list_text),
    Field("First sold", ("ReleaseYear",)),
    Field("Process", ("FabricationProcess",)),
    Field("Transistors", ("TransistorCount",), count_text),
    Field("Die", ("DieSize",)),
)


def run(name: str, *, as_json: bool) -> int:
    """Prints what is known of the device of that name and returns 0.

    Raises:
        Misuse: there is none, or there are several.
    """
    properties = look_up(name)
    stem = stem_of(properties)
    if as_json:
        told = {"stem": stem, "file": file_of(properties), "properties": properties.to_dict()}
        print(json.dumps(told, indent=2))
        return 0
    numbers = Numbers()
    page = Page(properties, numbers)
    lines = [_headline(page, stem), *section("Identity", page.fields(_IDENTITY))]
    lines += device_sections(page)
    lines += section("Variants", _variants(page, file_of(properties)))
    lines += section("More", rest(page, _is_of_interest))
    lines += section("Sources", numbers.lines())
    show(lines)
    return 0


def _headline(page: Page, stem: str) -> str:
    name = str(page.get("Name"))
    space = width() - len(name) - len(stem)
    first = f"{heading(name)}{' ' * max(2, space)}{stem}".rstrip()
    description = page.get("Description")
    return "\n".join([first, *(wrapped(str(description)) if description else ())])


def _variants(page: Page, file: str) -> list[str]:
    names = [str(page.get(*path, "Name")) for path in page.entries("Variants")]
    if not names:
        return []
    first = names[0] if _leads_to(names[0], file) else f"{PurePath(file).stem}/{names[0]}"
    return [*labelled("Products", ", ".join(names)), *labelled("", f'`nexus db show "{first}"`')]


def _leads_to(name: str, file: str) -> bool:
    """Whether the name is that of a variant of the file alone."""
    try:
        found = look_up(name)
    except Misuse:
        return False
    return found.get("Name") == name and file_of(found) == file


def _is_of_interest(path: Path) -> bool:
    """Whether the value belongs on the page: not what is told there in another form."""
    return path[0] not in ("Variants", "Sources", "Keys", "ID")
