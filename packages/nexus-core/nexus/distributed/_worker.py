# SPDX-License-Identifier: Apache-2.0
"""The device of a Dask worker, its compiled programs, and what happens when the device fails."""

from __future__ import annotations

import asyncio
import fcntl
import functools
import gc
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import distributed
from distributed.core import Status
from distributed.spill import SpillBuffer

import nexus
from nexus import _checks
from nexus._errors import NexusError, PropertyNotFoundError

if TYPE_CHECKING:
    from nexus import Device, Kernel, Library, Program

_Result = TypeVar("_Result")

_PROGRAMS = 256  # libraries and kernels that a worker keeps
_END = 60.0  # seconds that a task on a failed device waits until its worker has ended
_LOST = frozenset({"NXS_DeviceLost", "NXS_DeviceNotAvailable"})
_OUT_OF_MEMORY = frozenset({"NXS_MemObjectAllocationFailure", "NXS_OutOfResources"})

_log = logging.getLogger("distributed.worker.nexus")


class WorkerPlugin(distributed.WorkerPlugin):  # type: ignore[misc]
    """Gives each worker of a Dask cluster a device.

    A worker publishes one unit of the Dask resource `nexus-<backend>`, such as `nexus-cuda` or
    `nexus-cpu`. So each worker runs only one of the tasks that request it at a time. The worker's
    metrics, which `Client.scheduler_info()` returns, have an entry 'nexus' with the device and its
    memory.

    A worker that gets no device runs without one and publishes no resource. Nexus tasks that run
    there anyway raise NexusError with the reason.

    Args:
        devices: a selector ('cuda:1'), or a backend ('cuda'): each worker then takes a device of
            the backend that no other worker on its machine has. With 'cpu', all workers share the
            CPU.
        cores: the numbers of the CPU cores that the worker runs on; None leaves that to the
            system.

    Raises:
        TypeError: devices is not a str, or cores is not a sequence of ints.
        ValueError: devices is empty, or cores is empty or has a negative number.

    Example:
        >>> from distributed import Client
        >>> client = Client("tcp://10.0.0.1:8786")                              # doctest: +SKIP
        >>> client.register_plugin(nexus.distributed.WorkerPlugin("cuda"))      # doctest: +SKIP
    """

    name = "nexus"

    def __init__(self, devices: str, cores: Sequence[int] | None = None) -> None:
        self.devices = _checks.text("devices", devices, empty="name a backend, such as 'cuda'")
        self.cores = None if cores is None else _core_numbers(cores)

    async def setup(self, worker: distributed.Worker) -> None:
        """Chooses the worker's device. Dask calls this."""
        global _current
        if self.cores is not None:
            if hasattr(os, "sched_setaffinity"):
                _pin(self.cores)
            nexus.set_config("cpu.threads", len(self.cores))
        _current = current = _Worker(worker, self.devices)
        if current.device is None:
            _log.warning("%s", current.reason)
            return
        worker.metrics["nexus"] = _report
        resources = {f"nexus-{current.device.backend}": 1}
        if worker.status == Status.init:  # the worker reports them when it registers
            worker.state.total_resources.update(resources)
            worker.state.available_resources.update(resources)
        else:
            await worker.set_resources(**resources)

    def teardown(self, worker: distributed.Worker) -> None:
        """Gives the device back. Dask calls this."""
        global _current
        worker.metrics.pop("nexus", None)
        if _current is not None and _current.worker is worker:
            _current.release()
            _current = None


WorkerPlugin.__module__ = "nexus.distributed"


class _Worker:
    """A worker of this process and its device."""

    def __init__(self, worker: distributed.Worker, devices: str) -> None:
        self.worker = worker
        self.device: Device | None = None
        self.reason = ""
        self._claim: int | None = None
        try:
            self.device = self._choose(devices)
        except (NexusError, ValueError) as error:
            self.reason = f"The worker {worker.name!r} has no device '{devices}': {error}"

    def _choose(self, devices: str) -> Device:
        if ":" in devices or devices == "cpu":
            return nexus.get_device(devices)
        found = nexus.get_runtime(devices).get_devices()
        for device in found:
            self._claim = _claimed(device)
            if self._claim is not None:
                return device
        raise NexusError(
            f"other workers of this machine have the {len(found)} devices of '{devices}'. Start "
            "one worker for each device."
        )

    def release(self) -> None:
        """Lets other workers have the device."""
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None


_current: _Worker | None = None  # a process has one worker


def get_device() -> Device:
    """Returns the device of this process: where received buffers are placed and tasks run.

    In a worker it is the device that WorkerPlugin chose, elsewhere `nexus.get_device()`.

    Raises:
        NexusError: the worker has no device; the text gives the reason.

    Example:
        >>> nexus.distributed.get_device() == nexus.get_device()
        True
    """
    if _current is None:
        return nexus.get_device()
    if _current.device is None:
        raise NexusError(_current.reason)
    return _current.device


