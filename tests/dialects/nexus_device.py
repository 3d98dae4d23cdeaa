# SPDX-License-Identifier: Apache-2.0
"""The CPU through Nexus itself, where it is installed, and a launcher for it."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from corpus import CORPUS
from launchers import Argument, Local, Sizes

HOW_TO_GET = "not checked: nexus is not installed; install packages/nexus-core and nexus-cpu"


def is_installed() -> bool:
    """Whether Nexus can be imported."""
    return importlib.util.find_spec("nexus") is not None


class NexusLauncher:
    """Runs the corpus on the CPU."""

    def __init__(self) -> None:
        self._device = importlib.import_module("nexus").get_device("cpu")
        self._library = self._device.compile(CORPUS.text, name="corpus.c")

    def run(self, kernel: str, arguments: Sequence[Argument], grid: Sizes, group: Sizes) -> None:
        """As launchers.Launcher says."""
        passed: list[Any] = []
        for argument in arguments:
            is_buffer = isinstance(argument, np.ndarray)
            passed.append(self._device.create_buffer(argument) if is_buffer else argument)
        schedule = self._device.create_schedule()
        command = schedule.create_command(self._library.get_kernel(kernel))
        for index, value in enumerate(passed):
            if isinstance(value, Local):
                command.set_local_memory(index, value.size)
            else:
                command.set_arg(index, value)
        command.finalize(group, grid)
        schedule.run()
        for argument, value in zip(arguments, passed, strict=True):
            if isinstance(argument, np.ndarray):
                argument[...] = value.numpy()
