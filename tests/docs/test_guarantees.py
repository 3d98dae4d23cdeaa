# SPDX-License-Identifier: Apache-2.0
"""Each promise of docs/guarantees.md has tests, and they exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROMISES = re.findall(
    r"^### (.*)$", (ROOT / "docs/guarantees.md").read_text(encoding="utf-8"), re.MULTILINE
)
TESTS = {
    part.partition("\n")[0]: re.findall(r"^- `(.*)`$", part, re.MULTILINE)
    for part in (ROOT / "docs/design/tested-promises.md")
    .read_text(encoding="utf-8")
    .split("\n## ")[1:]
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


def test_each_promise_has_tests_and_is_made_once() -> None:
    assert list(TESTS) == PROMISES


@pytest.mark.parametrize("promise", TESTS)
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    assert TESTS[promise]
    for test in TESTS[promise]:
        file, _, name = test.partition("::")
        if file.startswith("nexus.conformance."):
            file = f"packages/nexus-core/{file.replace('.', '/')}.py"
        assert name in names_in(ROOT / file), test
