# SPDX-License-Identifier: Apache-2.0
"""Compiling through the C-API: code, messages, and each reason to refuse."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import pytest

from nexus.conformance import _c_types
from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, fill_arguments, pattern

pytestmark = pytest.mark.needs("Compile")

_FILL = (
    "NEXUS_KERNEL_BOUNDED(fill, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, value)) {\n"
    "  out[nexus_global_id(0)] = value ADDED;\n"
    "}\n"
)
_SIX = calls.program("#define ADDED + 1\n" + _FILL)


@pytest.fixture(autouse=True)
def portable(bench: Bench) -> None:
    """Ends the test if the backend does not compile the portable language."""
    if "nexus" not in calls.languages(bench):
        not_applicable("the backend does not compile the portable language")


def described(bench: Bench, **fields: Any) -> dict[str, Any]:
    """Returns the description of nxsDescribeCompile."""
    memory = ctypes.create_string_buffer(1 << 20)
    value = _c_types.make("nxs_value", data=ctypes.addressof(memory), capacity=1 << 20)
    info = calls.compile_info(bench, **fields)
    bench.native.get("DescribeCompile", bench.device, info, value)
    assert value.type == N()["NXS_ValueType_Json"]
    made: dict[str, Any] = json.loads(memory.raw[: value.size])
    return made


def compiled(bench: Bench, **fields: Any) -> tuple[bytes, str]:
    """Returns the code and the log of a program that must compile."""
    code, log = calls.Sink(), calls.Sink()
    info = calls.compile_info(bench, **fields)
    bench.native.get("CompileProgram", bench.device, info, code.struct, log.struct)
    return code.data, log.data.decode()


def refused(bench: Bench, wanted: str | tuple[str, ...], **fields: Any) -> str:
    """Returns the log of a program that must be refused."""
    code, log = calls.Sink(), calls.Sink()
    info = calls.compile_info(bench, **fields)
    bench.native.refuse(wanted, "CompileProgram", bench.device, info, code.struct, log.struct)
    assert code.data == b""
    return log.data.decode()


def strings(*texts: str) -> Any:
    """Returns an array of nxs_string."""
    made = (_c_types.struct("nxs_string") * len(texts))()
    made.kept = [_c_types.text(text) for text in texts]
    for at, text in enumerate(made.kept):
        made[at].data, made[at].size = text.data, text.size
    return made


def list_of(name: str, *texts: str) -> dict[str, Any]:
    """Returns the two fields of a list: 'define' is defines and define_count."""
    made = strings(*texts)
    kind = dict(_c_types.struct("nxs_compile_info")._fields_)[f"{name}s"]
    pointer = ctypes.cast(made, kind)
    pointer.kept = made
    return {f"{name}s": pointer, f"{name}_count": len(texts)}


def test_the_description_has_its_members(bench: Bench) -> None:
    said = described(bench)
    for key in ("Compiler", "Identity", "Target", "Format"):
        assert isinstance(said[key], str), key
        assert said[key], key
    assert all(isinstance(flag, str) for flag in said["Flags"])


def test_the_description_is_the_same_each_time(bench: Bench) -> None:
    assert described(bench) == described(bench)


def test_the_description_does_not_look_at_the_source(bench: Bench) -> None:
    said = described(bench)
    for source in ("", "this is not a program"):
        assert described(bench, source=source) == said


def test_what_decides_of_the_code_is_in_the_description(bench: Bench) -> None:
    """Otherwise a cache would return code compiled with other settings."""
    fields: list[dict[str, Any]] = [
        {}, {"optimization": 0}, {"flags": N()["NXS_CompileFlags_FastMath"]},
        {"flags": N()["NXS_CompileFlags_Debug"]}, list_of("define", "A=1"),
        list_of("define", "A=2"), list_of("define", "A"),
    ]  # fmt: skip
    said = [json.dumps(described(bench, **each)) for each in fields]
    assert len(set(said)) == len(said)


def test_a_program_compiles_and_its_code_runs(bench: Bench) -> None:
    source = calls.program("#define ADDED\n" + _FILL)
    code, _ = compiled(bench, source=source, name="fill.c")
    check(bench, code, 5)


def check(bench: Bench, code: bytes, wanted: int) -> None:
    """Checks that the code's kernel stores the value 5 plus ADDED."""
    library = bench.create("CreateLibrary", bench.device, pattern(code), len(code))
    kernel = bench.create("GetKernel", library, "fill")
    schedule, out = bench.schedule(), bench.buffer(bytes(64))
    bench.command(schedule, kernel, fill_arguments(out, 5), 16)
    bench.run(schedule)
    assert bench.integers(out, 16) == [wanted] * 16


