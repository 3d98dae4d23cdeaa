# SPDX-License-Identifier: Apache-2.0
"""Names the tests of the suite independently of the folder in which pytest runs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
_GROUPS = {"api": "Python API", "capi": "C-API"}


def is_ours(item: pytest.Item) -> bool:
    """Returns whether the test is one of the suite."""
    return item.path.resolve().is_relative_to(ROOT)


def test_id(item: pytest.Item) -> str:
    """Returns the test's stable name: 'capi/test_buffer.py::test_a_copy[1]'."""
    inner = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    path = item.path.resolve().relative_to(ROOT).as_posix()
    return "::".join([path, *inner, item.name])


def test_of_node(node: str) -> str | None:
    """Returns the name of a test of which only the node is known, since its process crashed."""
    path, _, rest = node.partition("::")
    parts = Path(path).parts
    starts = [index for index, part in enumerate(parts) if part in _GROUPS]
    test = "::".join(["/".join(parts[starts[-1] :]), rest]) if starts else ""
    return test if exists(test) else None


def group(test: str) -> str:
    """Returns the test's group: 'C-API: buffer'."""
    path = Path(test.partition("::")[0])
    words = path.stem.removeprefix("test_").replace("_", " ")
    return f"{_GROUPS.get(path.parts[0], path.parts[0])}: {words}"


def exists(test: str) -> bool:
    """Returns whether the suite has a function of that id, collected in this run or not."""
    path, _, rest = test.partition("::")
    file = (ROOT / path).resolve()
    if not file.is_relative_to(ROOT) or file.suffix != ".py" or not file.is_file():
        return False
    function = rest.rpartition("::")[2].partition("[")[0]
    tree = ast.parse(file.read_text("utf-8"))
    return any(
        isinstance(node, ast.FunctionDef) and node.name == function and function.startswith("test_")
        for node in ast.walk(tree)
    )
