# SPDX-License-Identifier: Apache-2.0
"""Each promise of docs/guarantees.md has a conformance test, or is kept without a backend."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from nexus.conformance.api._core_promises import CORE_PROMISES

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "packages/nexus-core/nexus/conformance/api"
TEXT = (ROOT / "docs/guarantees.md").read_text("utf-8")
PROMISES = set(re.findall(r"^### (.*)$", TEXT, re.MULTILINE))


def names_of(mark: ast.expr) -> set[str]:
    """The promises that a decorator, or a pytestmark, names."""
    if not isinstance(mark, ast.Call) or ast.unparse(mark.func) != "pytest.mark.promise":
        return set()
    return {str(each.value) for each in mark.args if isinstance(each, ast.Constant)}


def promises_in(file: Path) -> set[str]:
    """The promises that the tests of a file keep watch on."""
    found: set[str] = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for mark in node.decorator_list:
                found |= names_of(mark)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            for mark in node.value.elts if isinstance(node.value, ast.List) else [node.value]:
                found |= names_of(mark)
    return found


WATCHED = {name for file in SUITE.rglob("test_*.py") for name in promises_in(file)}


def test_each_promise_is_tested_with_a_backend_or_needs_none() -> None:
    assert CORE_PROMISES.keys() == PROMISES - WATCHED


def test_no_test_names_a_promise_that_is_not_made() -> None:
    assert set() == WATCHED - PROMISES


def test_each_kernel_is_in_the_reference_plugins_folder() -> None:
    kernels = SUITE.parent / "kernels"
    prebuilt = ROOT / "tests/plugins/nexus-reference/nexus_reference/conformance"
    pattern = re.compile(r"^NEXUS_\w*KERNEL\w*\((\w+)", re.MULTILINE)
    for file in kernels.glob("*.c"):
        if file.stem == "constants":
            continue  # the reference plug-in has no variables of libraries
        names = pattern.findall(file.read_text("utf-8"))
        lines = (prebuilt / f"{file.stem}.txt").read_text("utf-8").splitlines()
        assert lines == ["nexus-reference 1", *names]
