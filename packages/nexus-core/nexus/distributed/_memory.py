# SPDX-License-Identifier: Apache-2.0
"""The results of a worker with a GPU: in the device's memory, in the host's, and on disk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import dask
import numpy as np
import zict
from dask.sizeof import sizeof
from distributed.protocol import deserialize, serialize
from distributed.spill import SpillBuffer

from nexus.distributed import _buffers

Key = Any


class DeviceMemory(MutableMapping[Key, Any]):
    """The results of a worker by their keys.

    Buffers stay on the device up to a limit. Beyond it the least recently used ones move to the
    host, where Dask's own limits apply: beyond them, results move to disk. A result that is needed
    again moves back.

    Args:
        worker_local_directory: the folder for results on disk. Dask passes it.
        device_limit: the bytes of buffers that stay on the device.
        host_limit: the worker's memory limit in bytes; None means no limit.
    """

    def __init__(
        self, worker_local_directory: str, device_limit: int, host_limit: int | None
    ) -> None:
        target = dask.config.get("distributed.worker.memory.target")
        target = target or dask.config.get("distributed.worker.memory.spill")
        self.host: MutableMapping[Key, Any] = {}
        if host_limit and target:
            most = dask.config.get("distributed.worker.memory.max-spill")
            self.host = SpillBuffer(
                str(Path(worker_local_directory, "storage")),
                target=int(host_limit * target),
                max_spill=most and dask.utils.parse_bytes(most),
            )
        self.device: Any = zict.Buffer(
            fast={},
            slow=zict.Func(_to_host, _to_device, self.host),
            n=device_limit,
            weight=lambda _, value: sizeof(value),
        )
        self._buffers: set[Key] = set()  # the keys of device

    def __getitem__(self, key: Key) -> Any:
        return self.device[key] if key in self._buffers else self.host[key]

    def __setitem__(self, key: Key, value: Any) -> None:
        if key in self:
            del self[key]
        if _buffers.is_on_device(value):
            self._buffers.add(key)
            self.device[key] = value
        else:
            self.host[key] = value

    def __delitem__(self, key: Key) -> None:
        if key in self._buffers:
            self._buffers.discard(key)
            del self.device[key]
        else:
            del self.host[key]

    def __contains__(self, key: object) -> bool:
        return key in self._buffers or key in self.host

    def __iter__(self) -> Iterator[Key]:
        return itertools.chain(self.device.fast, self.host)

    def __len__(self) -> int:
        return len(self.device.fast) + len(self.host)

    def evict_device(self) -> None:
        """Moves all buffers to the host."""
        self.device.fast.evict_until_below_target(0)

    # The part of SpillBuffer's interface that Dask uses.

    @property
    def fast(self) -> Any:
        """The results in the host's memory, which evict() can move to disk."""
        return getattr(self.host, "fast", {})

    def evict(self) -> int:
        """Moves the least recently used result from the host's memory to disk."""
        return int(self.host.evict()) if isinstance(self.host, SpillBuffer) else -1

    @property
    def spilled_total(self) -> tuple[int, int]:
        """The bytes of results on disk, in memory and in files."""
        memory, disk = getattr(self.host, "spilled_total", (0, 0))
        return memory, disk


def _to_host(value: Any) -> list[Any]:
    header, frames = serialize(value, on_error="raise")
    return [header, [_array_of(frame) for frame in frames]]


def _array_of(frame: Any) -> np.ndarray[Any, Any]:
    """Returns the bytes of a frame, copied if they are still the buffer's."""
    data = memoryview(frame)
    array = np.frombuffer(data, np.uint8)
    return array if isinstance(data.obj, np.ndarray) else array.copy()


def _to_device(pair: list[Any]) -> Any:
    header, frames = pair
    return deserialize(header, frames)
