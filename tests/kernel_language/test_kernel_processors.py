# SPDX-License-Identifier: Apache-2.0
"""Libraries that are compiled for other processors than this machine's."""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

import pytest
from building_kernels import HERE, Compiler, compilers

import nexus

FILL = """
NEXUS_KERNEL(fill, (NEXUS_GLOBAL int *, out)) { out[nexus_global_id(0)] = 7; }
"""
IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
OLD = "xop"  # a feature of AMD's processors from 2011 to 2016 only


class Target(ctypes.Structure):
    """As nexus_cpu_target."""

    _fields_ = (("struct_size", ctypes.c_uint64), ("features", ctypes.c_char_p))


@pytest.fixture(scope="module")
def features(cpu: nexus.Device) -> list[str]:
    """Those of this machine's processor, which lacks OLD."""
    if not IS_X86:
        pytest.skip("names of x86 features")
    found: list[str] = cpu.get_property_str(nexus.property.Features).split(",")
    if OLD in found:
        pytest.skip("this processor has all that the test wants it to lack")
    return found


@pytest.fixture(scope="module")
def c_compiler() -> Compiler:
    """One for C."""
    found = next((found for found in compilers() if found.language == "c"), None)
    if found is None:
        pytest.skip("needs gcc, clang or zig")
    return found


def says(compiler: Compiler, folder: Path, text: str, known_bytes: int = 16) -> Path:
    """A library that says that it was compiled for the features of the text."""
    output = folder / "library.so"
    done = compiler.run(
        "-shared",
        "-fPIC",
        f'-DFEATURES="{text}"',
        f"-DKNOWN_BYTES={known_bytes}",
        HERE / "hand_made" / "compiled_for.c",
        "-o",
        output,
    )
    assert done.returncode == 0, done.stderr
    return output


def test_a_library_for_a_processor_with_more_is_refused(
    cpu: nexus.Device, c_compiler: Compiler, features: list[str], tmp_path: Path
) -> None:
    path = says(c_compiler, tmp_path, f" {features[0]} {OLD}  fma4 ")
    with pytest.raises(nexus.NexusError) as from_file:
        cpu.load_library(path)
    sentence = (
        f"is compiled for a processor with {OLD}, fma4, which this one lacks; "
        "compile it for this device, or for the target x86-64"
    )
    assert f"'{path}' {sentence}" in str(from_file.value)
    assert from_file.value.status == nexus.status.NXS_InvalidBinary
    with pytest.raises(nexus.NexusError) as from_bytes:
        cpu.load_library(path.read_bytes())
    assert f"the library in memory {sentence}" in str(from_bytes.value)


@pytest.mark.parametrize("known_bytes", [0, 8, 15])
def test_a_library_whose_description_ends_before_the_features_is_loaded(
    cpu: nexus.Device, c_compiler: Compiler, features: list[str], tmp_path: Path, known_bytes: int
) -> None:
    path = says(c_compiler, tmp_path, OLD, known_bytes)
    assert cpu.load_library(path).get_kernel("kernel").name == "kernel"


def test_all_that_the_processor_has_is_not_refused(
    cpu: nexus.Device, c_compiler: Compiler, features: list[str], tmp_path: Path
) -> None:
    path = says(c_compiler, tmp_path, " ".join([*features, "a-feature-of-tomorrow"]), 24)
    assert [kernel.name for kernel in cpu.load_library(path).get_kernels()] == ["kernel"]


def compiled_for(library: Path) -> list[str]:
    """The features that the header has found."""
    target = Target.in_dll(ctypes.CDLL(os.fspath(library)), "nexus_cpu_compiled_for")
    assert target.struct_size == ctypes.sizeof(Target)
    return (target.features or b"").decode().split()


def build(compiler: Compiler, folder: Path, *flags: str) -> Path:
    """FILL as a library."""
    source, output = folder / "fill.c", folder / "fill.so"
    source.write_text("#include <nexus_kernel.h>\n" + FILL)
    done = compiler.run("-O1", "-fPIC", "-shared", *flags, source, "-o", output)
    assert done.returncode == 0, done.stderr
    return output


def test_the_header_says_what_the_compiler_was_free_to_use(
    compiler: Compiler, features: list[str], tmp_path: Path
) -> None:
    plain = compiled_for(build(compiler, tmp_path, "-march=x86_64" if compiler.name == "zig"
                               else "-march=x86-64"))  # fmt: skip
    assert plain == []
    (tmp_path / "more").mkdir()
    more = compiled_for(build(compiler, tmp_path / "more", "-mavx2", "-mfma"))
    assert {"sse4.2", "avx", "avx2", "fma"} <= set(more)
    assert not {OLD, "avx512f", "bmi"} & set(more)
    (tmp_path / "native").mkdir()
    native = compiled_for(build(compiler, tmp_path / "native", "-march=native"))
    assert set(native) <= set(features)
    assert {"avx2", "fma", "avx512f"} & set(features) <= set(native)


def test_a_kernel_for_another_processor_is_refused(
    cpu: nexus.Device, compiler: Compiler, features: list[str], tmp_path: Path
) -> None:
    library = build(compiler, tmp_path, "-mxop")
    with pytest.raises(nexus.NexusError, match=f"a processor with .*{OLD}.*, which this one lacks"):
        cpu.load_library(library)


def test_a_program_is_compiled_for_a_processor_that_can_not_run_it_here(
    cpu: nexus.Device, features: list[str]
) -> None:
    code = nexus.Program(FILL).compile("cpu:bdver4")
    assert code.target == "bdver4"
    with pytest.raises(nexus.NexusError, match=f"a processor with .*{OLD}.*, which this one lacks"):
        cpu.load_library(code)
