# SPDX-License-Identifier: Apache-2.0
"""The messages of the layer, its page and its tests say the same."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "packages/nexus-core/src/layers/validate/messages.def"
_MESSAGE = re.compile(r'NXV_MESSAGE\(\s*\w+,\s*(\d+),\s*"([^"]+)",\s*(\w+),\s*"([^"]*)"\)')


def _messages() -> dict[str, str]:
    """How the page describes each message at the end, by its id."""
    messages = {}
    for number, slug, level, remedy in _MESSAGE.findall(TABLE.read_text("utf-8")):
        report = "Report it to the plug-in's authors: " if number.startswith("4") else ""
        messages[f"NXV-{int(number):04}-{slug}"] = f"({level.lower()}). {report}{remedy}."
    return messages


def test_the_page_says_what_the_table_says() -> None:
    page = (ROOT / "docs/validation.md").read_text("utf-8")
    sections = re.findall(r"^### (NXV-\S+)\n\n(.*?)\n(?:\n|\Z)", page, re.MULTILINE | re.DOTALL)
    described = {name: " ".join(text.split()) for name, text in sections}
    messages = _messages()
    assert described.keys() == messages.keys()
    assert [name for name, end in messages.items() if not described[name].endswith(end)] == []


def test_each_number_is_used_once() -> None:
    numbers = [name.split("-")[1] for name in _messages()]
    assert sorted(set(numbers)) == numbers
    assert len(numbers) == TABLE.read_text("utf-8").count("\nNXV_MESSAGE(")


def test_each_message_is_provoked_by_a_test() -> None:
    files = [*Path(__file__).parent.glob("test_*.py"), *ROOT.glob("tests/unit/test_validate_*.cpp")]
    tests = "".join(path.read_text("utf-8") for path in files)
    assert [name for name in _messages() if f'"{name}"' not in tests] == []
