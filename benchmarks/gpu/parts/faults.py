# SPDX-License-Identifier: Apache-2.0
"""Kernels that never end or write to invalid addresses: nothing hangs, and all calls report it."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable

import numpy as np

import nexus
from gpu_cases import Bench, NotThere, case
from part_tools import SOON, add_one, mistakes, recorded, refusal


def _forever(device: nexus.Device) -> tuple[nexus.Schedule, nexus.Buffer]:
    flag = device.create_buffer(np.zeros(1, np.int32))
    return recorded(device, "forever", (flag,)), flag


def _times_out(call: Callable[[], object], seconds: float = 1.0) -> str:
    start = time.monotonic()
    try:
        call()
    except TimeoutError as error:
        raised = error
    else:
        raise AssertionError("did not time out")
    waited = time.monotonic() - start
    assert isinstance(raised, nexus.NexusError)
    assert waited < seconds + 5, f"waited {waited:.1f} s for a timeout of {seconds} s"
    return str(raised)


@case(endangers=True, ended=True)
def an_infinite_kernel_times_out(bench: Bench) -> str:
    device = bench.device
    schedule, _flag = _forever(device)
    stream = device.create_stream()
    text = _times_out(lambda: schedule.run(stream, timeout=1))
    _times_out(lambda: stream.synchronize(timeout=1))
    _times_out(lambda: device.synchronize(timeout=1))
    assert not stream.is_idle
    return text


@case(endangers=True, ended=True)
def beside_an_infinite_kernel_other_streams_work(bench: Bench) -> str:
    device = bench.device
    schedule, _flag = _forever(device)
    other = device.create_stream()
    values = device.create_buffer(np.zeros(256, np.int32))
    add = add_one(device, values)
    add.run(other, timeout=SOON)
    schedule.run(device.create_stream(), blocking=False)
    add.run(other, timeout=SOON)
    host = np.zeros(256, np.int32)
    values.copy(host, stream=other, blocking=False)
    other.synchronize(timeout=SOON)
    assert np.all(host == 2), host[:4]
    return "a kernel and a copy in another stream"


@case(endangers=True, limit=90)
def a_process_with_an_infinite_kernel_ends_by_itself(bench: Bench) -> str:
    """It is not killed: the interpreter's exit must not wait for ever."""
    device = bench.device
    schedule, _flag = _forever(device)
    schedule.run(device.create_stream(), blocking=False)
    return _times_out(lambda: device.synchronize(timeout=1))


@case(endangers=True)
def an_infinite_kernel_can_be_told_to_end(bench: Bench) -> str:
    """Copies run beside it, so that the host can set its flag."""
    device = bench.device
    schedule, flag = _forever(device)
    stream, other = device.create_stream(), device.create_stream()
    schedule.run(stream, blocking=False)
    flag.copy_from(np.ones(1, np.int32), stream=other, blocking=False)
    stream.synchronize(timeout=SOON)
    return "ended"


@case(endangers=True, limit=90)
def after_an_illegal_address_everything_says_so(bench: Bench) -> str:
    device = bench.device
    library = mistakes(device)
    buffer = device.create_buffer(np.zeros(1024, np.int32))
    stream, other = device.create_stream(), device.create_stream()
    good = add_one(device, buffer, library)
    bad = recorded(device, "write_nowhere", (buffer,), library=library)
    gate, event = device.create_event(), device.create_event()
    stream.wait(gate)  # so that all is submitted before the kernel fails
    bad.run(stream, blocking=False)
    stream.signal(event, 1)
    gate.signal()
    texts = [
        refusal(lambda: stream.synchronize(timeout=SOON), "address"),
        refusal(lambda: event.wait(1, timeout=SOON)),
        refusal(lambda: good.run(other, timeout=SOON)),
        refusal(buffer.numpy),
        refusal(lambda: device.create_buffer(np.ones(4, np.int32)).numpy()),
        refusal(lambda: device.synchronize(timeout=SOON)),
    ]
    for each in (event, good, bad, stream, other, buffer, library):
        each.close()
    cpu = nexus.get_device("cpu").create_buffer(np.arange(4))
    assert cpu.numpy().sum() == 6, "the CPU does not go on"
    return " / ".join(texts)


@case(endangers=True, limit=90)
def after_an_illegal_address_other_gpus_go_on_or_say_so(bench: Bench) -> str:
    name, _, number = bench.selector.partition(":")
    selector = f"{name}:{int(number or 0) + 1}"
    try:
        second = nexus.get_device(selector)
    except nexus.NexusError as error:
        raise NotThere(f"needs a second GPU: {error}") from error
    before = second.create_buffer(np.arange(4))
    device = bench.device
    bad = recorded(device, "write_nowhere", (device.create_buffer(64),))
    refusal(lambda: bad.run(timeout=SOON))
    if driver_answers(second):
        assert before.numpy().sum() == second.create_buffer(np.arange(4)).numpy().sum() == 6
        return f"{selector} goes on"
    said = refusal(before.numpy, "address")
    refusal(lambda: second.create_buffer(np.arange(4)), "address")
    return f"the driver gives {selector} up with the first GPU, and its objects say: {said}"


def driver_answers(device: nexus.Device) -> bool:
    """Returns whether the driver itself still accepts calls for a GPU."""
    cuda = ctypes.CDLL(os.environ.get("NEXUS_CUDA_DRIVER", "libcuda.so.1"))
    context = ctypes.c_void_p()
    results = (
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), int(device.native_handle)),
        cuda.cuCtxSetCurrent(context),
        cuda.cuCtxSynchronize(),
    )
    return results == (0, 0, 0)
