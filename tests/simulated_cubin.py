# SPDX-License-Identifier: Apache-2.0
"""Makes code for the simulated driver, with the simulated NVRTC.

    python simulated_cubin.py elements.c groups.c --output folder    # folder/elements.cubin, ...

The files are programs in CUDA C++ or in the portable kernel language.
"""

from __future__ import annotations

import argparse
import ctypes
import os
from pathlib import Path

import simulated

ROOT = Path(__file__).resolve().parents[1]
HEADERS = ROOT / "packages" / "nexus-core" / "include"


def nvrtc_path() -> Path:
    """The simulated NVRTC: NEXUS_CUDA_NVRTC, else that of simulated.folder()."""
    return Path(os.environ.get("NEXUS_CUDA_NVRTC", simulated.folder() / "libnvrtc.so.12"))


class CompileError(Exception):
    """A program does not compile; the message is the compiler's."""


class Nvrtc:
    """A library with NVRTC's functions."""

    prefix = "nvrtc"

    def __init__(self, path: Path | None = None) -> None:
        self.library = ctypes.CDLL(str(path or nvrtc_path()))

    def compile(self, source: str, name: str, *options: str, kind: str = "CUBIN") -> bytes:
        """The code of a program: its CUBIN, PTX or LTOIR."""
        program = ctypes.c_void_p()
        encoded = [each.encode() for each in (f"-I{HEADERS}", *options)]
        texts = (ctypes.c_char_p * len(encoded))(*encoded)
        created = self._call(
            "CreateProgram", ctypes.byref(program), source.encode(), name.encode(), 0, None, None
        )
        if created != 0:
            raise CompileError(f"{self.prefix}CreateProgram answers {created}")
        try:
            result = self._call("CompileProgram", program, len(encoded), texts)
            if result != 0:
                log = self._read(program, "ProgramLog").rstrip(b"\0").decode()
                raise CompileError(f"{self.prefix}CompileProgram answers {result}:\n{log}")
            return self._read(program, kind)
        finally:
            self._call("DestroyProgram", ctypes.byref(program))

    def _call(self, function: str, *arguments: object) -> int:
        return int(getattr(self.library, f"{self.prefix}{function}")(*arguments))

    def _read(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(f"Get{what}", program, text)
        return text.raw


class Hiprtc(Nvrtc):
    """The simulated hipRTC, whose functions have NVRTC's parameters. Its kind of code is "Code"."""

    prefix = "hiprtc"

    def __init__(self) -> None:
        super().__init__(simulated.folder() / "libhiprtc.so.6")


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes code for the simulated CUDA driver.")
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=Path(), help="the folder; default: here")
    parser.add_argument("--architecture", default="sm_90")
    arguments = parser.parse_args()
    nvrtc = Nvrtc()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for source in arguments.sources:
        code = nvrtc.compile(
            source.read_text(), source.name, f"--gpu-architecture={arguments.architecture}"
        )
        (arguments.output / f"{source.stem}.cubin").write_bytes(code)


if __name__ == "__main__":
    main()
