# SPDX-License-Identifier: Apache-2.0
"""The backend under test, its device, and the vendor's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

import nexus
from nexus.conformance import _applies, _settings


class Subject:
    """The backend and device of this run. Raises UsageError if there is none."""

    def __init__(self, config: pytest.Config, scratch: Path) -> None:
        self.scratch = scratch  # a folder for files of this run
        self.backend: str = config.getoption("nexus_backend")
        self.selector: str = config.getoption("nexus_device") or f"{self.backend}:0"
        try:
            self.device = nexus.get_device(self.selector)
        except (nexus.NexusError, ValueError) as error:
            raise pytest.UsageError(f"--nexus-device {self.selector}: {error}") from error
        if self.device.runtime.name != self.backend:
            raise pytest.UsageError(
                f"--nexus-device is {self.selector}, a device of {self.device.runtime.name}; give "
                f"one of --nexus-backend {self.backend}."
            )
        self.record = next(
            each for each in nexus.get_backends() if each.name == self.backend and not each.reason
        )
        self.capabilities = _applies.names_of(self.device.runtime.get_property_int("Capabilities"))
        self.settings = self._read_settings(config.getoption("nexus_settings"))
        self.kernels = self._kernel_folder(config.getoption("nexus_kernels"))

    def other_device(self) -> nexus.Device | None:
        """Returns another device of the backend; None if it has only one."""
        for device in self.device.runtime.get_devices():
            if device.selector != self.device.selector:
                return device
        return None

    def _read_settings(self, option: str | None) -> _settings.Settings:
        if option is not None:
            return _settings.read(Path(option))
        package = self.record.distribution.replace("-", "_")
        path = _settings.find(self.record.manifest, package)
        return _settings.Settings() if path is None else _settings.read(path)

    def _kernel_folder(self, option: str | None) -> Path | None:
        if option is None:
            return self.settings.kernels
        if not Path(option).is_dir():
            raise pytest.UsageError(f"--nexus-kernels is {option!r}: there is no such folder.")
        return Path(option)
