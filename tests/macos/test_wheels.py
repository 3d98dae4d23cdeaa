# SPDX-License-Identifier: Apache-2.0
"""The wheels for macOS that zig links on Linux: their files, as macOS and pip will see them."""

from __future__ import annotations

import email
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lief
import pytest
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
PLATFORM = "macosx_13_0_arm64"
BACKENDS = ["cpu", "metal"]
SYSTEM = "/usr/lib/libSystem.B.dylib"
OF_THE_LINKER = {"__mh_dylib_header", "___dso_handle"}  # zig exports these of each library

LIBRARIES = {  # what each exports; Mach-O puts an underscore before C's names
    "nexus/lib/libnexus.dylib": "_nexus_",
    f"nexus/_core.{PYTHON.replace('cp', 'cpython-')}-darwin.so": "_PyInit__",
    "nexus_cpu/libnexus_cpu.so": "_nxsQueryPlugin",
    "nexus_cpu/libnexus_cpu_barrier.so": "__cpu_barrier",
    "nexus_cpu/libnexus_cpu_demo_kernels.so": "_nexus_cpu_",
    "nexus_metal/libnexus_metal.so": "_nxsQueryPlugin",
}
EXTENSION = next(name for name in LIBRARIES if "_core" in name)
LOADED = {EXTENSION: {SYSTEM, "@rpath/libnexus.dylib"}}
PATHS = {EXTENSION: ["@loader_path/lib"], "nexus/lib/libnexus.dylib": ["@loader_path"]}

# Symbols of the static libc++ that zig binds by name to whichever library has them, the system's
# libc++ among them: their layout belongs to libc++'s stable ABI. No other may come to these.
SHARED_WITH_THE_SYSTEM = (
    "__ZTTNSt3__114basic_ifstream",
    "__ZTVNSt3__114basic_ifstream",
    "__ZTTNSt3__114basic_ofstream",
    "__ZTVNSt3__114basic_ofstream",
    "__ZNSt3__112basic_stringI",
)


def _wheel(wheels: Path, name: str) -> Path:
    tag = PYTHON if name == "core" else "py3"
    (wheel,) = wheels.glob(f"nexus_{name}-*-{tag}-*.whl")
    return wheel


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest, wheels: Path, tmp_path: Path) -> tuple[str, Any]:
    """A library's path in its wheel, and what LIEF reads of it."""
    path = str(request.param)
    package = path.partition("/")[0].removeprefix("nexus_").replace("nexus", "core")
    with zipfile.ZipFile(_wheel(wheels, package)) as archive:
        found = lief.MachO.parse(archive.extract(path, tmp_path))
    assert found is not None
    assert len(found) == 1  # no other processor's code beside it
    return path, found[0]


def _bindings(binary: Any) -> Iterator[tuple[str, str, str]]:
    """Yields each imported name with the library that has it, and how it is bound."""
    for each in binary.dyld_info.bindings:
        if each.has_symbol:
            owner = each.library.name if each.has_library else ""
            yield each.symbol.name, owner, each.binding_class.name


@pytest.mark.parametrize("name", ["core", *BACKENDS])
def test_a_wheel_is_for_macos_13_on_apples_processors(wheels: Path, name: str) -> None:
    wheel = _wheel(wheels, name)
    (tag,) = parse_wheel_filename(wheel.name)[3]
    assert tag.platform == PLATFORM
    assert (tag.interpreter, tag.abi) == ((PYTHON, PYTHON) if name == "core" else ("py3", "none"))
    with zipfile.ZipFile(wheel) as archive:
        (written,) = (each for each in archive.namelist() if each.endswith(".dist-info/WHEEL"))
        assert f"Tag: {tag}" in archive.read(written).decode().splitlines()


@pytest.mark.parametrize("name", ["core", *BACKENDS])
def test_each_library_of_a_wheel_is_checked_here(wheels: Path, name: str) -> None:
    with zipfile.ZipFile(_wheel(wheels, name)) as archive:
        held = {each for each in archive.namelist() if each.endswith((".so", ".dylib"))}
    package = "nexus/" if name == "core" else f"nexus_{name}/"
    assert held == {each for each in LIBRARIES if each.startswith(package)}


def test_a_library_needs_macos_13_and_no_newer_one(library: tuple[str, Any]) -> None:
    _, binary = library
    assert binary.header.cpu_type == lief.MachO.Header.CPU_TYPE.ARM64
    assert binary.header.file_type == lief.MachO.Header.FILE_TYPE.DYLIB
    assert binary.build_version.platform == lief.MachO.BuildVersion.PLATFORMS.MACOS
    assert list(binary.build_version.minos)[:2] == [13, 0]


