# SPDX-License-Identifier: Apache-2.0
"""nexus.run: arrays in, arrays out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program_texts import GROUP_SUMS, SAXPY, TWO_KERNELS

import nexus

X = np.arange(5, dtype=np.float32)
Y = np.ones(5, np.float32)
ALL = {"x": X, "y": Y, "a": 2.0, "n": 5}


def saxpy(inputs: Any = ALL, outputs: Any = "y", **more: Any) -> Any:
    return nexus.run(SAXPY, inputs, outputs, 5, "cpu", **more)


@pytest.mark.smoke
def test_an_array_that_the_kernel_changes_comes_back_and_the_given_one_stays() -> None:
    assert saxpy().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    assert Y.tolist() == [1.0] * 5


def test_inputs_may_be_in_order() -> None:
    assert saxpy([X, Y, 2, 5]).tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


@pytest.mark.parametrize(
    "made", [5, (5,), [5], (5, "float32"), ((5,), np.float32), np.empty(5, "f4")]
)
def test_a_new_array_is_made_of_a_shape_or_of_another_array(made: Any) -> None:
    result = saxpy({"x": X, "a": 2, "n": 5}, {"y": made})
    assert result.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert result.dtype == np.float32


def test_new_arrays_are_left_out_of_inputs_in_order() -> None:
    assert saxpy([X, 2, 5], {"y": 5}).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_outputs_may_be_numbered() -> None:
    assert saxpy(outputs=1).tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    assert saxpy([X, 2, 5], {1: 5}).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_many_outputs_are_a_tuple_in_their_order() -> None:
    y, x = saxpy(outputs=["y", "x"])
    assert (y.tolist(), x.tolist()) == ([1.0, 3.0, 5.0, 7.0, 9.0], X.tolist())


def test_arrays_of_two_dimensions_keep_their_shape() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    made = nexus.run(SAXPY, [x.T, 1, 6], {"y": (3, 2)}, 6, "cpu")
    np.testing.assert_array_equal(made, x.T)


def test_a_buffer_is_used_in_place(cpu: nexus.Device) -> None:
    y = cpu.create_buffer(Y)
    saxpy(ALL | {"y": y})
    assert y.numpy().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


def test_local_memory_is_given_in_bytes() -> None:
    sums = nexus.run(
        GROUP_SUMS, {"x": np.arange(8, dtype=np.float32), "scratch": 16}, {"sums": 2}, 8, "cpu"
    )
    assert sums.tolist() == [6.0, 22.0]


def test_a_file_a_program_and_options_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "saxpy.c"
    path.write_text(SAXPY)
    assert nexus.run(path, ALL, "y", 5, "cpu").tolist()[1] == 3.0
    options = nexus.ProgramOptions(fast_math=True)
    assert saxpy(options=options, group_size=2).tolist()[1] == 3.0
    assert nexus.run(nexus.Program(path, options=options), ALL, "y", 5, "cpu").tolist()[1] == 3.0


def test_a_kernel_of_several_has_to_be_named() -> None:
    program = nexus.Program(
        TWO_KERNELS, options=nexus.ProgramOptions(defines={"FACTOR": 2, "NUMBER": 7})
    )
    made = nexus.run(program, {"n": 2}, {"out": 2}, 2, "cpu", kernel="fill")
    assert made.tolist() == [7, 7]
    with pytest.raises(ValueError, match="The program has 2 kernels: name one of fill, tw"):
        nexus.run(program, {"n": 2}, {"out": 2}, 2, "cpu")


def test_a_plain_c_function_takes_numbered_arguments_with_types() -> None:
    text = "void twice(float *x, const float *a) { *x *= *a; }\n"
    x = np.array([3], np.float32)
    assert nexus.run(text, [x, np.float32(2)], 0, 1, "cpu", language="c").tolist() == [6.0]
    with pytest.raises(TypeError, match="numpy or ctypes scalar"):
        nexus.run(text, [x, 2.0], 0, 1, "cpu", language="c")
    with pytest.raises(TypeError, match="does not name its arguments"):
        nexus.run(text, [x, np.float32(2)], "x", 1, "cpu", language="c")
    with pytest.raises(TypeError, match="give a shape and a dtype"):
        nexus.run(text, [np.float32(2)], {0: 1}, 1, "cpu", language="c")


@pytest.mark.parametrize(
    ("inputs", "outputs", "told"),
    [
        ([X, Y, 2], "y", "inputs has 3 values, and the kernel 'saxpy' takes 4: argument 0 ('x')"),
        ([X, 2], {"y": 5}, "inputs has 2 values, and the kernel 'saxpy' takes 3 besides outputs"),
        ({"x": X, "y": Y}, "y", "inputs lacks argument 2 ('a'), argument 3 ('n'): the kernel"),
        (ALL | {"x": 3}, "y", "argument 0 ('x') has to be an array of float32, not int (3)."),
        (ALL | {"a": X}, "y", "argument 2 ('a') has to be a number"),
        (ALL | {"x": X.astype("f8")}, "y", "argument 0 ('x') has elements of float64, and the ker"),
        (ALL | {"x": [1, 2]}, "y", "argument 0 ('x')"),
        (ALL | {"n": 2.5}, "y", "argument 3 ('n')"),
        (ALL, {"y": 5}, "argument 1 ('y') is in inputs, and outputs gives its shape"),
        (ALL, "a", "outputs names argument 2 ('a'), which is a number in inputs"),
        ({"x": X, "y": Y, "n": 5}, {"a": 5}, "outputs: argument 2 ('a') is a number"),
        (ALL, None, "outputs has to be the names of arguments"),
        (ALL, 1.5, "outputs has to be the names of arguments"),
        ("xy", "y", "inputs has to be a list or tuple of arrays and numbers"),
        (3, "y", "inputs has to be a list or tuple of arrays and numbers"),
        ({"x": X, "a": 2, "n": 5}, {"y": "five"}, "outputs: argument 1 ('y'): a length has to be"),
        (ALL | {"x": np.ma.masked_array(X, X > 1)}, "y",
         "argument 0 ('x'): data is a masked array"),
        (ALL | {"y": np.ma.masked_array(Y, X > 1)}, "y",
         "argument 1 ('y'): data is a masked array"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_a_type_error(inputs: Any, outputs: Any, told: str) -> None:
    with pytest.raises(TypeError) as error:
        saxpy(inputs, outputs)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("inputs", "outputs", "told"),
    [
        (ALL | {"m": 5}, "y", "inputs names 'm', which is not an argument of the kernel 'saxpy'"),
        (
            ALL,
            "yy",
            "outputs names 'yy', which is not an argument of the kernel 'saxpy'; did you mean",
        ),
        (ALL, 4, "outputs has the number 4, and the kernel 'saxpy' takes x, y, a, n, counted"),
        (ALL, ["y", 1], "outputs names argument 1 ('y') twice."),
        (ALL, [], "outputs is empty"),
        (ALL | {"n": 2**40}, "y", "argument 3 ('n')"),
        ([X, 2, 5], {"y": (5, "f5")}, "outputs: argument 1 ('y'): the dtype is 'f5': it has to be"),
        ([X, 2, 5], {"y": (5, "f4")}, "outputs: argument 1 ('y'): the dtype is 'f4': it means"),
    ],
)
def test_what_is_not_there_is_a_value_error(inputs: Any, outputs: Any, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)) as error:
        saxpy(inputs, outputs)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"kernel": "saxpi"}, nexus.NexusError, "did you mean 'saxpy'"),
        ({"kernel": "another"}, nexus.NexusError, "it has 'saxpy'"),
        (
            {"source": nexus.Program(SAXPY), "language": "nexus"},
            TypeError,
            "source is a nexus.Program, which has its language",
        ),
    ],
)
def test_other_arguments_are_checked(
    arguments: dict[str, Any], kind: type[Exception], told: str
) -> None:
    given: dict[str, Any] = {"source": SAXPY, "grid_size": 5, "device": "cpu"} | arguments
    with pytest.raises(kind) as error:
        nexus.run(inputs=ALL, outputs="y", **given)
    assert told in str(error.value)
