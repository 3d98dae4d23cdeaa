# SPDX-License-Identifier: Apache-2.0
"""The blocks of docs/distributed.md and the examples of the docstrings run."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import nexus.distributed

if TYPE_CHECKING:
    from distributed import Client

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(
    r"^<!-- not run: tests/distributed [^\n]*-->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks(page: str) -> list[str]:
    """The Python blocks of a page that only this folder runs."""
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


def test_the_page_runs(client: Client) -> None:
    first, *others = blocks("distributed.md")
    names: dict[str, Any] = {"__name__": "__main__", "client": client}
    exec(re.sub(r"^(cluster|client) = .*\n", "", first, flags=re.MULTILINE), names)
    for block in others:
        exec(block, names)
    assert len(others) == 3


@pytest.mark.parametrize("name", nexus.distributed.__all__)
def test_an_example_in_a_docstring_runs(name: str) -> None:
    text = inspect.getdoc(getattr(nexus.distributed, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {"nexus": nexus}, name, None, 0)
    assert test.examples
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert said == []
