# SPDX-License-Identifier: Apache-2.0
"""A work of the gallery on the GPU: through Nexus, and built by nvcc and launched from C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import c_side
import nexus
from cubins import compiled_by_nvcc
from harness import our_version
from nexus_side import gpu, stream_seconds
from work import KERNELS, Arrays, Work

Sizes = tuple[int, int, int]
_MINE = ("-I", nexus.get_include())


class OurWork:
    """A work compiled by Nexus, with its launches in one schedule.

    Attributes:
        label: the name and version.
        launched: the grid size, group count and group size of each launch.
    """

    def __init__(self, work: Work) -> None:
        self.label = our_version()
        self._work = work
        self._device = gpu()
        self._stream = self._device.create_stream()
        self._buffers = {
            name: self._device.create_buffer(array) for name, array in work.arrays.items()
        }
        library = self._device.compile(KERNELS / work.kernel_file)
        self._schedule = self._device.create_schedule()
        self.launched: list[tuple[Sizes, Sizes, Sizes]] = []
        for launch in work.launches:
            arguments = [self._buffers.get(str(each), each) for each in launch.arguments]
            command = self._schedule.create_command(
                library.get_kernel(launch.kernel), arguments, launch.group_size, launch.grid_size
            )
            sizes = command.grid_size, command.group_count, command.group_size
            assert all(size is not None for size in sizes), "create_command finalizes"
            self.launched.append(sizes)  # type: ignore[arg-type]
        self._schedule.prepare(self._stream)

    def results(self) -> Arrays:
        """Returns the outputs of one run."""
        for name, array in self._work.arrays.items():
            self._buffers[name].copy_from(array)
        self._schedule.run(self._stream, timeout=120)
        return {name: self._buffers[name].numpy() for name in self._work.outputs}

    def device_seconds(self, times: int) -> float:
        """Returns the mean seconds of a run, measured by events."""
        return stream_seconds(self._stream, lambda: self._schedule.run(self._stream, False), times)


class CWork:
    """The same text built by nvcc, launched from C with the same sizes."""

    label = f"{c_side.LABEL}, kernel by nvcc"

    def __init__(self, work: Work, launched: Sequence[tuple[Sizes, Sizes, Sizes]]) -> None:
        self._work = work
        self._c = c_side.baseline()
        source = KERNELS / work.kernel_file
        image = compiled_by_nvcc(source, self._c.architecture, flags=_MINE)
        self._addresses = {
            name: self._c.allocate(array.nbytes) for name, array in work.arrays.items()
        }
        names = sorted({launch.kernel for launch in work.launches})
        functions = dict(zip(names, self._c.functions(image, *names), strict=True))
        self._launches = [
            c_side.launch(
                functions[launch.kernel],
                [*map(self._argument, launch.arguments), _hidden(grid)],
                groups,
                items,
            )
            for launch, (grid, groups, items) in zip(work.launches, launched, strict=True)
        ]

    def _argument(self, argument: Any) -> Any:
        return self._addresses[argument] if isinstance(argument, str) else argument

    def results(self) -> Arrays:
        """Returns the outputs of one run."""
        for name, array in self._work.arrays.items():
            c_side.write(self._addresses[name], np.ascontiguousarray(array))
        self._c.run_once(self._launches)
        return {
            name: c_side.read(self._addresses[name], self._work.arrays[name])
            for name in self._work.outputs
        }

    def device_seconds(self, times: int) -> float:
        """Returns the mean seconds of a run, measured by events."""
        return float(self._c.time_on_device(self._launches, times))

    def close(self) -> None:
        for address in self._addresses.values():
            self._c.release(address)


def _hidden(grid: Sizes) -> bytes:
    """Returns the last parameter of a kernel in the portable language: the requested grid size."""
    return np.array(grid, np.int32).tobytes()
