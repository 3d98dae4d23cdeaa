# SPDX-License-Identifier: Apache-2.0
"""The CPU backend's choice of a compiler, and its errors for broken ones."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from compiling import (
    ADD,
    COMPILE_PROGRAM_FAILURE,
    COMPILER_NOT_AVAILABLE,
    INVALID_VALUE,
    OUT_OF_RESOURCES,
    SUCCESS,
    Workshop,
)

REAL = shutil.which("clang") or shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(REAL is None, reason="needs a C compiler")


@pytest.fixture(autouse=True)
def own_programs(workshop: Workshop) -> None:
    """Hides the machine's compilers, except those that a test names."""
    workshop.only_programs_of_its_own()


def found(workshop: Workshop, **keys: str) -> str:
    """Returns the compiler in the description."""
    compiler: str = workshop.compile(only="describe", **keys).description["Compiler"]
    return compiler


def test_clang_then_the_wheels_then_gcc_then_cc(workshop: Workshop) -> None:
    workshop.make_program("cc", "")
    assert found(workshop) == "cc"
    workshop.make_program("gcc", "")
    assert found(workshop) == "gcc"
    zig = workshop.make_program("wheel/zig", "")
    assert found(workshop, zig=str(zig)) == "zig cc"
    workshop.make_program("clang", "")
    assert found(workshop, zig=str(zig)) == "clang"
    workshop.use(CC=" ")
    assert found(workshop, zig=str(zig)) == "clang"
    workshop.make_program("mine", "")
    workshop.use(CC="mine")
    assert found(workshop, zig=str(zig)) == "mine"


def test_the_backends_own_setting_goes_before_cc(workshop: Workshop) -> None:
    workshop.make_program("mine", "")
    workshop.make_program("theirs", "")
    workshop.use(NEXUS_CPU_CC="mine", CC="theirs")
    assert found(workshop) == "mine"
    workshop.use(NEXUS_CPU_CC="absent")
    assert "cpu.cc is 'absent'" in workshop.compile().error


def test_cxx_is_compiled_by_what_belongs_to_the_c_compiler(workshop: Workshop) -> None:
    for c, cxx in [("cc", "c++"), ("gcc-12", "g++-12"), ("arm-clang-19", "arm-clang++-19")]:
        workshop.make_program(c, "")
        workshop.make_program(cxx, "")
        workshop.use(CC=c)
        assert found(workshop, language="c++") == cxx
    workshop.use(CC=str(workshop.make_program("zig", "")) + " cc")
    assert found(workshop, language="c++") == "zig c++"
    workshop.use(CXX=str(workshop.make_program("other++", "")))
    assert found(workshop, language="c++") == "other++"


def test_clang_alone_compiles_cxx_too(workshop: Workshop) -> None:
    workshop.make_program("clang", "echo $1; exit 1")
    assert "--driver-mode=g++" in workshop.compile(language="c++").error


def test_gcc_alone_does_not_compile_cxx(workshop: Workshop) -> None:
    workshop.make_program("gcc", "")
    made = workshop.compile(language="c++")
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "set CXX to the path of one" in made.error


def test_a_link_is_known_by_what_it_leads_to(workshop: Workshop) -> None:
    gcc = workshop.make_program("tools/gcc-12", "")
    (workshop.bin / "cc").symlink_to(gcc)
    made = workshop.compile(only="describe").description
    assert made["Compiler"] == "cc"
    assert "-fno-semantic-interposition" in made["Flags"]
    assert str(gcc) in made["Identity"]


def test_cc_may_be_a_path_with_spaces(workshop: Workshop) -> None:
    path = workshop.make_program("my tools/my clang", "echo it is me; exit 1")
    workshop.use(CC=f"  {path} ")
    assert "it is me" in workshop.compile().error
    workshop.use(CC=f"'{path}' --flag")
    assert "it is me" in workshop.compile().error


def test_cc_may_have_arguments_which_no_shell_sees(workshop: Workshop) -> None:
    workshop.make_program("mine", 'for word in "$@"; do echo "<$word>"; done; exit 1')
    marker = workshop.folder / "marker"
    workshop.use(CC=f"mine 'one word' two\\ words \"$HOME\" ;touch {marker} `id`")
    words = workshop.compile().error
    for word in ("<one word>", "<two words>", "<$HOME>", "<;touch>", "<`id`>"):
        assert word in words
    assert not marker.exists()


@pytest.mark.parametrize("cc", ["absent", "absent -O2", "/no/such/clang", "./", "''"])
def test_a_cc_that_is_no_program_is_an_error_and_not_passed_over(
    workshop: Workshop, cc: str
) -> None:
    workshop.make_program("clang", "")
    workshop.use(CC=cc)
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert f"CC is '{cc}'" in made.error
    assert made.description == {}


@pytest.mark.parametrize("cc", ["clang '", 'clang "x', "clang \\"])
def test_a_cc_with_an_open_quote_is_an_error(workshop: Workshop, cc: str) -> None:
    workshop.make_program("clang", "")
    workshop.use(CC=cc)
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "not a command line" in made.error