@pytest.mark.parametrize("optimization", [0, 1, 2, 3])
def test_each_optimization_compiles(bench: Bench, optimization: int) -> None:
    code, _ = compiled(bench, source=_SIX, optimization=optimization)
    check(bench, code, 6)


@pytest.mark.parametrize("flag", ["FastMath", "Debug", "LineInfo"])
def test_each_flag_compiles(bench: Bench, flag: str) -> None:
    code, _ = compiled(bench, source=_SIX, flags=N()[f"NXS_CompileFlags_{flag}"])
    check(bench, code, 6)


def test_defines_reach_the_program(bench: Bench) -> None:
    code, _ = compiled(
        bench, source=calls.program(_FILL), **list_of("define", "ADDED=+ TWO", "TWO=2")
    )
    check(bench, code, 7)


@pytest.mark.parametrize("word", ["1ST=2", "=2", "A B=2", "", "A-B"])
def test_a_define_that_is_none_is_refused(bench: Bench, word: str) -> None:
    refused(bench, "NXS_InvalidCompilerOptions", **list_of("define", word))


def test_a_mistake_is_told_with_name_and_line(bench: Bench) -> None:
    source = calls.program("\n\nNEXUS_KERNEL(broken) { this is a mistake; }\n")
    log = refused(bench, "NXS_CompileProgramFailure", source=source, name="broken-name.c")
    assert "broken-name.c" in log
    assert "3" in log


def test_what_the_compiler_finds_is_no_crash(bench: Bench) -> None:
    for source in ("", "\0", "}", "#error no\n", "\xff\xfe", '#include "not-there.h"\n',
                   "int " + "(" * 300 + "x" + ")" * 300 + ";"):  # fmt: skip
        code, log = calls.Sink(), calls.Sink()
        info = calls.compile_info(bench, source=source)
        given = (bench.device, info, code.struct, log.struct)
        status = bench.native.try_("CompileProgram", *given)
        assert status in ("NXS_Success", "NXS_CompileProgramFailure", "NXS_InvalidValue"), source


@pytest.mark.parametrize("name", ["DescribeCompile", "CompileProgram"])
def test_a_language_that_there_is_not_is_refused_with_those_that_there_are(
    bench: Bench, name: str
) -> None:
    info = calls.compile_info(bench, language="none such")
    sinks = (calls.Sink().struct, calls.Sink().struct) if name == "CompileProgram" else ()
    bench.native.refuse("NXS_NotSupported", name, bench.device, info, *sinks)
    text = bench.native.said_last
    assert all(language in text for language in calls.languages(bench)), text


def test_a_target_that_there_is_not_is_refused(bench: Bench) -> None:
    refused(bench, "NXS_InvalidValue", target="no-such-processor-1")


@pytest.mark.parametrize("option", ["--no-such-flag-at-all", "-fno-such-feature-1"])
def test_an_option_that_there_is_not_is_refused(bench: Bench, option: str) -> None:
    refused(bench, "NXS_InvalidCompilerOptions", **list_of("option", option))


@pytest.mark.parametrize("option", ["-o", "/etc/passwd", "-o/tmp/x", "@file", "-include"])
def test_an_option_that_names_files_is_refused(bench: Bench, option: str) -> None:
    refused(bench, "NXS_InvalidCompilerOptions", **list_of("option", option))


def test_a_standard_that_there_is_not_is_refused(bench: Bench) -> None:
    refused(bench, "NXS_InvalidCompilerOptions", standard="c1000")


@pytest.mark.parametrize("level", [-1, 4, 1 << 20])
def test_an_optimization_that_there_is_not_is_refused(bench: Bench, level: int) -> None:
    refused(bench, ("NXS_InvalidValue", "NXS_InvalidCompilerOptions"), optimization=level)


def test_compiling_leaves_no_files(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    compiled(bench)
    refused(bench, "NXS_CompileProgramFailure", source="no program")
    assert list(tmp_path.iterdir()) == []
