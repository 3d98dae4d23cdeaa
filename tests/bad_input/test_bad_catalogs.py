# SPDX-License-Identifier: Apache-2.0
"""Kernel catalogs that are not, files that are not what their catalog says, and unknown names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from example_catalog import library_of, object_of, source_of, write_catalog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench import Case, Workbench, by_name, check_refused, refused

import nexus
from nexus import status
from nexus._catalog import _schema

INVALID = status.NXS_InvalidBinary


@pytest.fixture
def catalog(tmp_path: Path) -> nexus.Catalog:
    """A catalog with the library 'vector' 1.0.0."""
    return nexus.load_catalog(write_catalog(tmp_path))


@pytest.mark.parametrize(
    ("path", "error", "text"),
    [
        (None, TypeError, "path has to be a path"),
        (3, TypeError, "path has to be a path"),
        (b"catalog.json", TypeError, "path has to be a path"),
        ("", ValueError, "path is ''"),
        ("a\0b", ValueError, "path is 'a\\x00b'"),
        ("\ud800", ValueError, "path is '\\ud800'"),
        ("nowhere.json", FileNotFoundError, "nowhere.json"),
        ("/", ValueError, "path is '/', which is a folder"),
        ("/dev/zero", ValueError, "a pipe, a socket or a device"),
    ],
    ids=repr,
)
def test_what_is_no_path_is_refused(path: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        nexus.load_catalog(path)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "line 1"),
        (b"[]", "it is []; it has to be an object"),
        (b"\xff", "'utf-8' codec can't decode"),
        (b"{", "line 1"),
        (b'{"Name": "a", "Name": "b"}', "has the field 'Name' twice"),
        (b'{"Version": NaN}', "the number NaN is not finite"),
        (b'{"Version": 1e999}', "the number 1e999 is not finite"),
        (b'{"Version": 9223372036854775808}', "does not fit into 64 bits"),
        (b'{"Version": ' + b"9" * 5000 + b"}", "does not fit into 64 bits"),
        (b'{"Name": "\\ud800"}', "surrogates not allowed"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_no_json_is_refused(tmp_path: Path, data: bytes, text: str) -> None:
    path = tmp_path / "catalog.json"
    path.write_bytes(data)
    with pytest.raises(nexus.NexusError, match="is not a kernel catalog") as caught:
        nexus.load_catalog(path)
    assert text in str(caught.value)
    assert caught.value.status == INVALID


SHA = "0" * 64
SOURCE = {"Language": "c", "File": "a", "SHA256": SHA}
WRONG_FILES = ["", "/etc/passwd", "..", "../a", "a/../b", "a/..", "a\\b", "a\nb"]
WRONG_IN_A_LIBRARY: list[tuple[dict[str, Any], str]] = [
    ({"Kernels": [{}]}, "Kernels[0] lacks the field 'Name'"),
    ({"Kernels": [{"Name": "k", "GroupSize": []}]}, "Kernels[0].GroupSize is []"),
    ({"Kernels": [{"Name": "k", "GroupSize": [0]}]}, "Kernels[0].GroupSize[0] is 0"),
    ({"Kernels": [{"Name": "k", "GroupSize": [1] * 4}]}, "Kernels[0].GroupSize is"),
    ({"Kernels": [{"Name": "k", "LocalMemory": -1}]}, "Kernels[0].LocalMemory is -1"),
    ({"Kernels": [{"Name": "k", "Tuning": {"a": []}}]}, "Kernels[0].Tuning.a is []"),
    ({"Kernels": [{"Name": "k", "Arguments": [{"Name": "x", "Kind": "image"}]}]},
     "Kernels[0].Arguments[0].Kind is 'image'; it has to be one of"),
    ({"Objects": [{"Runtime": "cpu", "File": "a", "SHA256": SHA}]},
     "Objects[0] lacks the field 'Architecture'"),
    ({"Sources": [{**SOURCE, "SHA256": "0"}]}, "Sources[0].SHA256 is '0'; give the SHA-256"),
    *(({"Sources": [{**SOURCE, "File": file}]}, "Sources[0].File is") for file in WRONG_FILES),
    ({"Sources": [{**SOURCE, "Options": {"extra": {"cpu": ["-fplugin=x.so"]}}}]},
     "Sources[0].Options.extra is not a field of the schema"),
    ({"Sources": [{**SOURCE, "Options": {"optimization": 4}}]},
     "Sources[0].Options.optimization is 4"),
]  # fmt: skip
WRONG_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"CatalogVersion": 2}, "CatalogVersion is 2; this version of Nexus reads 1"),
    ({"CatalogVersion": True}, "CatalogVersion is True"),
    ({"Name": ""}, "Name is ''"),
    ({"Name": "a/b"}, "Name is 'a/b'; give a name of letters"),
    ({"Version": "1.0"}, "Version is '1.0'; give three numbers"),
    ({"License": ""}, "License is ''; it is empty"),
    ({"Libraries": {}}, "Libraries is {}; it has to be a list"),
    ({"Libraries": [3]}, "Libraries[0] is 3; it has to be an object"),
    ({"Libraries": [{"Name": "a"}]}, "Libraries[0] lacks the field 'Version'"),
    *(
        ({"Libraries": [{"Name": "a", "Version": "1.0.0", **fields}]}, f"Libraries[0].{text}")
        for fields, text in WRONG_IN_A_LIBRARY
    ),
]


@pytest.mark.parametrize(("fields", "text"), WRONG_FIELDS, ids=[text for _, text in WRONG_FIELDS])
def test_a_wrong_field_is_named(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    with pytest.raises(nexus.NexusError) as caught:
        nexus.load_catalog(write_catalog(tmp_path, **fields))
    assert text in str(caught.value)


def test_a_library_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nexus.NexusError, match=r"Libraries has 'vector' 1.0.0 twice"):
        nexus.load_catalog(write_catalog(tmp_path, library_of(), library_of()))


# ---- The files of a catalog ------------------------------------------------------------------


def check_file_refused(bench: Workbench, catalog: Path, *texts: str) -> None:
    """Loading the library is refused with these texts."""
    load: Callable[[Any], Any] = lambda b: b.device.load_library(catalog, "vector")  # noqa: E731
    check_refused(bench, refused("", load, nexus.NexusError, *texts))


def test_a_changed_file_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    source = source_of(tmp_path)
    (tmp_path / source["File"]).write_text("NEXUS_KERNEL(scale, (int, n)) {}")
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "'sources/vector.c'", source["SHA256"], "changed")


def test_a_file_of_another_size_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    source = source_of(tmp_path, FileSize=3)
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "'sources/vector.c' of ", "the catalog says 3")


def test_a_missing_file_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    source = source_of(tmp_path)
    (tmp_path / source["File"]).unlink()
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "sources/vector.c', and there is no such file")


def test_a_link_to_itself_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    source = source_of(tmp_path)
    path = tmp_path / source["File"]
    path.unlink()
    path.symlink_to(path)
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "sources/vector.c", "can't be read")


def test_a_link_out_of_the_folder_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    source = source_of(folder)
    path = folder / source["File"]
    path.rename(tmp_path / "elsewhere.c")
    path.symlink_to(tmp_path / "elsewhere.c")
    catalog = write_catalog(folder, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "'sources/vector.c'", "out of the catalog's folder")


def test_a_file_that_everyone_may_write_is_refused(cpu_bench: Workbench, tmp_path: Path) -> None:
    source = source_of(tmp_path)
    (tmp_path / source["File"]).chmod(0o666)
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    check_file_refused(cpu_bench, catalog, "sources/vector.c", "every user may write")


@pytest.mark.skipif(os.geteuid() != 0, reason="run as root: only root can give files away")
@pytest.mark.parametrize("whose", ["the catalog", "a file of it"])
def test_the_file_of_another_user_is_refused(
    cpu_bench: Workbench, tmp_path: Path, whose: str
) -> None:
    source = source_of(tmp_path)
    catalog = write_catalog(tmp_path, library_of(Sources=[source]))
    given_away = catalog if whose == "the catalog" else tmp_path / source["File"]
    os.chown(given_away, 54321, -1)
    check_file_refused(cpu_bench, catalog, given_away.name, "the user with the ID 54321")


def test_object_code_for_another_architecture_is_refused(
    cpu_bench: Workbench, kernel_file: Path, tmp_path: Path
) -> None:
    code = nexus.Program("NEXUS_KERNEL(scale, (int, n)) {}").compile(cpu_bench.device)
    code.save(tmp_path / "code.nexus")
    entry = object_of(tmp_path, (tmp_path / "code.nexus").read_bytes(), "another")
    catalog = write_catalog(tmp_path, library_of(Objects=[entry]))
    check_file_refused(cpu_bench, catalog, "object code for cpu:", "the catalog says cpu:another")


def test_without_a_build_for_the_device_all_are_named(cpu_bench: Workbench, tmp_path: Path) -> None:
    objects = [object_of(tmp_path, b"1", "sm_90", "cuda"), object_of(tmp_path, b"2", "x86-64-v9")]
    catalog = write_catalog(tmp_path, library_of(Objects=objects))
    check_file_refused(
        cpu_bench, catalog, "'cpu:0'", "cuda:sm_90, cpu:x86-64-v9", "Refused: cpu:x86-64-v9"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('#include "other.h"\n', 'includes "other.h"'),
        ('  #  include "../other.h"\n', 'includes "../other.h"'),
    ],
)
def test_a_source_of_several_files_is_refused(
    cpu_bench: Workbench, tmp_path: Path, text: str, reason: str
) -> None:
    catalog = write_catalog(tmp_path, library_of(Sources=[source_of(tmp_path, text)]))
    check_file_refused(cpu_bench, catalog, reason, "one file")


def test_a_source_with_an_error_names_its_place(cpu_bench: Workbench, tmp_path: Path) -> None:
    text = "NEXUS_KERNEL(scale, (int, n)) { oops }"
    catalog = write_catalog(tmp_path, library_of(Sources=[source_of(tmp_path, text)]))
    with pytest.raises(nexus.CompileError, match=r"sources/vector\.c:1:33: oops is not defined"):
        cpu_bench.device.load_library(catalog, "vector")


# ---- The parameters of load_library ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "version", "case"),
    [
        (None, None, refused("no name", len, TypeError, "name is missing", "vector")),
        (3, None, refused("an int", len, TypeError, "name has to be a str", "int (3)")),
        ("", None, refused("an empty name", len, ValueError, "name is ''")),
        ("vectr", None, refused("a near name", len, ValueError, "name is 'vectr'", "'vector'")),
        ("vector", 1, refused("a number", len, TypeError, "version has to be a str", "int (1)")),
        ("vector", "2.0.0", refused("no version", len, ValueError, "version is '2.0.0'", "1.0.0")),
    ],
    ids=lambda value: by_name(value) if isinstance(value, Case) else "",
)
def test_what_is_not_in_the_catalog_is_refused(
    cpu_bench: Workbench, catalog: nexus.Catalog, name: Any, version: Any, case: Case
) -> None:
    load: Callable[[Any], Any] = lambda b: b.device.load_library(catalog, name, version)  # noqa: E731
    check_refused(cpu_bench, refused(case.what, load, case.error, *case.texts))


@pytest.mark.parametrize("source", [None, 3, b"bytes", ["catalog.json"]], ids=repr)
def test_a_name_needs_a_catalog(cpu_bench: Workbench, source: Any) -> None:
    load: Callable[[Any], Any] = lambda b: b.device.load_library(source, "vector")  # noqa: E731
    check_refused(cpu_bench, refused("", load, TypeError, "source has to be a nexus.Catalog"))


def test_a_catalog_is_not_created() -> None:
    with pytest.raises(TypeError, match=r"use nexus.load_catalog"):
        nexus.Catalog("catalog.json")


# ---- The schema ------------------------------------------------------------------------------


def schema_accepts(tree: object) -> bool:
    """Whether jsonschema takes it."""
    jsonschema = pytest.importorskip("jsonschema", reason="pip install jsonschema")
    return bool(jsonschema.Draft202012Validator(_schema._schema()).is_valid(tree))


@pytest.mark.parametrize(("fields", "text"), WRONG_FIELDS, ids=[text for _, text in WRONG_FIELDS])
def test_the_schema_refuses_the_same(tmp_path: Path, fields: dict[str, Any], text: str) -> None:
    path = write_catalog(tmp_path, **fields)
    assert not schema_accepts(json.loads(path.read_text()))


EXAMPLE = _schema._schema()["examples"][0]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in a tree."""
    inner = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list)
        else ()
    )  # fmt: skip
    return [path, *(each for key, part in inner for each in paths(part, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a tree with another value at a path."""
    if not path:
        return new
    copy = list(value) if isinstance(value, list) else dict(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.text(max_size=4) | st.just(0.5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@settings(
    deadline=None,
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(path=st.sampled_from(paths(EXAMPLE)), value=VALUES)
def test_any_change_is_judged_as_by_the_schema(path: tuple[Any, ...], value: Any) -> None:
    tree = replaced(EXAMPLE, path, value)
    assert (_schema.problem(tree) == "") == schema_accepts(tree)
