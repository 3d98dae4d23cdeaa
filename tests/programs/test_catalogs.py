# SPDX-License-Identifier: Apache-2.0
"""Kernel catalogs: which build of a library a device gets, and what it says about itself."""

from __future__ import annotations

import pickle
import platform
import re
import sys
from pathlib import Path

import example_catalog
import pytest
from example_catalog import SCALE, elf, library_of, object_of, source_of, write_catalog

import nexus
from nexus._catalog import _architecture

# The architecture of code that each processor of this machine's kind runs.
FAMILY = "x86-64" if platform.machine() in ("x86_64", "AMD64") else "aarch64"


@pytest.fixture(scope="session")
def code(cpu: nexus.Device) -> nexus.ObjectCode:
    """The library that the catalogs have, compiled for this processor."""
    return nexus.Program(SCALE, name="vector.c").compile(cpu)


@pytest.fixture(scope="session")
def code_file(code: nexus.ObjectCode, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The same as a file of ObjectCode.save."""
    path = tmp_path_factory.mktemp("code") / "vector.nexus"
    code.save(path)
    return path.read_bytes()


def match_of(cpu: nexus.Device, catalog: Path) -> str:
    """Loads the library, and returns why that build of it was taken."""
    return cpu.load_library(catalog, "vector").get_info().get_str("Match")


def test_a_source_is_compiled_and_runs(cpu: nexus.Device, tmp_path: Path) -> None:
    catalog = nexus.load_catalog(write_catalog(tmp_path))
    kernel = cpu.load_library(catalog, "vector").get_kernel("scale")
    x = nexus.ones(5, device=cpu)
    kernel(x, 3.0, 5, grid=5)
    assert x.numpy().tolist() == [3, 3, 3, 3, 3]


def test_the_object_for_the_devices_architecture_comes_first(
    cpu: nexus.Device, code: nexus.ObjectCode, code_file: bytes, tmp_path: Path
) -> None:
    objects = [
        object_of(tmp_path, code.code, FAMILY),
        object_of(tmp_path, code_file, cpu.architecture),
    ]
    catalog = write_catalog(tmp_path, library_of(Objects=objects, Sources=[source_of(tmp_path)]))
    assert match_of(cpu, catalog) == "architecture"


def test_an_object_that_the_device_takes_comes_before_the_source(
    cpu: nexus.Device, code: nexus.ObjectCode, tmp_path: Path
) -> None:
    objects = [object_of(tmp_path, code.code, FAMILY)]
    catalog = write_catalog(tmp_path, library_of(Objects=objects, Sources=[source_of(tmp_path)]))
    assert match_of(cpu, catalog) == "family"


@pytest.mark.parametrize("architecture", ["x86-64-v9", "neoverse-n9", "sm_90", "another"])
def test_bare_code_is_not_tried_for_another_architecture(
    cpu: nexus.Device, tmp_path: Path, architecture: str
) -> None:
    objects = [object_of(tmp_path, b"code", architecture)]
    catalog = write_catalog(tmp_path, library_of(Objects=objects))
    with pytest.raises(
        nexus.NexusError, match=rf"not object code of Nexus, and has to be for .*{FAMILY}"
    ):
        cpu.load_library(catalog, "vector")


@pytest.mark.parametrize(
    ("has", "architecture", "fits"),
    [
        (86, "sm_80", True), (86, "sm_86", True), (86, "sm_89", False), (90, "sm_86", False),
        (90, "sm_90a", True), (103, "sm_100a", False), (103, "sm_100f", True),
        (90, "compute_80", True), (80, "compute_90", False), (103, "compute_100f", True),
        (120, "compute_100f", False), (90, "fatbin", False),
    ],
)  # fmt: skip
def test_a_gpu_runs_bare_code_for_its_capability(has: int, architecture: str, fits: bool) -> None:
    assert _architecture._gpu_fits(has, architecture) == fits


def test_the_source_replaces_objects_that_the_device_refuses(
    cpu: nexus.Device, tmp_path: Path
) -> None:
    objects = [
        object_of(tmp_path, b"code of another machine", cpu.architecture),
        object_of(tmp_path, b"code for a GPU", "sm_90", "cuda"),
    ]
    catalog = write_catalog(tmp_path, library_of(Objects=objects, Sources=[source_of(tmp_path)]))
    assert match_of(cpu, catalog) == "source"


def test_a_source_for_other_backends_is_left_out(cpu: nexus.Device, tmp_path: Path) -> None:
    sources = [source_of(tmp_path, Runtimes=["cuda"])]
    catalog = write_catalog(tmp_path, library_of(Sources=sources))
    with pytest.raises(
        nexus.NexusError, match=r"no build of 'vector' 1.0.0 for the device 'cpu:0'"
    ):
        cpu.load_library(catalog, "vector")


def test_a_source_has_its_options(cpu: nexus.Device, tmp_path: Path) -> None:
    text = SCALE.replace("*= a", "*= FACTOR")
    sources = [source_of(tmp_path, text, Options={"defines": {"FACTOR": 4}, "fast_math": True})]
    catalog = write_catalog(tmp_path, library_of(Sources=sources))
    x = nexus.ones(1, device=cpu)
    cpu.load_library(catalog, "vector").get_kernel("scale")(x, 1.0, 1, grid=1)
    assert x.numpy().tolist() == [4]


def test_a_missing_compiler_is_a_reason(
    cpu: nexus.Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = write_catalog(tmp_path, library_of(Sources=[source_of(tmp_path, SCALE + "\n")]))
    monkeypatch.setenv("NEXUS_CPU_CC", str(tmp_path / "nowhere"))
    with pytest.raises(nexus.NexusError, match=r"Refused: source in nexus: .*nowhere"):
        cpu.load_library(catalog, "vector")


@pytest.mark.parametrize(("version", "loaded"), [(None, "1.10.0"), ("1.9.0", "1.9.0")])
def test_the_newest_version_is_loaded_unless_another_is_named(
    cpu: nexus.Device, tmp_path: Path, version: str | None, loaded: str
) -> None:
    sources = [source_of(tmp_path)]
    libraries = [library_of(each, Sources=sources) for each in ("1.9.0", "1.10.0", "1.2.0")]
    catalog = nexus.load_catalog(write_catalog(tmp_path, *libraries))
    assert cpu.load_library(catalog, "vector", version).get_info()["Version"] == loaded


def test_the_library_says_what_the_catalog_does(cpu: nexus.Device, tmp_path: Path) -> None:
    library = library_of(Description="One kernel.", Sources=[source_of(tmp_path)])
    catalog = write_catalog(tmp_path, library)
    info = cpu.load_library(catalog, "vector").get_info().to_dict()
    assert info["Catalog"] == {"Name": "example", "Version": "1.0.0", "Path": str(catalog)}
    assert (info["Name"], info["Description"], info["License"], info["Build"]["File"]) == (
        "vector", "One kernel.", "Apache-2.0", "sources/vector.c",
    )  # fmt: skip


def test_a_kernel_has_the_values_of_its_build(cpu: nexus.Device, tmp_path: Path) -> None:
    source = source_of(
        tmp_path, Kernels=[{"Name": "scale", "GroupSize": [64], "Tuning": {"unroll": 8}}]
    )
    kernels = [{"Name": "scale", "GroupSize": [256], "Tuning": {"unroll": 4, "tile": 16}}]
    catalog = write_catalog(tmp_path, library_of(Kernels=kernels, Sources=[source]))
    info = cpu.load_library(catalog, "vector").get_kernel("scale").get_info()
    assert info.get_int_vec("GroupSize") == [64]
    assert info["Tuning"] == {"unroll": 8, "tile": 16}


def test_a_kernel_keeps_its_info_when_its_library_is_closed(
    cpu: nexus.Device, tmp_path: Path
) -> None:
    library = cpu.load_library(write_catalog(tmp_path), "vector")
    kernel = library.get_kernel("scale")
    library.close()
    assert kernel.get_info()["Name"] == "scale"


def test_a_library_from_elsewhere_has_no_info(cpu: nexus.Device, code: nexus.ObjectCode) -> None:
    library = cpu.load_library(code)
    assert library.get_info().to_dict() == {}
    assert library.get_kernel("scale").get_info().to_dict() == {}


def test_the_source_of_an_info_is_the_library(cpu: nexus.Device, tmp_path: Path) -> None:
    info = cpu.load_library(write_catalog(tmp_path), "vector").get_info()
    assert info.source("Name").kind == "library"


def test_a_catalog_lists_its_libraries(tmp_path: Path) -> None:
    library = library_of(
        Objects=[object_of(tmp_path, b"", "sm_90", "cuda")], Sources=[source_of(tmp_path)]
    )
    (listed,) = nexus.load_catalog(write_catalog(tmp_path, library)).libraries
    assert listed == nexus.CatalogLibrary(
        "vector", "1.0.0", "", "Apache-2.0", ("scale",), ("cuda:sm_90",), ("nexus",)
    )


def test_a_catalog_can_be_pickled(cpu: nexus.Device, tmp_path: Path) -> None:
    catalog = pickle.loads(pickle.dumps(nexus.load_catalog(write_catalog(tmp_path))))
    assert cpu.load_library(catalog, "vector").get_info()["Name"] == "vector"


def test_a_whole_catalog_has_no_problems(
    cpu: nexus.Device, code_file: bytes, tmp_path: Path
) -> None:
    library = library_of(
        Objects=[object_of(tmp_path, code_file, cpu.architecture)], Sources=[source_of(tmp_path)]
    )
    assert nexus.load_catalog(write_catalog(tmp_path, library)).verify() == []


@pytest.mark.parametrize(
    ("data", "target", "found"),
    [
        (elf(62), "cpu:x86-64-v3", ""),
        (elf(62), "cpu:znver4", ""),
        (elf(62), "cpu:aarch64", "cpu:x86-64"),
        (elf(62), "cpu:another", "cpu:x86-64"),
        (elf(62), "cuda:sm_90", "cpu:x86-64"),
        (elf(183), "cpu:neoverse-n1", ""),
        (elf(183), "cpu:x86-64", "cpu:aarch64"),
        (elf(190, 90), "cuda:sm_90a", ""),
        (elf(190, 80), "cuda:sm_90", "cuda:sm_80"),
        (elf(190, 100 << 8, 8), "cuda:sm_90", "cuda:sm_100"),
        (b"// made\n.version 8.0\n.target sm_80\n", "cuda:compute_80", ""),
        (b"/* made */ .version 8.0\n.target sm_80\n", "cuda:sm_80", "cuda:compute_80"),
    ],
)
def test_code_that_tells_its_architecture_is_compared(
    tmp_path: Path, data: bytes, target: str, found: str
) -> None:
    runtime, _, architecture = target.partition(":")
    library = library_of(Objects=[object_of(tmp_path, data, architecture, runtime)])
    problems = nexus.load_catalog(write_catalog(tmp_path, library)).verify()
    assert bool(problems) == bool(found)
    assert all(f"object code for {found}, and the catalog" in each for each in problems)


def test_each_wrong_file_is_a_problem(tmp_path: Path) -> None:
    changed = object_of(tmp_path, b"1", "sm_90", "cuda")
    missing = object_of(tmp_path, b"2", "gfx90a", "hip")
    (tmp_path / changed["File"]).write_bytes(b"3")
    (tmp_path / missing["File"]).unlink()
    library = library_of(Objects=[changed, missing], Sources=[source_of(tmp_path)])
    problems = nexus.load_catalog(write_catalog(tmp_path, library)).verify()
    assert [problem.partition(": ")[0] for problem in problems] == [
        "'vector' 1.0.0, cuda:sm_90",
        "'vector' 1.0.0, hip:gfx90a",
    ]


# ---- Finding them ----------------------------------------------------------------------------


def install(site: Path, name: str, *, entry: str = "") -> Path:
    """Makes a distribution of that name with an entry point; returns its package's folder."""
    package = site / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('a catalog needs no import')")
    metadata = site / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[nexus.catalogs]\nmine = {entry or name}\n")
    return package


def test_a_loaded_catalog_is_listed(tmp_path: Path) -> None:
    catalog = nexus.load_catalog(write_catalog(tmp_path))
    assert catalog in nexus.get_catalogs()


def test_a_packages_catalog_is_found_without_importing_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install(tmp_path, "acme_kernels")
    path = write_catalog(package, Name="acme")
    monkeypatch.syspath_prepend(tmp_path)
    assert str(path) in [catalog.path for catalog in nexus.get_catalogs()]
    assert "acme_kernels" not in sys.modules


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("acme_missing", f"{example_catalog.FILE}', and there is no such file"),
        ("no_such_package", "there is no package 'no_such_package'"),
        ("no_such.package", "No module named 'no_such'"),
        ("acme_missing:catalog", "'acme_missing:catalog'"),
    ],
)
def test_a_package_without_a_catalog_is_a_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    entry: str,
    reason: str,
) -> None:
    install(tmp_path, "acme_missing", entry=entry)
    monkeypatch.syspath_prepend(tmp_path)
    nexus.get_catalogs()
    (message,) = caplog.messages
    assert re.search(reason, message)
