# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster on this machine, with a device for each worker."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import distributed
from dask.utils import parse_bytes
from distributed.system import MEMORY_LIMIT

import nexus
from nexus import _checks
from nexus.distributed import _memory
from nexus.distributed._worker import WorkerPlugin

if TYPE_CHECKING:
    from nexus import Device

# Variables that limit the devices that a process sees, and set their order.
_VISIBLE = {"cuda": "CUDA_VISIBLE_DEVICES", "hip": "HIP_VISIBLE_DEVICES"}


class LocalCluster(distributed.LocalCluster):  # type: ignore[misc]
    """A Dask cluster of processes on this machine. Each GPU, or each CPU core, has one worker.

    On CUDA and HIP a worker's own GPU is the first that its process sees, so other libraries use it
    by default.

    Args:
        devices: 'cpu', the backend of the GPUs ('cuda'), or a list of GPUs (['cuda:0', 'cuda:2']).
        n_workers: the number of workers; None means one for each GPU of devices, or for each CPU
            core that this process may use. The CPU's workers divide the cores among themselves.
        threads_per_worker: the number of tasks that a worker runs at the same time.
        memory_limit: the bytes of the host's memory for each worker, as in Dask: 'auto' divides
            the memory among the workers, None means no limit.
        device_memory_limit: the memory of a GPU for results: bytes, a text such as '10 GiB', or a
            fraction of the GPU's memory. Beyond this limit, results move to the host, and back when
            they are needed.
        options: any other argument of distributed.LocalCluster.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: devices is empty, or n_workers or a limit is out of range.
        NexusError: there are no such devices; the text gives the reason.

    Example:
        >>> from distributed import Client
        >>> with nexus.distributed.LocalCluster("cpu", n_workers=4) as cluster: # doctest: +SKIP
        ...     client = Client(cluster)
    """

    def __init__(
        self,
        devices: str | Sequence[str] = "cpu",
        n_workers: int | None = None,
        *,
        threads_per_worker: int = 1,
        memory_limit: str | float | None = "auto",
        device_memory_limit: str | float = 0.8,
        **options: Any,
    ) -> None:
        self._found = _devices(devices)
        self._cores: list[Sequence[int] | None] = [None]
        on_cpu = self._found[0].backend == "cpu"
        cores = _usable_cores()
        default = len(cores) if on_cpu else len(self._found)
        count = default if n_workers is None else _positive("n_workers", n_workers)
        if on_cpu:
            self._cores = [*_divided(cores, count)]
        elif count > default:
            remedy = f"devices has {default}, and each worker needs its own"
            raise _checks.wrong_value("n_workers", n_workers, remedy)
        if not options.pop("processes", True):
            remedy = "a process has one device: leave it out"
            raise _checks.wrong_value("processes", False, remedy)
        if memory_limit == "auto":
            memory_limit = MEMORY_LIMIT // count
        if not on_cpu and "data" not in options:
            self._limits = {
                "device_limit": _device_limit(device_memory_limit, self._found[0]),
                "host_limit": _bytes("memory_limit", memory_limit),
            }
        super().__init__(
            n_workers=0,
            threads_per_worker=_positive("threads_per_worker", threads_per_worker),
            memory_limit=memory_limit,
            processes=True,
            **options,
        )
        self.scale(count)
        self.sync(self._correct_state)

    def new_worker_spec(self) -> dict[int, Any]:
        """Returns the description of the next worker. Dask calls this."""
        number = min({*range(len(self.worker_spec) + 1)} - {*self.worker_spec})
        spec = copy.deepcopy(self.new_spec)
        options = spec["options"]
        if self._found[0].backend == "cpu":
            cores = self._cores[number % len(self._cores)]
            return self._named(number, spec, WorkerPlugin("cpu:0", cores), "cpu:0")
        if number >= len(self._found):
            remedy = f"devices has {len(self._found)}, and each worker needs its own"
            raise _checks.wrong_value("n", number + 1, remedy)
        device = self._found[number]
        selector, variable = device.selector, _VISIBLE.get(device.backend)
        if variable is not None:
            first = [device, *(each for each in self._found if each != device)]
            options["env"] = {**options.get("env", {}), variable: _visible(variable, first)}
            selector = f"{device.backend}:0"
        if hasattr(self, "_limits"):
            options["data"] = (_memory.DeviceMemory, dict(self._limits))
        return self._named(number, spec, WorkerPlugin(selector), selector)

    @staticmethod
    def _named(number: int, spec: Any, plugin: WorkerPlugin, selector: str) -> dict[int, Any]:
        options = spec["options"]
        options["env"] = {**options.get("env", {}), "NEXUS_DEVICE": selector}
        options["plugins"] = (*options.get("plugins", ()), plugin)
        return {number: spec}


LocalCluster.__module__ = "nexus.distributed"


def _devices(devices: object) -> list[Device]:
    if isinstance(devices, str):
        name = _checks.text("devices", devices, empty="name a backend, such as 'cuda'")
        if ":" in name:
            return [nexus.get_device(name)]
        return list(nexus.get_runtime(name).get_devices())
    if not isinstance(devices, Sequence):
        raise _checks.wrong_type("devices", "a backend's name or a list of selectors", devices)
    found = [nexus.get_device(each) for each in devices]
    if not found:
        raise _checks.wrong_value("devices", devices, "name a device")
    if len({each.backend for each in found}) > 1 or len(set(found)) < len(found):
        remedy = "it has to name different devices of one backend"
        raise _checks.wrong_value("devices", devices, remedy)
    return found


def _positive(parameter: str, value: object) -> int:
    number = _checks.integer(parameter, value)
    if number < 1:
        raise _checks.wrong_value(parameter, value, "it has to be at least 1")
    return number


def _usable_cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _divided(cores: list[int], count: int) -> list[list[int]]:
    """Divides the cores among the workers, which share cores if there are more workers."""
    if count >= len(cores):
        return [[cores[at % len(cores)]] for at in range(count)]
    ends = [at * len(cores) // count for at in range(count + 1)]
    return [cores[ends[at] : ends[at + 1]] for at in range(count)]


def _visible(variable: str, devices: Sequence[Device]) -> str:
    """Returns the value of a variable with which a process sees these devices in this order."""
    shown = [each.strip() for each in os.environ.get(variable, "").split(",") if each.strip()]
    numbers = [int(each.selector.partition(":")[2]) for each in devices]
    return ",".join(shown[number] if shown else str(number) for number in numbers)


def _bytes(parameter: str, value: object) -> int | None:
    if value is None or value == 0:
        return None
    if isinstance(value, str):
        return int(parse_bytes(value))
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _checks.wrong_type(parameter, "a number or a text such as '10 GiB'", value)
    if value < 0:
        raise _checks.wrong_value(parameter, value, "it can't be negative")
    return int(value * MEMORY_LIMIT) if value <= 1 else int(value)


def _device_limit(value: object, device: Device) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1:
        return int(value * device.memory_size)
    limit = _bytes("device_memory_limit", value)
    if limit is None:
        raise _checks.wrong_value("device_memory_limit", value, "give bytes, or a fraction to 1")
    return limit