@functools.lru_cache(maxsize=_PROGRAMS)
def library(device: Device, source: Program | bytes) -> Library:
    """Returns a program's library, which is compiled and loaded once in each worker."""
    if isinstance(source, bytes):
        return device.load_library(source)
    return device.compile(source)


@functools.lru_cache(maxsize=_PROGRAMS)
def kernel(device: Device, source: Program | bytes, name: str | None) -> Kernel:
    """Returns a kernel of a program; name may be None if there is only one.

    Raises:
        ValueError: the program has several kernels, and name is None.
    """
    from nexus._run import choose_kernel

    return choose_kernel(library(device, source), name)


def guarded(call: Callable[..., _Result], *arguments: Any) -> _Result:
    """Calls a function of a task that uses the device, with the arguments.

    If the device has too little memory, moves other results off it and calls the function once
    more. If the device is lost, ends this worker; Dask runs its tasks elsewhere.
    """
    try:
        return retried(functools.partial(call, *arguments))
    except NexusError as error:
        if error.status.name in _LOST and _current is not None:
            _retire(_current.worker, str(error))
        raise


def retried(call: Callable[[], _Result]) -> _Result:
    """Calls a function that allocates memory. If memory runs out, frees some and calls it again."""
    try:
        return call()
    except NexusError as error:
        if _current is None or error.status.name not in _OUT_OF_MEMORY:
            raise
        _log.info("Moves results off the device: %s", error)
    _free(_current)
    return call()


def _free(current: _Worker) -> None:
    """Moves the worker's results off the device, and returns unused memory to the driver."""
    data = current.worker.data
    if hasattr(data, "evict_device"):  # a DeviceMemory, which moves them to the host
        _on_loop(current.worker, data.evict_device)
    elif isinstance(data, SpillBuffer):  # Dask's own, which moves them to disk, one at a time
        for _ in range(len(data.fast)):
            _on_loop(current.worker, lambda: data.fast and data.evict())
    gc.collect()
    if current.device is not None:
        current.device.trim_memory()


def _on_loop(worker: distributed.Worker, call: Callable[[], object]) -> None:
    """Calls a function in the thread of the worker's event loop, which owns its data."""
    loop = worker.loop.asyncio_loop
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    if running is loop:
        call()
        return
    done = threading.Event()

    def called() -> None:
        try:
            call()
        finally:
            done.set()

    loop.call_soon_threadsafe(called)
    done.wait(_END)


def _retire(worker: distributed.Worker, reason: str) -> None:
    """Ends the worker without a restart, and blocks until it has ended.

    The task never returns, so Dask counts the end of the worker as a failure of the task. So a task
    that breaks every device is given up before it has run on all of them.
    """
    _log.error("The worker %r ends, because its device failed: %s", worker.name, reason)
    close = functools.partial(worker.close, executor_wait=False, reason=reason)
    worker.loop.add_callback(close)
    time.sleep(_END)


def _report(worker: distributed.Worker) -> dict[str, Any]:
    """Returns the entry 'nexus' of the worker's metrics."""
    device = get_device()
    return {
        "device": device.selector,
        "memory_size": _property(device, "GlobalMemorySize"),
        "memory_used": device.memory_used,
        "memory_reserved": device.memory_reserved,
        "programs": library.cache_info().currsize,
    }


def _property(device: Device, name: str) -> Any:
    try:
        return device.get_property(name)
    except PropertyNotFoundError:
        return None


def _claimed(device: Device) -> int | None:
    """Locks the device's file for this process. Returns None if another process has it.

    The system unlocks the file when the process ends, however it ends.
    """
    name = _property(device, "UUID") or _property(device, "Location") or device.selector
    letters = "".join(letter if letter.isalnum() else "-" for letter in f"{device.backend}-{name}")
    path = Path(tempfile.gettempdir()) / f"nexus-dask-{os.getuid()}-{letters}.lock"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def _pin(cores: Sequence[int]) -> None:
    """Lets this thread, and the threads that it starts, run on these cores only."""
    try:
        os.sched_setaffinity(0, cores)
    except OSError as error:
        raise ValueError(f"cores is {cores}, and the worker may not use them: {error}.") from None


def _core_numbers(cores: object) -> tuple[int, ...]:
    if isinstance(cores, str) or not isinstance(cores, Sequence):
        raise _checks.wrong_type("cores", "a sequence of ints", cores)
    numbers = tuple(_checks.integer("a core of cores", each) for each in cores)
    if not numbers or min(numbers) < 0:
        raise _checks.wrong_value("cores", cores, "give the numbers of cores, from 0 on")
    return numbers