def test_without_a_compiler_the_error_says_what_to_install(workshop: Workshop) -> None:
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "pip install 'nexus-cpu[compiler]'" in made.error


def test_a_description_starts_no_compiler(workshop: Workshop) -> None:
    marker = workshop.folder / "marker"
    workshop.make_program("clang", f": > {marker}")
    assert found(workshop) == "clang"
    assert not marker.exists()


def test_the_identity_changes_when_a_program_of_the_command_does(workshop: Workshop) -> None:
    def identity() -> str:
        text: str = workshop.compile(only="describe").description["Identity"]
        return text

    workshop.make_program("launcher", "")
    clang = workshop.make_program("clang", "")
    workshop.use(CC="launcher clang")
    first = identity()
    assert identity() == first
    os.utime(clang, ns=(1, 1))
    second = identity()
    workshop.make_program("launcher", "# longer\n")
    workshop.use(CPATH="/elsewhere")
    third = identity()
    workshop.use(CPATH="/elsewhere/still")
    assert len({first, second, third, identity()}) == 4


def test_a_compiler_that_hangs_is_ended_with_all_that_it_started(workshop: Workshop) -> None:
    ids = workshop.folder / "ids"
    script = f"/bin/sleep 600 & echo $! $$ > {ids}; echo working; wait"
    workshop.make_program("clang", script)
    workshop.use(NEXUS_CPU_COMPILE_TIMEOUT="0.5")
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "did not end within 0.5 s and was ended" in made.error
    assert "NEXUS_CPU_COMPILE_TIMEOUT" in made.error
    assert made.log == "working\n"
    for process in ids.read_text().split():
        assert ended(int(process))


@pytest.mark.parametrize(
    ("script", "words"),
    [("exec /bin/sleep 600 > /dev/null 2>&1", ""), ("while :; do echo talk; done", "talk\n")],
)
def test_a_compiler_that_closes_its_output_or_never_stops_talking_is_ended(
    workshop: Workshop, script: str, words: str
) -> None:
    workshop.make_program("clang", script)
    workshop.use(NEXUS_CPU_COMPILE_TIMEOUT="0.5")
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "did not end within 0.5 s" in made.error
    assert made.log.startswith(words)


def test_what_a_compiler_leaves_behind_may_talk_for_ever(workshop: Workshop) -> None:
    ids = workshop.folder / "ids"
    script = f"while :; do echo talk talk talk; done & echo $! > {ids}; exit 1"
    workshop.make_program("clang", script)
    workshop.use(NEXUS_CPU_COMPILE_TIMEOUT="60")
    made = workshop.compile()
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert ended(int(ids.read_text()))


