# SPDX-License-Identifier: Apache-2.0
"""Products of matrices by cuBLAS, which tests/blas_stand_in.c replaces."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import blas_stand_in
import numpy as np
import pytest

import nexus
from nexus.algorithms import _blas, matmul

Number = Callable[[str], ctypes.c_int]
A, B = np.arange(15, dtype=np.float32).reshape(5, 3), np.ones((3, 7), np.float32)


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return blas_stand_in.build(tmp_path_factory.mktemp("blas"), "libcuda.so.1")


@pytest.fixture(autouse=True)
def number(path: str, monkeypatch: pytest.MonkeyPatch) -> Number:
    """Makes Nexus find the library; returns what returns a number of it."""
    monkeypatch.setenv("NEXUS_CUDA_CUBLAS", path)
    _blas._on.cache_clear()
    library = ctypes.CDLL(path)
    for name in ("fail_create", "fail_gemm", "products"):
        ctypes.c_int.in_dll(library, name).value = 0
    return lambda name: ctypes.c_int.in_dll(library, name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_library_multiplies(gpu: nexus.Device, dtype: str, number: Number) -> None:
    for m, k, n in ((1, 1, 1), (5, 3, 7), (64, 1, 2)):
        a, b = np.arange(m * k, dtype=dtype).reshape(m, k), np.ones((k, n), dtype)
        made = matmul(gpu.create_buffer(a), gpu.create_buffer(b), tf32=True)
        assert np.array_equal(made.numpy(), a @ b)
    assert number("products").value == 3
    assert number("math").value == 3


def test_work_that_is_not_waited_for_is_in_order(gpu: nexus.Device) -> None:
    a, b, out = gpu.create_buffer(A), gpu.create_buffer(B), gpu.create_buffer((5, 7))
    stream = gpu.create_stream()
    assert matmul(a, b, out=out, stream=stream, blocking=False, blas=True) == out
    assert not stream.is_idle
    a.fill(0)  # waits for the product, in another stream
    assert np.array_equal(out.numpy(), A @ B)
    matmul(gpu.create_buffer(A), b, out=out, blocking=False, blas=True)  # keeps its factor
    assert np.array_equal(out.numpy(), A @ B)
    a = gpu.create_buffer((5, 3))
    a.copy_from(A, stream=stream, blocking=False)  # without a stream, the product follows it
    assert np.array_equal(matmul(a, b, blas=True).numpy(), A @ B)


def test_threads_multiply_on_another_device(other_gpu: nexus.Device, number: Number) -> None:
    made: list[Any] = []

    def multiply() -> None:  # without a current context
        stream = other_gpu.create_stream()
        a, b = other_gpu.create_buffer(A), other_gpu.create_buffer(B)
        made.extend(matmul(a, b, stream=stream, blas=True).numpy() for _ in range(3))

    threads = [threading.Thread(target=multiply) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(made) == 9
    assert all(np.array_equal(each, A @ B) for each in made)


def test_what_the_library_can_not_do_the_kernel_does(gpu: nexus.Device, number: Number) -> None:
    a, b = gpu.create_buffer(A), gpu.create_buffer(B)
    stream, event = gpu.create_stream(), gpu.create_event()
    stream.wait(event)
    with pytest.raises(nexus.NexusError, match="waits for an event") as refusal:
        matmul(a, b, stream=stream, blas=True)
    assert refusal.value.status == nexus.status.NXS_NotSupported
    out = matmul(a, b, stream=stream, blocking=False)
    event.signal()
    assert np.array_equal(out.numpy(), A @ B)
    with pytest.raises(nexus.NexusError, match="a schedule records the kernel"):
        matmul(a, b, schedule=gpu.create_schedule(), blas=True)
    ints = gpu.create_buffer(A.astype(np.int32)), gpu.create_buffer(B.astype(np.int32))
    assert np.array_equal(matmul(*ints).numpy(), A @ B)
    with pytest.raises(nexus.NexusError, match="not int32"):
        matmul(*ints, blas=True)
    assert number("products").value == 0


def test_failures(gpu: nexus.Device, number: Number, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = gpu.create_buffer(A), gpu.create_buffer(B)
    number("fail_gemm").value = 1
    with pytest.raises(nexus.NexusError, match=r"cublasSgemm_v2 .*EXECUTION_FAILED \(13\)") as no:
        matmul(a, b)
    assert (no.value.native_code, no.value.backend) == (13, "cuda")
    number("fail_create").value = 1
    for words in (r"cublasCreate_v2 .*NOT_INITIALIZED \(1\)", r"/nowhere.*NEXUS_CUDA_CUBLAS"):
        _blas._on.cache_clear()
        with pytest.raises(nexus.NexusError, match=words):
            matmul(a, b, blas=True)
        assert np.array_equal(matmul(a, b).numpy(), A @ B)
        monkeypatch.setenv("NEXUS_CUDA_CUBLAS", "/nowhere/libcublas.so.13")
