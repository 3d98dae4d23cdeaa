# SPDX-License-Identifier: Apache-2.0
"""Finds a C compiler and builds a kernel library with it.

The order is: what the environment variable CC names, clang, the compiler of the
``ziglang`` package, gcc, cc. Clang comes before gcc because it vectorises a kernel's
loop behind the usual guard ``if (i < n)``, which gcc leaves scalar.

No shell is started, and `import nexus` does not load this module.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Compiler", "CompilerError", "build_kernel_library", "find_compiler"]

_INSTALL_HINT = (
    "Install clang or gcc, or `pip install ziglang`, or set CC to the path of a C compiler."
)
_COMPILE_SECONDS = 300.0


class CompilerError(RuntimeError):
    """No compiler was found, or the compiler refused the source. The text says which and why."""


@dataclass(frozen=True)
class Compiler:
    """A C compiler and how it was found.

    Attributes:
        command: the program and the arguments that come before all others.
        found_by: ``"CC"``, ``"PATH"`` or ``"ziglang"``.
    """

    command: tuple[str, ...]
    found_by: str

    @property
    def is_zig(self) -> bool:
        """Whether it is ``zig cc``, which spells some options its own way."""
        return Path(self.command[0]).stem == "zig"

    @property
    def name(self) -> str:
        """A short name for people: the program's, or ``zig cc``."""
        return "zig cc" if self.is_zig else Path(self.command[0]).name

    def version(self) -> str:
        """The first line of what ``--version`` prints, or an empty string."""
        result = _run([*self.command, "--version"], timeout=60.0)
        lines = result.stdout.splitlines() if result.returncode == 0 else []
        return lines[0].strip() if lines else ""


def find_compiler() -> Compiler:
    """The C compiler that builds kernels on this machine.

    Raises:
        CompilerError: CC names no program, or there is no compiler at all.
    """
    from_cc = os.environ.get("CC", "").strip()
    if from_cc:
        return _compiler_of_cc(from_cc)
    clang = shutil.which("clang")
    if clang:
        return Compiler((clang,), "PATH")
    zig = _zig_of_package()
    if zig:
        return Compiler((str(zig), "cc"), "ziglang")
    for program in ("gcc", "cc"):
        path = shutil.which(program)
        if path:
            return Compiler((path,), "PATH")
    raise CompilerError(
        f"There is no C compiler: clang, ziglang, gcc and cc are missing. {_INSTALL_HINT}"
    )


def build_kernel_library(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    include: Iterable[str | os.PathLike[str]] | None = None,
    native: bool = True,
    fast_math: bool = False,
    compiler: Compiler | None = None,
) -> Compiler:
    """Builds a shared library of CPU kernels from C.

    Args:
        source: a path object names a C file; a str is the C text itself.
        output: the library to write. It appears whole or not at all, so a process that
            has an older one of that name loaded keeps its own.
        include: folders for ``#include``; None takes that of ``nexus_kernel.h``.
        native: use every instruction of this machine's processor; False gives code for
            the oldest processor of the architecture.
        fast_math: let the compiler reorder and approximate floating-point arithmetic.
        compiler: what `find_compiler` returned; None looks for one.

    Returns:
        The compiler that was used.

    Raises:
        CompilerError: there is no compiler, or it refused the source; the text holds its words.
        FileNotFoundError: the source file or the output's folder is missing.
    """
    compiler = compiler or find_compiler()
    target = Path(output)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"output: there is no folder {str(target.parent)!r}")
    text: str | None = None
    if isinstance(source, str):
        text, name = source, "-"
    else:
        path = Path(source)
        if not path.is_file():
            raise FileNotFoundError(f"source: there is no file {str(path)!r}")
        name = str(path)
    from nexus import get_include  # which imports this module's package first

    folders = [f"-I{os.fspath(f)}" for f in ([get_include()] if include is None else include)]
    options = _code_options(compiler, native=native, fast_math=fast_math)
    with tempfile.TemporaryDirectory(prefix="nexus-", dir=target.parent) as scratch:
        unit = str(Path(scratch, "kernels.o"))
        library = str(Path(scratch, "kernels.so"))
        compile_command = [*compiler.command, *options, *folders, "-c", "-o", unit, "-x", "c", name]
        _check(compiler, compile_command, text)
        # Linked without -ffast-math: with it, gcc before 13 adds start-up code that turns
        # denormal numbers off in the whole process that loads the library.
        _check(compiler, [*compiler.command, "-shared", "-o", library, unit, "-lm"], None)
        Path(library).replace(target)
    return compiler


def _compiler_of_cc(value: str) -> Compiler:
    """What CC names: a path, possibly with spaces, or a program with arguments."""
    try:
        words = [value] if Path(value).is_file() else shlex.split(value)
    except ValueError as error:
        raise CompilerError(f"CC is {value!r}, which is no command line: {error}.") from error
    path = shutil.which(words[0])
    if path is None:
        raise CompilerError(
            f"CC is {value!r}, but there is no program {words[0]!r}. "
            f"Set CC to the path of a C compiler, or unset it."
        )
    return Compiler((path, *words[1:]), "CC")


def _zig_of_package() -> Path | None:
    """The program inside the installed ``ziglang`` package, without importing it."""
    try:
        spec = importlib.util.find_spec("ziglang")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for name in ("zig", "zig.exe"):
            program = Path(folder, name)
            if os.access(program, os.X_OK):
                return program
    return None


def _code_options(compiler: Compiler, *, native: bool, fast_math: bool) -> list[str]:
    options = ["-std=gnu11", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC"]
    if native:
        arm = platform.machine().lower() in ("arm64", "aarch64")
        options.append("-mcpu=native" if arm else "-march=native")
    elif compiler.is_zig:
        options.append("-mcpu=baseline")  # zig compiles for this machine unless told
    if fast_math:
        options.append("-ffast-math")
    return options


def _check(compiler: Compiler, command: Sequence[str], text: str | None) -> None:
    try:
        result = _run(command, text=text, timeout=_COMPILE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise CompilerError(
            f"{compiler.name} did not end within {_COMPILE_SECONDS:.0f} s. "
            f"The command was: {shlex.join(command)}"
        ) from error
    if result.returncode != 0:
        words = (result.stderr or result.stdout).strip() or f"exit code {result.returncode}"
        raise CompilerError(
            f"{compiler.name} could not build the kernel library:\n{words}\n"
            f"The command was: {shlex.join(command)}"
        )


def _run(
    command: Sequence[str], *, text: str | None = None, timeout: float
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(command),
            input=text or "",
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except OSError as error:
        raise CompilerError(
            f"{command[0]} could not be started: {error}. {_INSTALL_HINT}"
        ) from error
