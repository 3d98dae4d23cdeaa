# SPDX-License-Identifier: Apache-2.0
"""What nexus.algorithms refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from workbench import COUNT, Case, Workbench, by_name, check_refused, refused

import nexus

algorithms: Any = nexus.algorithms  # since the types forbid what is tested
BOTH = (TypeError, ValueError)


def ints(bench: Workbench, *shape: int) -> Any:
    """A buffer of int32."""
    return bench.device.create_buffer(np.ones(shape or (COUNT,), np.int32))


def expression(what: str, text: Any, *texts: str) -> Case:
    """An expression that is refused before anything is computed."""
    return refused(what, lambda b: algorithms.elementwise(text), BOTH, "expression", *texts)


EXPRESSIONS = [
    expression("no text", 3, "has to be a str"),
    expression("an empty text", " ", "is empty"),
    expression("no Python", "z = a *", "it is not an expression"),
    expression("C", "z = x; } int main() {", "it is not an expression"),
    expression("no assignment", "x + y", "of the form"),
    expression("two targets", "a = b = x", "of the form"),
    expression("a target with an index", "z[0] = x", "of the form"),
    expression("an unknown function", "z = sqtr(x)", "did you mean 'sqrt'?"),
    expression("a call of an attribute", "z = x.fill(1)", "call functions as in"),
    expression("an import", "import os", "of the form"),
    expression("a name that is a function", "z = sqrt + x", "'sqrt' is a function"),
    expression("a name beyond ASCII", "z = é", "non-ASCII"),
    expression("a parameter's name", "out = x", "'out'"),
    expression("far too long", "z = " + "x+" * 10_000 + "x", "10000 characters"),
]

CALLS = [
    refused("an index", lambda b: algorithms.elementwise("z = x[0]")(b.data), ValueError,
            "is not arithmetic"),
    refused("a lambda", lambda b: algorithms.elementwise("z = (lambda: x)")(b.data), ValueError,
            "is not arithmetic"),
    refused("a text in it", lambda b: algorithms.elementwise("z = x + 'a'")(b.data), ValueError,
            "is not a number"),
    refused("matrices", lambda b: algorithms.elementwise("z = x @ x")(b.data), ValueError,
            "matrices"),
    refused("too many arguments of a function",
            lambda b: algorithms.elementwise("z = sqrt(x, x)")(b.data), ValueError, "arguments"),
    refused("shifted floats", lambda b: algorithms.elementwise("z = x << 1")(b.data), ValueError,
            "does not support float32"),
    refused("a function of float64", lambda b: algorithms.elementwise("z = sin(x)")(ints(b)),
            ValueError, "sin is of float32", "float32(...)"),
    refused("a missing argument", lambda b: algorithms.elementwise("z = a * x")(b.data), TypeError,
            "No value is given for x"),
    refused("a surplus argument", lambda b: algorithms.elementwise("z = x")(b.data, 2), TypeError,
            "2 arguments"),
    refused("an unknown argument", lambda b: algorithms.elementwise("z = x")(y=b.data), TypeError,
            "'y' is not an argument"),
    refused("twice", lambda b: algorithms.elementwise("z = x")(b.data, x=b.data), TypeError,
            "given twice"),
    refused("no buffer", lambda b: algorithms.elementwise("z = x")(1.0), TypeError,
            "No argument is a nexus.Buffer"),
    refused("an array", lambda b: algorithms.elementwise("z = x")(b.numbers), TypeError,
            "x has to be", "device.create_buffer(array)"),
    refused("two shapes", lambda b: algorithms.elementwise("z = x + y")(b.data, b.data[:3]),
            ValueError, "y has the shape (3,)"),
    refused("an int that does not fit",
            lambda b: algorithms.elementwise("z = a * x")(2**40, ints(b)), ValueError,
            "a is 1099511627776", "int32"),
    refused("out of another shape",
            lambda b: algorithms.elementwise("z = x")(b.data, out=b.out[:3]), ValueError,
            "out has the shape (3,)"),
    refused("out of another kind",
            lambda b: algorithms.elementwise("z = x")(b.data, out=ints(b)), TypeError,
            "out has elements of int32"),
    refused("one out for two", lambda b: algorithms.elementwise("y = x; z = x")(b.data, out=b.out),
            TypeError, "a tuple of 2 buffers"),
    refused("no schedule", lambda b: algorithms.sum(b.data, schedule=1), TypeError,
            "schedule has to be a nexus.Schedule"),
    refused("a schedule and a stream",
            lambda b: algorithms.sum(b.data, schedule=b.schedule, stream=b.stream), TypeError,
            "stream is given with a schedule"),
    refused("no stream", lambda b: algorithms.sum(b.data, stream=1), TypeError, "stream"),
    refused("blocking=1", lambda b: algorithms.sum(b.data, blocking=1), TypeError, "blocking"),
    refused("bytes", lambda b: algorithms.sum(b.device.create_buffer(16)), TypeError,
            "x has plain bytes"),
    refused("half precision",
            lambda b: algorithms.sum(b.device.create_buffer((4,), "float16")), TypeError,
            "elements of float16"),
    refused("no elements", lambda b: algorithms.min(b.data[:0]), ValueError, "is empty"),
    refused("no elements to find", lambda b: algorithms.argmax(b.data[:0]), ValueError,
            "is empty"),
    refused("another name in a reduction", lambda b: algorithms.reduce("a + c", b.data), ValueError,
            "'c'", "a and b"),
    refused("an assignment in a reduction", lambda b: algorithms.reduce("a = b", b.data),
            ValueError, "an expression"),
    refused("a bad initial", lambda b: algorithms.reduce("a + b", b.data, initial="0"), TypeError,
            "initial has to be"),
    refused("a scan without identity", lambda b: algorithms.scan(b.data, "a - b"), ValueError,
            "identity"),
    refused("starts of another shape", lambda b: algorithms.scan(b.data, starts=ints(b, 3)),
            ValueError, "starts has the shape (3,)"),
    refused("exclusive=1", lambda b: algorithms.scan(b.data, exclusive=1), TypeError, "exclusive"),
    refused("no seed", lambda b: algorithms.random(b.device, 4), TypeError, "seed or key"),
    refused("a negative seed", lambda b: algorithms.random(b.device, 4, seed=-1), ValueError,
            "seed is -1"),
    refused("a large key", lambda b: algorithms.random(b.device, 4, key=2**128), ValueError,
            "128 bits"),
    refused("random bytes", lambda b: algorithms.random(b.device, 4, "uint8", seed=1), TypeError,
            "uint8"),
    refused("a negative length", lambda b: algorithms.random(b.device, -4, seed=1), ValueError,
            "shape is -4"),
    refused("no device", lambda b: algorithms.random("cpu", 4, seed=1), TypeError, "device"),
    refused("sorting bytes",
            lambda b: algorithms.sort(b.device.create_buffer(np.zeros(4, np.uint8))), TypeError,
            "dtype uint8"),
    refused("sorting a matrix", lambda b: algorithms.sort(ints(b, 4, 4)), ValueError, "(4, 4)"),
    refused("values of another length", lambda b: algorithms.sort_by_key(b.data, ints(b, 3)),
            ValueError, "values has the shape (3,)"),
    refused("no bins", lambda b: algorithms.histogram(b.data, 0, (0, 1)), ValueError, "bins is 0"),
    refused("a reversed range", lambda b: algorithms.histogram(b.data, 4, (1, 0)), ValueError,
            "range is (1, 0)"),
    refused("a range that is not a pair", lambda b: algorithms.histogram(b.data, 4, 3), TypeError,
            "range has to be"),
    refused("a mask of another shape", lambda b: algorithms.compact(b.data, ints(b, 3)), ValueError,
            "mask (3,)"),
    refused("a transposed vector", lambda b: algorithms.transpose(b.data), ValueError,
            "two dimensions"),
    refused("matrices that do not meet",
            lambda b: algorithms.matmul(ints(b, 2, 3), ints(b, 2, 3)), ValueError, "(2, 3)"),
    refused("matrices of two dtypes",
            lambda b: algorithms.matmul(ints(b, 2, 2), b.data), TypeError, "int32", "float32"),
    refused("blas=1", lambda b: algorithms.matmul(ints(b, 2, 2), ints(b, 2, 2), blas=1), TypeError,
            "blas has to be a bool"),
    refused("tf32=1", lambda b: algorithms.matmul(ints(b, 2, 2), ints(b, 2, 2), tf32=1), TypeError,
            "tf32 has to be a bool"),
    refused("cuBLAS of integers",
            lambda b: algorithms.matmul(ints(b, 2, 2), ints(b, 2, 2), blas=True), nexus.NexusError,
            "blas is True, but cuBLAS and hipBLAS"),
]  # fmt: skip


@pytest.mark.parametrize("case", EXPRESSIONS + CALLS, ids=by_name)
def test_bad_input_of_algorithms_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)
