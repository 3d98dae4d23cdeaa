# SPDX-License-Identifier: Apache-2.0
"""Copies between GPUs, direct if they have peer access."""

from __future__ import annotations

import numpy as np
import pytest
import simulated
from their_memory import floats, run_alone

import nexus

COUNT = 3 << 20  # floats: three of the chunks by which copies go through the host
THROUGH_THE_HOST = ("cuMemHostAlloc", "cuMemFreeHost")
APART = """
import numpy as np
import simulated
import nexus
gpus = [nexus.get_device("cuda:0"), nexus.get_device("cuda:1")]
source = gpus[0].create_buffer(np.arange(3 << 20, dtype=np.float32))
copy = gpus[1].copy_buffer(source)
assert (copy.numpy() == source.numpy()).all()
driver = simulated.Driver()
assert driver.calls("cuDeviceCanAccessPeer") == 2
assert driver.calls("cuCtxEnablePeerAccess") == 0
try:
    gpus[1].create_buffer_from_handle(source.native_handle, 64)
except nexus.NexusError as error:
    print(error)
"""


def direct_copies(cuda: simulated.Driver) -> int:
    """Counts the copies, none of which may go through the host."""
    assert all(cuda.calls(function) == 0 for function in THROUGH_THE_HOST)
    return cuda.calls("cuMemcpyAsync")


def test_one_copy_of_the_driver_does_it(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    source = gpu.create_buffer(floats(COUNT))
    target = other_gpu.create_buffer((COUNT,))
    gpu.synchronize()
    cuda.forget()
    target.copy_from(source)
    assert direct_copies(cuda) == 1
    np.testing.assert_array_equal(target.numpy(), floats(COUNT))


@pytest.mark.parametrize("kind", ["shareable", "pool"])
def test_both_kinds_of_memory_are_reached(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device, kind: str
) -> None:
    source = gpu.create_buffer(floats(), shareable=kind == "shareable")
    target = other_gpu.create_buffer((16,), shareable=kind == "shareable")
    gpu.synchronize()
    cuda.forget()
    target.copy_from(source)
    assert direct_copies(cuda) == 1
    assert target.numpy().tolist() == floats().tolist()


def test_slices_go_to_slices(gpu: nexus.Device, other_gpu: nexus.Device) -> None:
    source, target = gpu.create_buffer(floats()), other_gpu.create_buffer(floats())
    target[2:6].copy_from(source[8:12])
    assert target.numpy().tolist() == [0, 1, 8, 9, 10, 11, *range(6, 16)]


def test_it_comes_after_work_of_both_gpus(gpu: nexus.Device, other_gpu: nexus.Device) -> None:
    source, target = gpu.create_buffer((16,)), other_gpu.create_buffer((16,))
    ours, theirs = gpu.create_stream(), other_gpu.create_stream()
    for round_ in range(20):
        source.fill(float(round_), stream=ours, blocking=False)
        target.fill(-1.0, stream=theirs, blocking=False)
        target.copy_from(source, blocking=False)
        assert target.numpy().tolist() == [float(round_)] * 16


def test_a_schedule_copies_so_too(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    source, target = gpu.create_buffer(floats()), other_gpu.create_buffer((16,))
    schedule = gpu.create_schedule()
    schedule.create_fill_command(source, 4.0)
    schedule.create_copy_command(target, source)
    schedule.run(gpu.create_stream())
    assert direct_copies(cuda) >= 1
    assert target.numpy().tolist() == [4.0] * 16


def test_a_buffer_may_end_while_it_is_copied(gpu: nexus.Device, other_gpu: nexus.Device) -> None:
    target = other_gpu.create_buffer((COUNT,))
    for _ in range(10):
        source = gpu.create_buffer(floats(COUNT))
        target.copy_from(source, blocking=False)
        source.close()
        gpu.create_buffer((COUNT,)).fill(0.0, blocking=False)
    np.testing.assert_array_equal(target.numpy(), floats(COUNT))


def test_a_copy_that_fails_says_so(
    cuda: simulated.Driver, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    source, target = gpu.create_buffer(floats()), other_gpu.create_buffer((16,))
    target.copy_from(source)
    cuda.fail("cuMemcpyAsync", 1, simulated.INVALID_VALUE)
    with pytest.raises(nexus.NexusError, match="copy"):
        target.copy_from(source)
    target.copy_from(source)
    assert target.numpy().tolist() == floats().tolist()


def test_gpus_that_do_not_reach_each_other_copy_through_the_host() -> None:
    told = run_alone(APART, NEXUS_SIMULATED_CUDA="peers=0")
    assert "memory of the GPU 0, which can't be accessed from the GPU 1" in told
