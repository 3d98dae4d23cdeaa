# SPDX-License-Identifier: Apache-2.0
"""What is said of programs that can't be compiled, and of compilers that can't be used."""

from __future__ import annotations

import os
import pickle
import stat
import subprocess
from pathlib import Path

import pytest
from program_texts import SAXPY
from python_process import run_python

import nexus
from nexus import CompileError, Program, ProgramOptions

MISTAKE = """
NEXUS_KERNEL_BOUNDED(k, (n), (NEXUS_GLOBAL float *, x), (int, n)) {
  x[nexus_global_id(0)] = undeclared_thing;
}
"""


def refusal(program: Program) -> CompileError:
    with pytest.raises(CompileError) as error:
        program.compile("cpu")
    return error.value


def test_an_error_has_file_line_caret_and_words_and_its_log_the_flags() -> None:
    error = refusal(Program(MISTAKE, name="mine.c", options=ProgramOptions(defines={"A": 1})))
    text = str(error)
    assert "mine.c:3:" in text
    assert "undeclared_thing" in text
    assert "^" in text
    assert "-DA=1" not in text
    assert "-DA=1" in error.flags
    assert "-DA=1" in error.log
    assert "undeclared_thing" in error.log
    assert error.status == nexus.status.NXS_CompileProgramFailure
    assert isinstance(error, nexus.NexusError)


def test_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.c"
    path.write_text(MISTAKE)
    assert f"{path}:3:" in str(refusal(Program(path)))


def test_a_mistake_in_an_included_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#define A 1\nint f(void) { return undeclared_thing; }\n")
    (tmp_path / "k.c").write_text('#include "part.h"\nNEXUS_KERNEL(k, (int, n)) {}\n')
    assert "part.h:2:" in str(refusal(Program(tmp_path / "k.c")))


def test_a_mistake_in_a_macros_arguments_is_told_with_its_line() -> None:
    text = "\n\nNEXUS_KERNEL(k, (no_such_type, n)) {}\n"
    assert "macro.c:3:" in str(refusal(Program(text, name="macro.c")))


def test_a_compile_error_keeps_its_log_when_pickled() -> None:
    error = refusal(Program(MISTAKE))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.log, again.flags, again.status) == (
        str(error),
        error.log,
        error.flags,
        error.status,
    )


def test_a_missing_include_is_named_with_the_folders(tmp_path: Path) -> None:
    text = '#include "missing.h"\n' + SAXPY
    error = refusal(Program(text, name="k.c", options=ProgramOptions(include_paths=[tmp_path])))
    assert "missing.h" in str(error)
    assert str(tmp_path) in str(error)
    assert error.status == nexus.status.NXS_InvalidProgram


def test_a_program_without_a_kernel_is_refused() -> None:
    error = refusal(Program("NEXUS_FUNCTION int f(int x) { return x; }\n", name="none.c"))
    assert "none.c" in str(error)
    assert "no kernel" in str(error)


def test_two_kernels_of_a_name_are_refused() -> None:
    assert "k" in str(refusal(Program("NEXUS_KERNEL(k, (int, n)) {}\n" * 2)))


@pytest.mark.parametrize("name", ["int", "for", "struct"])
def test_a_kernel_named_like_a_keyword_is_refused(name: str) -> None:
    assert name in str(refusal(Program(f"NEXUS_KERNEL({name}, (int, n)) {{}}\n")))


@pytest.mark.parametrize("kind", ["struct { int a; }", "void"])
def test_an_argument_type_that_the_language_lacks_is_refused(kind: str) -> None:
    assert "kind.c:1" in str(
        refusal(Program(f"NEXUS_KERNEL(k, ({kind}, n)) {{}}\n", name="kind.c"))
    )


def test_64_arguments_are_taken_and_65_refused(cpu: nexus.Device) -> None:
    def source(count: int) -> str:
        listed = ", ".join(f"(int, a{number})" for number in range(count))
        return f"NEXUS_KERNEL(k, {listed}) {{}}\n"

    kernel = cpu.compile(source(64)).get_kernel("k")
    assert kernel.arguments is not None
    assert len(kernel.arguments) == 64
    assert "65.c:1" in str(refusal(Program(source(65), name="65.c")))


