# SPDX-License-Identifier: Apache-2.0
"""If memory runs out, the pool is trimmed and the call repeated; then it is an error."""

from __future__ import annotations

import pytest
from cuda_bench import Bench
from driver_functions import named, told
from failure_programs import (
    Program,
    callbacks,
    fills,
    graph,
    host_memory,
    launch,
    outcome,
    shared_memory,
)

from nexus.status import Status

OUT_OF_MEMORY = 2
POOLED = {"streams", "events"}  # work that was refused may keep one busy for a while

# The resource that runs out, the program in which it does, and the expected status.
NEEDS: dict[str, tuple[Program, Status]] = told(
    {
        "cuMemAllocFromPoolAsync": (launch, Status.NXS_MemObjectAllocationFailure),
        "cuMemAllocManaged": (host_memory, Status.NXS_MemObjectAllocationFailure),
        "cuLibraryLoadData": (launch, Status.NXS_OutOfResources),
        "cuKernelGetFunction": (launch, Status.NXS_MemObjectAllocationFailure),
        "cuLaunchKernelEx": (launch, Status.NXS_MemObjectAllocationFailure),
    }
)
# Not of the memory that a pool keeps.
OTHERS: dict[str, tuple[Program, Status]] = told(
    {
        "cuMemHostAlloc": (host_memory, Status.NXS_OutOfHostMemory),
        "cuLaunchHostFunc": (callbacks, Status.NXS_MemObjectAllocationFailure),
        "cuMemsetD8Async": (fills, Status.NXS_MemObjectAllocationFailure),
        "cuFuncSetAttribute": (shared_memory, Status.NXS_MemObjectAllocationFailure),
        "cuGraphLaunch": (graph, Status.NXS_MemObjectAllocationFailure),
    }
)


@pytest.mark.parametrize("function", NEEDS)
def test_what_the_pool_keeps_is_given_back_and_it_is_tried_once_more(
    bench: Bench, function: str
) -> None:
    program, status = NEEDS[function]
    program(bench)
    before = bench.begin()
    bench.driver.forget()
    bench.driver.fail(function, 1, OUT_OF_MEMORY)
    assert outcome(bench, program) is None
    assert bench.driver.calls(named("cuMemPoolTrimTo")) == 1
    bench.begin()
    bench.driver.forget()
    for _ in range(2):
        bench.driver.fail(function, 1, OUT_OF_MEMORY)
    error = outcome(bench, program)
    assert error is not None
    assert bench.driver.calls(named("cuMemPoolTrimTo")) == 1
    assert (error.status, error.native_code) == (status, OUT_OF_MEMORY)
    assert "release buffers or make" in str(error)
    del error
    bench.check_works()
    assert bench.leaks(before, POOLED) == {}


@pytest.mark.parametrize("function", OTHERS)
def test_what_else_runs_out_is_an_error_that_says_what_to_do(bench: Bench, function: str) -> None:
    program, status = OTHERS[function]
    program(bench)
    before = bench.begin()
    bench.driver.fail(function, 1, OUT_OF_MEMORY)
    error = outcome(bench, program)
    assert error is not None
    assert (error.status, error.native_code) == (status, OUT_OF_MEMORY)
    assert "release buffers or make" in str(error)
    del error
    bench.check_works()
    assert bench.leaks(before, POOLED) == {}
