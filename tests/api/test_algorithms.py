# SPDX-License-Identifier: Apache-2.0
"""nexus.algorithms: results of any shape and dtype, expressions, and what is kept for later calls.

The conformance suite compares all algorithms with numpy on every backend.
"""

from __future__ import annotations

import ast
import doctest
import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import nexus
from nexus import algorithms
from nexus.algorithms import _recorder

FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
DTYPES = ["float32", "float64", "int32", "int64", "uint8", "uint32"]
SHAPES = st.one_of(
    st.integers(0, 600).map(lambda n: (n,)),
    st.integers(4090, 4100).map(lambda n: (n,)),
    st.tuples(st.integers(0, 40), st.integers(0, 70)),
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)),
)


def draw(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    least = 0 if dtype[0] == "u" else -40
    return np.random.default_rng(seed).integers(least, 40, shape).astype(dtype)


@FEW
@given(shape=SHAPES, dtype=st.sampled_from(DTYPES), seed=st.integers(0, 9))
def test_results_of_any_shape(
    device: nexus.Device, shape: tuple[int, ...], dtype: str, seed: int
) -> None:
    x = draw(shape, dtype, seed)
    buffer = device.create_buffer(x)
    total = algorithms.sum(buffer).numpy()
    assert total.shape == ()
    assert total.dtype == x.sum().dtype
    assert total == x.sum()
    running = algorithms.scan(buffer).numpy()
    assert running.shape == x.shape
    assert np.array_equal(running.ravel(), x.cumsum())
    doubled = algorithms.elementwise("z = x + x")(buffer).numpy()
    assert doubled.dtype == x.dtype
    assert np.array_equal(doubled, x + x)
    if x.size > 0:
        assert algorithms.argmin(buffer).numpy() == x.argmin()
    if len(shape) == 2:
        assert np.array_equal(algorithms.transpose(buffer).numpy(), x.T)


OPERATORS = ["+", "-", "*", "/", "//", "%", "<", "==", "&", "|", "<<", ">>"]


def leaves() -> st.SearchStrategy[str]:
    return st.sampled_from(["x", "y", "2", "3", "1.5", "x", "y"])


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from(OPERATORS), inner).map(
        lambda t: f"({t[0]} {t[1]} {t[2]})"
    )
    choice = st.tuples(inner, inner, inner).map(lambda t: f"where({t[0]}, {t[1]}, {t[2]})")
    call = st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
        lambda t: f"{t[0]}({t[1]}, {t[2]})"
    )
    return st.one_of(
        binary, choice, call, inner.map(lambda t: f"(-{t})"), inner.map(lambda t: f"abs({t})")
    )


@settings(FEW, max_examples=40)
@given(
    text=st.recursive(leaves(), grown, max_leaves=5),
    first=st.sampled_from(["float32", "int32", "uint8"]),
    second=st.sampled_from(["float32", "int32", "int64"]),
)
def test_any_expression_has_numpys_dtype_and_values(
    device: nexus.Device, text: str, first: str, second: str
) -> None:
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assume(names & {"x", "y"})
    arrays = {"x": draw((50,), first, 1), "y": draw((50,), second, 2)}
    functions = {"where": np.where, "min": np.minimum, "max": np.maximum, "abs": np.abs}
    try:
        with np.errstate(all="ignore"):
            expected = np.broadcast_to(eval(text, functions, arrays), 50)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        assume(False)
    assume(expected.dtype.name in DTYPES or expected.dtype == bool)
    buffers: dict[str, Any] = {
        name: device.create_buffer(each) for name, each in arrays.items() if name in names
    }
    try:
        function = algorithms.elementwise(f"z = {text}")
        made = function(**buffers).numpy()
    except ValueError:
        assume(False)  # such as a float64 remainder
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5)


@FEW
@given(text=st.text(max_size=40))
def test_any_text_is_an_expression_or_refused_in_words(text: str) -> None:
    said = "expression ."
    try:
        algorithms.elementwise(text)
    except (ValueError, TypeError) as error:
        said = str(error)
    assert said.startswith("expression ")
    assert said.endswith(".")


@FEW
@given(size=st.integers(0, 40), seed=st.integers(0, 2**70), skipped=st.integers(0, 20))
def test_random_numbers_go_on_with_the_counter(
    device: nexus.Device, size: int, seed: int, skipped: int
) -> None:
    raw = np.random.Philox(seed).random_raw(4 * skipped + size)[4 * skipped :]
    made = algorithms.random(device, size, "uint64", seed=seed, counter=skipped).numpy()
    assert np.array_equal(made, raw)


def test_a_second_call_uses_the_first_ones_schedule(device: nexus.Device) -> None:
    x = device.create_buffer(np.arange(777, dtype=np.float32))
    algorithms.sum(x)
    before = len(device.get_schedules())
    for _ in range(5):
        algorithms.sum(x)
    assert len(device.get_schedules()) == before


def test_a_limited_number_of_schedules_is_kept(device: nexus.Device) -> None:
    for size in range(1, 2 * _recorder._MOST):
        algorithms.elementwise("z = x")(device.create_buffer(np.zeros(size, np.float32)))
    assert len(_recorder._ready) <= _recorder._MOST


def test_numbers_take_the_dtype_of_the_array_or_have_their_own(device: nexus.Device) -> None:
    scaled = algorithms.elementwise("z = a * x")
    x = device.create_buffer(np.ones(3, np.float32))
    assert scaled(2, x).dtype == scaled(2.5, x).dtype == scaled(np.float32(2), x).dtype == "float32"
    assert scaled(np.float64(2), x).dtype == "float64"
    assert scaled(2.5, device.create_buffer(np.ones(3, np.int32))).dtype == "float64"


def test_results_go_to_other_dtypes_of_the_same_kind(device: nexus.Device) -> None:
    x = device.create_buffer(np.array([1, 2, 3], np.int64))
    out = device.create_buffer(np.zeros(3, np.int16))
    algorithms.elementwise("z = x * 2")(x, out=out)
    assert out.numpy().tolist() == [2, 4, 6]


def test_system_buffers_are_used_in_place(device: nexus.Device) -> None:
    x = nexus.create_buffer(np.arange(10, dtype=np.float32))
    y = device.create_buffer(np.ones(10, np.float32))
    assert algorithms.elementwise("z = x + y")(x, y).numpy().tolist() == list(range(1, 11))


@pytest.mark.parametrize("name", [each for each in algorithms.__all__ if each.islower()])
def test_the_example_of_a_docstring_runs(name: str) -> None:
    text = inspect.getdoc(getattr(algorithms, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {"nexus": nexus}, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert test.examples
    assert "".join(said) == ""


def test_repr() -> None:
    text = "nexus.algorithms.elementwise('z = x')"
    assert repr(algorithms.elementwise("z = x")) == text


@pytest.mark.parametrize("text", ["y = x + 1; y = y * 2", "t = x + 1\ny = t * 2"])
def test_later_statements_see_earlier_ones(device: nexus.Device, text: str) -> None:
    made = algorithms.elementwise(text)(device.create_buffer(np.arange(3)))
    last = made[-1] if isinstance(made, tuple) else made
    assert last.numpy().tolist() == [2, 4, 6]