def test_flags_of_another_backend_are_refused() -> None:
    options = ProgramOptions(extra={"cpu": ["--gpu-architecture=sm_90"]})
    with pytest.raises((ValueError, CompileError)) as error:
        Program(SAXPY, options=options).compile("cpu")
    assert "--gpu-architecture=sm_90" in str(error.value)


def test_flags_that_name_files_are_refused(tmp_path: Path) -> None:
    options = ProgramOptions(extra={"cpu": ["-o", str(tmp_path / "made")]})
    with pytest.raises(ValueError, match="-o"):
        Program(SAXPY, options=options).compile("cpu")
    assert list(tmp_path.iterdir()) == []


def test_a_standard_that_there_is_not_is_refused() -> None:
    with pytest.raises((ValueError, CompileError), match="c1066"):
        Program(SAXPY, options=ProgramOptions(standard="c1066")).compile("cpu")


def test_groups_beyond_what_a_kernel_requires_are_refused(cpu: nexus.Device) -> None:
    text = (
        "NEXUS_PHASED_KERNEL(k, (4, 1, 1), (NEXUS_GLOBAL int *, x)) "
        "{ NEXUS_PHASE { x[nexus_global_id(0)] = 1; } }\n"
    )
    assert nexus.run(text, [], {"x": 8}, 8, cpu).tolist() == [1] * 8
    with pytest.raises(ValueError, match=r"group_size.*4"):
        nexus.run(text, [], {"x": 8}, 8, cpu, group_size=8)


def test_local_memory_beyond_the_device_is_refused(cpu: nexus.Device) -> None:
    text = (
        "NEXUS_KERNEL(k, (NEXUS_LOCAL float *, part), (NEXUS_GLOBAL float *, x)) "
        "{ part[0] = 1; x[0] = part[0]; }\n"
    )
    with pytest.raises((ValueError, nexus.NexusError), match="1073741824"):
        nexus.run(text, {"part": 1 << 30}, {"x": 1}, 1, cpu)


def compile_with(compiler: str, tmp_path: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A fresh process compiles with CC set, and no cache; prints the type and text of the error."""
    program = (
        "import nexus, sys\n"
        "try:\n"
        "    nexus.get_device('cpu').compile('NEXUS_KERNEL(k, (int, n)) {}')\n"
        "except nexus.NexusError as error:\n"
        "    print(type(error).__name__, error.status.name)\n"
        "    print(str(error)[:2000])\n"
        "    print(len(getattr(error, 'log', '')))\n"
    )
    environment = os.environ | {"CC": compiler, "NEXUS_CACHE": "0", "TMPDIR": str(tmp_path)} | more
    return run_python("-c", program, env=environment, check=True)


def script(folder: Path, body: str) -> str:
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def test_a_compiler_that_is_absent_is_named(scratch: Path) -> None:
    done = compile_with("no-such-compiler", scratch)
    assert done.stdout.startswith("NexusError NXS_CompilerNotAvailable")
    assert "no-such-compiler" in done.stdout
    assert list(scratch.iterdir()) == []


def test_a_compiler_that_dies_is_told(tmp_path: Path, scratch: Path) -> None:
    done = compile_with(script(tmp_path, "kill -ABRT $$"), scratch)
    assert done.stdout.startswith("NexusError NXS_CompilerNotAvailable")
    assert list(scratch.iterdir()) == []


def test_a_compiler_that_hangs_is_ended(tmp_path: Path, scratch: Path) -> None:
    done = compile_with(
        script(tmp_path, "exec /bin/sleep 1000"), scratch, NEXUS_CPU_COMPILE_TIMEOUT="1"
    )
    assert done.stdout.startswith("NexusError NXS_CompilerNotAvailable")
    assert "1 s" in done.stdout
    assert list(scratch.iterdir()) == []


def test_a_compiler_that_prints_megabytes_is_cut(tmp_path: Path, scratch: Path) -> None:
    done = compile_with(script(tmp_path, "yes complaint | head -c 8000000; exit 1"), scratch)
    assert done.stdout.startswith("CompileError NXS_CompileProgramFailure")
    assert int(done.stdout.split()[-1]) < 2_000_000
    assert list(scratch.iterdir()) == []