def test_a_description_tells_what_else_the_compiler_reads(workshop: Workshop) -> None:
    workshop.make_program("clang", "")
    workshop.use(NEXUS_CPU_ALLOW_OPTIONS="-fprofile-use*")

    def outside(**keys: str | list[str]) -> tuple[list[str], bool]:
        told = workshop.compile(only="describe", **keys).description
        return told.get("IncludeFolders", []), told.get("ReadsOtherFiles", False)

    assert outside() == ([], False)
    assert outside(option=["-fopenmp", "-funroll-loops", "-DA=1"]) == ([], False)
    assert outside(option=["-I/a", "-isystem/b"]) == (["/a", "/b"], False)
    for flag in ("-L.", "-fprofile-use", "-I=/a", "-fprofile-use=/a", "-F/a"):
        assert outside(option=flag) == ([], True)
    workshop.use(CPATH="/c:", C_INCLUDE_PATH="/d", CPLUS_INCLUDE_PATH="/e")
    assert outside() == (["/c", ".", "/d"], False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_compiler_that_dies_is_told_with_its_signal(
    workshop: Workshop, number: signal.Signals
) -> None:
    workshop.make_program("clang", f"echo last words; kill -{int(number)} $$")
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert f"died of signal {int(number)} (" in made.error
    assert made.log == "last words\n"


def test_megabytes_of_words_are_cut_and_that_is_said(workshop: Workshop) -> None:
    script = 'i=0; while [ $i -lt 1000 ]; do printf "%010000d\\n" $i; i=$((i+1)); done; exit 1'
    workshop.make_program("clang", script)
    made = workshop.compile()
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert 1 << 20 <= len(made.log) <= (1 << 20) + 200
    assert "... cut here: the compiler wrote more than 1048576 bytes" in made.log[-200:]
    assert len(made.error) < 20_000
    assert "the log has the rest" in made.error


def test_words_in_another_encoding_become_utf8(workshop: Workshop) -> None:
    workshop.make_program("clang", r'printf "caf\351 \303\251 \300\200\n"; exit 1')
    assert workshop.compile().log == "caf\ufffd \u00e9 \ufffd\ufffd\n"


def test_a_compiler_that_writes_nothing_is_told(workshop: Workshop) -> None:
    workshop.make_program("clang", "exit 0")
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "wrote no library" in made.error


def test_a_compiler_that_writes_garbage_is_told(workshop: Workshop) -> None:
    script = 'while [ "$1" != -o ]; do shift; done; echo garbage > "$2"'
    workshop.make_program("clang", script)
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert "wrote no library: " in made.error


def test_a_refusal_without_words_is_told(workshop: Workshop) -> None:
    workshop.make_program("clang", "exit 3")
    made = workshop.compile()
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert "it says nothing of why" in made.error


@pytest.mark.parametrize("interpreter", ["", "#!/no/such/interpreter\n"])
def test_a_compiler_that_can_not_be_started_is_told(workshop: Workshop, interpreter: str) -> None:
    path = workshop.make_program("clang", "garbage", interpreter=interpreter)
    made = workshop.compile()
    assert made.status == COMPILER_NOT_AVAILABLE
    assert f"({path}) could not be started: " in made.error


def test_a_file_that_may_not_be_run_is_no_compiler(workshop: Workshop) -> None:
    path = workshop.make_program("clang", "")
    path.chmod(0o644)
    workshop.use(CC=str(path))
    assert "that can be run" in workshop.compile().error


def test_the_compiler_gets_no_input_and_no_files_of_the_process(workshop: Workshop) -> None:
    workshop.make_program("clang", "cat; readlink /proc/$$/fd/*; exit 1")
    workshop.use(PATH=f"{workshop.bin}:/bin:/usr/bin")
    files = workshop.compile(threads=4).log.split()
    assert files[0] == "/dev/null"
    pipes = [file for file in files if file.startswith("pipe:")]
    output, errors, leash = pipes  # the last one ends it when the process dies
    assert output == errors != leash


def test_the_compiler_speaks_english_whatever_the_users_language(workshop: Workshop) -> None:
    workshop.make_program("clang", 'echo "$LC_ALL, $LANGUAGE."; exit 1')
    workshop.use(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8", LANGUAGE="de")
    assert workshop.compile().log == "C.UTF-8, .\n"


def test_the_compilers_own_temporary_files_are_removed_too(workshop: Workshop) -> None:
    workshop.make_program("clang", ': > "$TMPDIR/left"; mkdir "$TMPDIR/deep"; kill -9 $$')
    workshop.use(PATH=f"{workshop.bin}:/bin:/usr/bin")
    assert workshop.compile().status == COMPILER_NOT_AVAILABLE  # and compile() looks


def test_the_folder_is_private(workshop: Workshop) -> None:
    workshop.make_program("clang", 'ls -ld "$TMPDIR"; exit 1')
    workshop.use(PATH=f"{workshop.bin}:/bin:/usr/bin")
    assert workshop.compile().log.startswith("drwx------")


def test_a_missing_folder_for_temporary_files_is_named(workshop: Workshop) -> None:
    workshop.make_program("clang", "")
    workshop.use(TMPDIR="/no/such/folder")
    made = workshop.compile()
    assert made.status == OUT_OF_RESOURCES
    assert "/no/such/folder" in made.error
    assert "set TMPDIR" in made.error


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "1x", "nan", "1e99"])
def test_a_limit_of_time_that_is_none_is_refused(workshop: Workshop, seconds: str) -> None:
    workshop.make_program("clang", "")
    workshop.use(NEXUS_CPU_COMPILE_TIMEOUT=seconds)
    made = workshop.compile()
    assert made.status == INVALID_VALUE
    assert f"NEXUS_CPU_COMPILE_TIMEOUT is '{seconds}'" in made.error


@needs_compiler
def test_a_program_that_ignores_how_its_children_end_compiles(workshop: Workshop) -> None:
    workshop.use(CC=str(REAL), PATH=os.environ["PATH"])
    made = workshop.compile(ADD, children="ignored")
    assert made.status == SUCCESS, made.error
    refused = workshop.compile("int f( {}\n", children="ignored")
    assert refused.status == COMPILE_PROGRAM_FAILURE


@needs_compiler
def test_a_program_without_standard_files_compiles(workshop: Workshop) -> None:
    workshop.use(CC=str(REAL), PATH=os.environ["PATH"])
    made = workshop.compile("#warning seen\n" + ADD, standard_files="closed")
    assert made.status == SUCCESS, made.error
    assert "seen" in made.log


@needs_compiler
def test_many_threads_compile_at_the_same_time(workshop: Workshop) -> None:
    workshop.use(CC=str(REAL), PATH=os.environ["PATH"])
    made = workshop.compile(ADD, threads=8)
    assert made.status == SUCCESS, made.error
    assert ctypes.CDLL(str(made.library)).add(2, 3) == 5


def ended(process: int) -> bool:
    """Waits up to a minute until a killed process is gone, or is a zombie."""
    for _ in range(6000):
        try:
            if Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] in "ZX":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False