def test_a_library_is_signed_as_apples_processors_require(library: tuple[str, Any]) -> None:
    path, binary = library
    assert binary.has_code_signature
    signature = binary.code_signature
    assert signature.data_offset + signature.data_size == binary.original_size, path  # unstripped


def test_a_library_loads_the_system_and_libnexus_only(library: tuple[str, Any]) -> None:
    path, binary = library
    own = [command.name for command in binary.commands
           if command.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB]  # fmt: skip
    assert own == [f"@rpath/{Path(path).name}"]
    assert {each.name for each in binary.libraries} - set(own) == LOADED.get(path, {SYSTEM})
    assert [each.path for each in binary.rpaths] == PATHS.get(path, [])


def test_a_library_exports_its_own_c_names_only(library: tuple[str, Any]) -> None:
    path, binary = library
    exported = {each.symbol.name for each in binary.dyld_info.exports} - OF_THE_LINKER
    assert exported
    assert {name for name in exported if not name.startswith(LIBRARIES[path])} == set()


def test_a_library_leaves_the_interpreters_names_open_and_no_other(
    library: tuple[str, Any],
) -> None:
    path, binary = library
    strange = {
        name
        for name, owner, kind in _bindings(binary)
        if not owner and kind != "WEAK" and not name.startswith(("_Py", "__Py"))
    }
    assert strange == set()
    if path != EXTENSION:
        assert not any(name.startswith(("_Py", "__Py")) for name, _, _ in _bindings(binary))


def test_a_library_shares_no_allocation_function_with_the_system(library: tuple[str, Any]) -> None:
    _, binary = library
    shared = {name for name, _, kind in _bindings(binary) if kind == "WEAK"}
    of_cpp = {name for name in shared if "St" in name or name.startswith(("__Zn", "__Zd"))}
    assert {name for name in of_cpp if not name.startswith(SHARED_WITH_THE_SYSTEM)} == set()


def test_a_library_tells_nothing_of_the_machine_that_built_it(
    library: tuple[str, Any], tmp_path: Path
) -> None:
    path, _ = library
    content = (tmp_path / path).read_bytes()
    assert str(Path(__file__).resolve().parents[2]).encode() not in content


@pytest.mark.parametrize("name", BACKENDS)
def test_a_manifest_names_the_library_beside_it(wheels: Path, name: str) -> None:
    with zipfile.ZipFile(_wheel(wheels, name)) as archive:
        manifest = json.loads(archive.read(f"nexus_{name}/nxs_plugin.json"))
        assert f"nexus_{name}/{manifest['library']}" in archive.namelist()


@pytest.mark.parametrize(
    ("package", "system", "needed"),
    [
        ("nexus_core", "darwin", {"nexus-metal"}),
        ("nexus_core", "linux", set()),
        ("nexus", "darwin", {"nexus-core[metal]"}),
    ],
)
def test_the_extra_for_metal_needs_the_backend_on_macos(
    wheels: Path, package: str, system: str, needed: set[str]
) -> None:
    (wheel,) = wheels.glob(f"{package}-*-{PYTHON if package == 'nexus_core' else 'py3'}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (written,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(written))
    requirements = map(Requirement, metadata.get_all("Requires-Dist") or ())
    place = {"sys_platform": system, "extra": "metal"}
    without = place | {"extra": ""}
    chosen = [each for each in requirements if each.marker and each.marker.evaluate(place)
              and not each.marker.evaluate(without)]  # fmt: skip
    found = {each.name + (f"[{','.join(each.extras)}]" if each.extras else "") for each in chosen}
    assert found == needed


def _download(wheels: Path, folder: Path, platform: str) -> subprocess.CompletedProcess[str]:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return subprocess.run(
        [sys.executable, "-m", "pip", "download", "--no-index", "--no-deps", "--find-links",
         str(wheels), "--only-binary", ":all:", "--platform", platform, "--python-version", version,
         "-d", str(folder), "nexus-core", *(f"nexus-{name}" for name in BACKENDS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("platform", [PLATFORM, "macosx_26_0_arm64"])
def test_pip_takes_the_wheels_on_a_mac(wheels: Path, tmp_path: Path, platform: str) -> None:
    done = _download(wheels, tmp_path, platform)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob(f"*-{PLATFORM}.whl"))) == 1 + len(BACKENDS)


@pytest.mark.parametrize("platform", ["macosx_12_0_arm64", "macosx_13_0_x86_64"])
def test_pip_refuses_them_on_an_older_system_and_on_intels_processors(
    wheels: Path, tmp_path: Path, platform: str
) -> None:
    done = _download(wheels, tmp_path, platform)
    assert done.returncode != 0
    assert "No matching distribution found for nexus-core" in done.stderr
