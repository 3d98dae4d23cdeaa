# SPDX-License-Identifier: Apache-2.0
"""docs/as-in.md: the lines of Nexus in its tables run, and give the values of numpy's."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
from pages import ROOT

import nexus

PAGE = (ROOT / "docs" / "as-in.md").read_text(encoding="utf-8")
PART = re.compile(
    r"^```python\n(?P<block>.*?)^```$|^\| ?(?P<row>[^\n]*)\|$", re.MULTILINE | re.DOTALL
)


def values(lines: list[str], names: dict[str, Any]) -> list[Any]:
    """Runs lines; returns the values of the expressions that have one."""
    found = []
    for line in lines:
        mode = "eval" if isinstance(ast.parse(line).body[0], ast.Expr) else "exec"
        found.append(eval(compile(line, line, mode), names))
    return [each for each in found if each is not None]


def array(value: Any) -> Any:
    """A value of Nexus as numpy's."""
    if isinstance(value, tuple) and isinstance(value[0], nexus.Buffer):
        return value[0].numpy()[: int(value[1])]  # of compact
    return value.numpy() if isinstance(value, nexus.Buffer) else value


def is_same(ours: Any, theirs: Any) -> bool:
    """Compares values; those of numbers by their size, since the order of a sum differs."""
    if isinstance(theirs, np.ndarray | np.number | float):
        return np.shape(ours) == np.shape(theirs) and np.allclose(ours, theirs)
    return bool(ours == theirs)


def test_the_lines_of_nexus_run_and_those_with_numpy_give_its_values() -> None:
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    header: list[str] = []
    compared = 0
    for part in PART.finditer(PAGE):
        if part["block"]:
            exec(part["block"], ours)
            theirs = {"np": np, "host": np.copy(ours["host"])}
            continue
        cells = [each.strip() for each in part["row"].split("|")]
        if "Nexus" in cells or cells[0].startswith("---"):
            header = cells if "Nexus" in cells else header
            continue
        row = dict(zip(header, cells, strict=True))
        lines, peers = (re.findall(r"`(.*?)`", row.get(name, "")) for name in ("Nexus", "numpy"))
        assert lines, row
        results = [array(each) for each in values(lines, ours)]
        if peers:
            pairs = list(zip(results, values(peers, theirs), strict=True))
            both = (theirs.keys() & ours.keys()) - {"e"}  # e is not filled
            pairs += [(array(ours[each]), theirs[each]) for each in both]
            assert all(is_same(*pair) for pair in pairs), row
            compared += 1
    assert compared > 25
