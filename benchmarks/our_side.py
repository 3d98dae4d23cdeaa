# SPDX-License-Identifier: Apache-2.0
"""Our side of the rows that measure kernels: compiled programs, launched by one schedule."""

from __future__ import annotations

import re

import numpy as np

import nexus
from harness import NotMeasured, our_version
from work import KERNELS, Array, Arrays, Work

# The section .comment of a library names gcc for start-up code too, so clang is looked for first
_COMPILERS = (re.compile(rb"[ -~]*clang version [ -~]+"), re.compile(rb"GCC: [ -~]+"))


class NexusSide:
    """A work, recorded and ready to run.

    Attributes:
        label: what runs, with versions and compiler.
        group_sizes: of each launch.
    """

    def __init__(
        self, work: Work, device: nexus.Device, library: nexus.Library, label: str
    ) -> None:
        self.label = label
        self._outputs = work.outputs
        self._buffers = {name: device.create_buffer(array) for name, array in work.arrays.items()}
        self._schedule = device.create_schedule()
        commands = []
        for launch in work.launches:
            arguments = [
                self._buffers[each] if isinstance(each, str) else each for each in launch.arguments
            ]
            kernel = library.get_kernel(launch.kernel)
            commands.append(
                self._schedule.create_command(
                    kernel, arguments, launch.group_size, launch.grid_size
                )
            )
        self.group_sizes = [command.group_size for command in commands]
        self.run = self._schedule.run

    def memory(self, name: str) -> Array:
        """Returns an array over a buffer's memory."""
        return np.asarray(self._buffers[name])

    def clear(self) -> None:
        """Makes the outputs zero."""
        for name in self._outputs:
            self._buffers[name].fill(0)

    def results(self) -> Arrays:
        """Returns copies of the outputs."""
        return {name: self._buffers[name].numpy() for name in self._outputs}


def cpu_side(work: Work, *, fast_math: bool) -> NexusSide:
    """Returns the work on the CPU backend, in the portable language."""
    device = nexus.get_device("cpu")
    program = nexus.Program(
        KERNELS / work.kernel_file, options=nexus.ProgramOptions(fast_math=fast_math)
    )
    library, compiler = compiled(program, device)
    return NexusSide(work, device, library, f"{our_version()}, kernel by {compiler}")


def compiled(program: nexus.Program, device: nexus.Device) -> tuple[nexus.Library, str]:
    """Returns the program's library, and its compiler's name and version as noted in the library.

    Raises:
        NotMeasured: there is no compiler.
    """
    try:
        code = program.compile(device)
    except nexus.CompileError:
        raise
    except nexus.NexusError as error:
        raise NotMeasured(str(error)) from error
    noted = (pattern.search(code.code) for pattern in _COMPILERS)
    names = (match[0].decode() for match in noted if match)
    return device.load_library(code), next(names, "an unknown compiler")
