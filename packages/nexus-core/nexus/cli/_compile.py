# SPDX-License-Identifier: Apache-2.0
"""`nexus compile`: compiles a program into a file."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

import nexus
from nexus._compile._object_code import write_whole
from nexus._units import size_text
from nexus.cli._console import busy
from nexus.cli._misuse import Misuse
from nexus.cli._program import program_of

_ENDINGS = {"elf": ".so", "macho": ".dylib"}


def run(options: argparse.Namespace) -> int:
    """Compiles the program and writes the file; returns 0.

    Raises:
        Misuse: an option is invalid.
        nexus.NexusError: it can't be compiled.
    """
    target = nexus.get_device().selector if options.target is None else options.target
    program = program_of(options, target.partition(":")[0])
    try:
        if options.flags:
            print(shlex.join(program.options.flags(target, program.language)))
            return 0
        output = None if options.output is None else _output(Path(options.output))
        with busy(f"compiling {options.file} for {target}"):
            code = program.compile(target)
    except nexus.NexusError:
        raise
    except ValueError as error:
        raise Misuse(str(error)) from error
    if output is None:
        ending = ".nexus" if options.object_code else _ENDINGS.get(code.format, f".{code.format}")
        output = _output(Path(options.file).with_suffix(ending))
    if options.object_code:
        code.save(output)
    else:
        write_whole(output, code.code)
    if options.log and code.log:
        print(code.log.rstrip(), file=sys.stderr)
    print(_text(output, code))
    return 0


def _output(path: Path) -> Path:
    """Returns the file to write, checked before the compiler starts."""
    if path.is_dir():
        raise Misuse(f"'{path}' is a folder: name a file with -o.")
    if not path.parent.is_dir():
        raise Misuse(f"There is no folder '{path.parent}' to write '{path}' to.")
    return path


def _text(output: Path, code: nexus.ObjectCode) -> str:
    size = size_text(output.stat().st_size)
    lines = [f"{output}: {size} of {code.format} for {code.runtime}, {code.target}"]
    lines += [f"  {kernel}" for kernel in code.kernels]
    return "\n".join(lines)
