# SPDX-License-Identifier: Apache-2.0
"""Device files that nobody validated: what `nexus db` makes of wrong values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from example_device import GPU, Tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nexus.cli import main
from nexus.cli._misuse import Misuse
from nexus.cli.db._plot import roof_of
from nexus.cli.db._roofline_picture import limits

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values of a tree."""
    if path:
        yield path
    parts: Any = value.items() if isinstance(value, dict) else ()
    for key, part in enumerate(value) if isinstance(value, list) else parts:
        yield from places(part, (*path, key))


def with_value(tree: Tree, path: tuple[Any, ...], value: Any) -> Tree:
    """The tree with another value at a path."""
    made = copy.deepcopy(tree)
    at: Any = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return made


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.sampled_from(list(places(GPU))), VALUES)
def test_a_wrong_value_is_shown_or_refused_in_a_sentence(
    example_files: Path, capsys: pytest.CaptureFixture[str], path: tuple[Any, ...], value: Any
) -> None:
    file = example_files / "example-gpu-ex1.json"
    file.write_text(json.dumps(with_value(GPU, path, value)))
    for words in (
        ["show", "X100"],
        ["show", "ex1"],
        ["diff", "ex2", "X200"],
        ["list"],
        ["validate", str(file)],
    ):
        assert main(["db", *words]) in (0, 1, 2)
        capsys.readouterr()
    try:
        roof = roof_of("X100", "float32", "vector")
    except Misuse:
        return
    left, right, bottom, top = limits([roof])
    assert 0 < left < right
    assert 0 < bottom < top
