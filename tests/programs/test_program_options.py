# SPDX-License-Identifier: Apache-2.0
"""ProgramOptions: what they keep, and what they refuse."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nexus
from nexus import ProgramOptions


def test_the_defaults() -> None:
    options = ProgramOptions()
    assert (options.optimization, options.fast_math, options.debug) == (3, False, False)
    assert (options.line_info, options.standard) == (False, None)
    assert (options.include_paths, dict(options.defines), dict(options.extra)) == ((), {}, {})
    assert repr(options) == "ProgramOptions()"


def test_values_of_macros_become_text() -> None:
    options = ProgramOptions(
        defines={"I": 3, "N": np.int64(-4), "F": 2.5, "B": True, "S": "a b", "X": None}
    )
    assert dict(options.defines) == {
        "I": "3", "N": "-4", "F": "2.5", "B": "1", "S": "a b", "X": None
    }  # fmt: skip


def test_paths_are_kept_as_text() -> None:
    assert ProgramOptions(include_paths=[Path("a"), "b"]).include_paths == ("a", "b")


def test_equal_options_are_one_key() -> None:
    one = ProgramOptions(defines={"A": 1, "B": 2}, extra={"cpu": ["-x"]})
    other = ProgramOptions(defines={"B": 2, "A": 1}, extra={"cpu": ("-x",)})
    assert one == other
    assert {one: "found"}[other] == "found"
    assert one != one.replace(debug=True)
    assert ProgramOptions(defines={"A": 1.0}) != ProgramOptions(defines={"A": 1})


def test_options_survive_pickling() -> None:
    options = ProgramOptions(defines={"A": 1}, include_paths=["i"], extra={"cuda": ["-x"]})
    assert pickle.loads(pickle.dumps(options)) == options


def test_replace_changes_the_named_fields_only() -> None:
    options = ProgramOptions(defines={"A": 1}, optimization=1, standard="c11")
    assert options.replace(optimization=2) == ProgramOptions(
        defines={"A": "1"}, optimization=2, standard="c11"
    )
    assert options.optimization == 1


def test_the_repr_shows_what_differs_from_the_defaults() -> None:
    options = ProgramOptions(defines={"A": 1}, fast_math=True, extra={"cpu": ["-x"]})
    assert (
        repr(options)
        == "ProgramOptions(defines={'A': '1'}, fast_math=True, extra={'cpu': ('-x',)})"
    )


def test_options_do_not_change() -> None:
    options: Any = ProgramOptions(defines={"A": 1})
    with pytest.raises(AttributeError):
        options.debug = True
    with pytest.raises(TypeError):
        options.defines["B"] = "2"


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("defines", ["A"], "defines has to be a mapping such as {'TILE': 16}, not list (['A'])."),
        ("defines", {1: 2}, "a name in defines has to be a str, not int (1)."),
        ("defines", {"A": [1]}, "defines['A'] has to be a str, int, float, bool or None, not list"),
        ("include_paths", "here", "include_paths has to be a list or tuple of folders, not str"),
        ("include_paths", [3], "include_paths[0] has to be a path (str or os.PathLike), not int"),
        ("optimization", "3", "optimization has to be an int, not str ('3')."),
        ("optimization", True, "optimization has to be an int, not bool (True)."),
        ("fast_math", 1, "fast_math has to be a bool, not int (1)."),
        ("debug", None, "debug has to be a bool, not NoneType (None)."),
        ("line_info", "yes", "line_info has to be a bool, not str ('yes')."),
        ("standard", 11, "standard has to be a str such as 'c11', or None, not int (11)."),
        ("extra", ["-x"], "extra has to be a mapping such as {'cpu': ['-funroll-loops']}"),
        (
            "extra",
            {"cpu": "-x"},
            "extra['cpu'] has to be a list or tuple of flags, not str ('-x').",
        ),
        ("extra", {"cpu": [1]}, "extra['cpu'][0] has to be a str, not int (1)."),
        ("extra", {1: ["-x"]}, "a backend's name in extra has to be a str, not int (1)."),
        ("name_expressions", "f<int>", "name_expressions has to be a list or tuple of kernels'"),
        ("name_expressions", 3, "name_expressions has to be a list or tuple of kernels' names"),
    ],
)
def test_a_wrong_type_is_named(field: str, value: Any, told: str) -> None:
    with pytest.raises(TypeError) as error:
        ProgramOptions(**{field: value})
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("defines", {"1A": 1}, "a name in defines is '1A': it has to be letters, digits and _"),
        ("defines", {"A B": 1}, "a name in defines is 'A B'"),
        ("defines", {"": 1}, "a name in defines is ''"),
        ("defines", {"A": "1\n#error"}, "defines['A'] is '1\\n#error': it has a line break"),
        ("defines", {"A": float("nan")}, "defines['A'] is nan: C can't represent it."),
        ("include_paths", [""], "include_paths[0] is '': it is empty"),
        ("optimization", 4, "optimization is 4: it has to be from 0 to 3."),
        ("optimization", -1, "optimization is -1: it has to be from 0 to 3."),
        ("standard", "", "standard is '': it is empty; name one, such as 'c11', or leave it out."),
        ("extra", {"": ["-x"]}, "a backend's name in extra is '': it is empty"),
        ("extra", {"cpu": [""]}, "extra['cpu'][0] is '': it is empty; leave it out."),
        ("extra", {"cpu": ["\ud800"]}, "extra['cpu'][0] is '\\ud800': it has a lone surrogate"),
    ],
)
def test_a_wrong_value_is_named(field: str, value: Any, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)) as error:
        ProgramOptions(**{field: value})
    assert str(error.value).startswith(told)


def test_an_unknown_name_is_answered_with_a_near_one() -> None:
    wrong: dict[str, Any] = {"fastmath": True}
    with pytest.raises(
        TypeError, match="'fastmath' is not an option of a program; did you mean 'fast_m"
    ):
        ProgramOptions(**wrong)
    with pytest.raises(
        TypeError, match=r"'warp' is not an option of a program\. There are defines"
    ):
        ProgramOptions().replace(warp=1)


def test_options_are_given_by_name() -> None:
    make: Any = ProgramOptions
    with pytest.raises(TypeError, match="given by name"):
        make({"A": 1})


def test_flags_are_told_without_compiling(cpu: nexus.Device) -> None:
    before = nexus.get_cache_info().compiled
    plain = ProgramOptions().flags(cpu)
    fast = ProgramOptions(fast_math=True, optimization=1, defines={"A": 1}).flags("cpu")
    assert "-O3" in plain
    assert {"-O1", "-DA=1"} <= set(fast)
    assert not {"-O1", "-DA=1"} & set(plain)
    assert nexus.get_cache_info().compiled == before


def test_extra_flags_are_for_their_own_backend(cpu: nexus.Device) -> None:
    options = ProgramOptions(extra={"cpu": ["-funroll-loops"], "cuda": ["--maxrregcount=32"]})
    assert "-funroll-loops" in options.flags(cpu)
    assert "--maxrregcount=32" not in options.flags(cpu)


@pytest.mark.parametrize("extra", [{"cuba": ["-x"]}, {"cpu": [], "cuba": []}])
def test_a_misspelt_backend_in_extra_is_refused_with_near_names(
    cpu: nexus.Device, extra: dict[str, list[str]]
) -> None:
    program = nexus.Program("NEXUS_KERNEL(k, (int, n)) {}", options=ProgramOptions(extra=extra))
    refused = r"extra names the backend 'cuba'.*did you mean 'cuda'\?"
    for compile_it in (lambda: program.compile(cpu), lambda: program.options.flags("cpu")):
        with pytest.raises(ValueError, match=refused):
            compile_it()


def test_extra_may_name_backends_of_ours_that_are_not_installed(cpu: nexus.Device) -> None:
    extra = {name: ["-x"] for name in ("cuda", "hip", "metal")}
    assert "-x" not in ProgramOptions(extra=extra).flags(cpu)


def test_flags_of_a_language_that_there_is_not_name_those_that_there_are() -> None:
    with pytest.raises(nexus.NexusError, match=r"cobol.*nexus") as error:
        ProgramOptions().flags("cpu", "cobol")
    assert error.value.status == nexus.status.NXS_NotSupported
