# SPDX-License-Identifier: Apache-2.0
"""The kernels of the suite: compiled if the backend has the portable language, else prebuilt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nexus
from nexus.conformance._subject import Subject

FOLDER = Path(__file__).parent / "kernels"
_NAME = re.compile(r"^NEXUS_\w*KERNEL\w*\(\s*(\w+)", re.MULTILINE)


def stems() -> dict[str, str]:
    """Returns the file stem of each kernel of the suite."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.c")):
        found.update((name, path.stem) for name in _NAME.findall(path.read_text("utf-8")))
    return found


class Kernels:
    """Maps names to kernels: kernels["fill_i32"]. Loads each library once per session."""

    def __init__(self, subject: Subject) -> None:
        self._device = subject.device
        self._folder = subject.kernels
        languages = (
            subject.device.get_property_str_vec("Languages")
            if "Languages" in subject.device.properties
            else []
        )
        self.compiled = "Compile" in subject.capabilities and "nexus" in languages
        self._stems = stems()
        self._libraries: dict[str, nexus.Library] = {}
        self._codes: dict[str, bytes] = {}
        self._files: dict[str, Path] = {}
        self._scratch = subject.scratch

    def __getitem__(self, name: str) -> nexus.Kernel:
        return self.library(self.stem(name)).get_kernel(name)

    def stem(self, name: str) -> str:
        """Returns the stem of the file that has the kernel."""
        if name not in self._stems:
            raise pytest.UsageError(f"No file of {FOLDER} has a kernel {name!r}.")
        return self._stems[name]

    def library(self, stem: str) -> nexus.Library:
        """Returns the library of kernels/<stem>.c."""
        if stem not in self._libraries:
            self._libraries[stem] = (
                self._device.load_library(self._compile(stem))
                if self.compiled
                else self._device.load_library(self.prebuilt(stem))
            )
        return self._libraries[stem]

    def code(self, stem: str) -> bytes:
        """Returns the bytes of the library of kernels/<stem>.c, for nxsCreateLibrary."""
        if stem not in self._codes:
            self._codes[stem] = (
                self._compile(stem).code if self.compiled else self.prebuilt(stem).read_bytes()
            )
        return self._codes[stem]

    def file(self, stem: str) -> Path:
        """Returns a file with the library of kernels/<stem>.c, for nxsCreateLibraryFromFile."""
        if not self.compiled:
            return self.prebuilt(stem)
        if stem not in self._files:
            self._files[stem] = self._scratch / f"{stem}.bin"
            self._files[stem].write_bytes(self.code(stem))
        return self._files[stem]

    def prebuilt(self, stem: str) -> Path:
        """Returns the vendor's file with the kernels of kernels/<stem>.c."""
        if self._folder is None:
            pytest.fail(
                "The backend does not compile the portable language ('nexus'), and no folder of "
                'prebuilt kernels is named: give --nexus-kernels FOLDER, or kernels = "FOLDER" in '
                "nexus_conformance.toml.",
                pytrace=False,
            )
        found = sorted(path for path in self._folder.glob(f"{stem}.*") if path.is_file())
        if not found:
            pytest.fail(
                f"{self._folder} has no file {stem}.*, with the kernels of {FOLDER / stem}.c.",
                pytrace=False,
            )
        return found[0]

    def _compile(self, stem: str) -> nexus.ObjectCode:
        return nexus.Program(FOLDER / f"{stem}.c").compile(self._device)
