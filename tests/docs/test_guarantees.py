# SPDX-License-Identifier: Apache-2.0
"""docs/guarantees.md names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
PROMISES = {
    part.partition("\n")[0]: re.findall(r"`([^`]*::[^`]*)`", part.partition("\n")[2])
    for part in re.split(r"^##+ ", TEXT, flags=re.MULTILINE)[1:]
    if re.fullmatch(r"[a-z]+(-[a-z]+)+", part.partition("\n")[0])
}


@cache
def names_in(file: Path) -> set[str]:
    """The tests that a file of Python or C++ has."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".cpp":
        return set(re.findall(r"^TEST\((\w+)\)", text, re.MULTILINE))
    return {
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_there_are_promises() -> None:
    assert {"order-stream", "replay-snapshot"} <= PROMISES.keys()


def test_a_promise_is_made_once() -> None:
    headings = re.findall(r"^### (.*)$", TEXT, re.MULTILINE)
    assert sorted(headings) == sorted(PROMISES)


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    assert PROMISES[promise]
    for test in PROMISES[promise]:
        file, _, name = test.partition("::")
        if file.startswith("nexus.conformance."):
            file = f"packages/nexus-core/{file.replace('.', '/')}.py"
        assert name in names_in(ROOT / file), test
