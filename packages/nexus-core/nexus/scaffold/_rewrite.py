# SPDX-License-Identifier: Apache-2.0
"""Rewrites texts of the reference plug-in for a new backend.

Everything is replaced in one pass, so a vendor that is called Reference keeps its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from nexus.scaffold._names import Names

LEAVE_OUT = "scaffold: leave out"
LEAVE_OUT_OF = "scaffold: leave out of"  # and a kind of project
LEAVE_OUT_FILE = "scaffold: leave out this file"
END = "scaffold: end"

_Rule = tuple[str, Callable[[Names, str], str]]

# The first rule that matches is used.
_RULES: list[_Rule] = [
    (r'"Nexus reference device"', lambda names, _: f'"{names.device}"'),
    (r'"Nexus"', lambda names, _: f'"{names.vendor}"'),
    (r'^description = ".*"$', lambda names, _: f"description = {_toml(names.description)}"),
    # A device file is named after its vendor, type and architecture.
    (
        r"nexus-[a-z]+-reference(?=\.json)",
        lambda names, found: f"{names.vendor_word}-{found.split('-')[1]}-{names.backend}",
    ),
    # The namespace is called nexus_<backend>, since `time` or `index` would clash with the C
    # library.
    (r"(?<=namespace )reference\b|\breference(?=::)", lambda names, _: f"nexus_{names.backend}"),
    (r"(?<![A-Za-z])reference(?![A-Za-z])", lambda names, _: names.backend),
    (r"(?<![A-Za-z])Reference(?![a-z])", lambda names, _: names.backend.capitalize()),
    (r"(?<![A-Za-z])REFERENCE(?![A-Za-z])", lambda names, _: names.backend.upper()),
]
_ANY = re.compile("|".join(f"({pattern})" for pattern, _ in _RULES), re.MULTILINE)


def rewritten(text: str, names: Names) -> str:
    """Returns a text, or the path of a file, with the new backend's names."""

    def replace(found: re.Match[str]) -> str:
        make = _RULES[(found.lastindex or 1) - 1][1]
        return make(names, found[0])

    return _ANY.sub(replace, text)


def is_left_out(text: str) -> bool:
    """Returns whether a mark in its first lines says that a file is only for Nexus' tests."""
    return any(LEAVE_OUT_FILE in line for line in text.splitlines()[:5])


def without_left_out(text: str, kind: str) -> str:
    """Removes the parts for the tests of Nexus, or for other kinds of project.

    Raises:
        RuntimeError: a part that is left out does not end, or ends twice.
    """
    kept = []
    marked = leaving_out = False
    for line in text.splitlines(keepends=True):
        begins, ends = LEAVE_OUT in line, END in line
        if (begins and marked) or (ends and not marked):
            raise RuntimeError(f"the line {line.strip()!r} has no counterpart")
        if not (leaving_out or begins or ends):
            kept.append(line)
        marked = begins or (marked and not ends)
        if begins:
            leaving_out = LEAVE_OUT_OF not in line or f"{LEAVE_OUT_OF} {kind}" in line
        leaving_out = leaving_out and marked
    if marked:
        raise RuntimeError(f"'{LEAVE_OUT}' has no '{END}' below it")
    return "".join(kept)


def _toml(text: str) -> str:
    """Returns the text as a TOML string; JSON's form is the same for printable letters."""
    return json.dumps(text, ensure_ascii=False)
