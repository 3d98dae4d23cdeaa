# SPDX-License-Identifier: Apache-2.0
"""A manifest that can't be used says which file and which field."""

from __future__ import annotations

from pathlib import Path

import pytest
from native import Install, MakePlugin, write_manifest
from system import System

WRONG_FIELDS: list[tuple[dict[str, object], str]] = [
    ({"manifest_version": None}, 'lacks the field "manifest_version"; write "manifest_version": 1'),
    ({"manifest_version": 2},
     'has "manifest_version": 2, and this nexus-core reads 1; update nexus-core or the plug-in'),
    ({"manifest_version": "1"}, 'has a string as "manifest_version", which must be an integer'),
    ({"name": None}, 'lacks the field "name"'),
    ({"name": ""}, 'has an empty "name"'),
    ({"name": 7}, 'has an integer as "name", which must be a string'),
    (
        {"name": "cuda:0"},
        'has "name": "cuda:0"; a name is a lower-case letter and then lower-case letters, '
        "digits, '_' or '-'",
    ),
    ({"library": None}, 'lacks the field "library"'),
    ({"library": ["a"]}, 'has a list as "library", which must be a string'),
    ({"version": 1.5}, 'has a number as "version", which must be a string'),
    ({"devices": {}}, 'has an object as "devices", which must be a string'),
    ({"abi": None}, 'lacks the object "abi"; write "abi": {"min": "1.0", "max": "1.0"}'),
    ({"abi": {"min": "1.0"}}, 'lacks the field "max"'),
    ({"abi": {"min": "1", "max": "1.0"}},
     'has "min": "1" in "abi"; a version is two numbers and a point, such as "1.0"'),
    ({"abi": {"min": "1.0", "max": "1.0.2"}},
     'has "max": "1.0.2" in "abi"; a version is two numbers and a point, such as "1.0"'),
    ({"abi": {"min": "1.3", "max": "1.2"}}, 'has an "abi" whose "max" 1.2 is below its "min" 1.3'),
]  # fmt: skip


def reason_of(system: System, manifest: Path) -> str:
    """The reason of the one record, which failed."""
    system.add(manifest)
    (record,) = system.report().backends
    assert record["state"] == "FAIL"
    return record["reason"]


@pytest.mark.parametrize(("changes", "reason"), WRONG_FIELDS, ids=[r for _, r in WRONG_FIELDS])
def test_a_wrong_field_is_named(
    system: System, tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    manifest = write_manifest(tmp_path, "acme", "libacme.so", **changes)
    assert reason_of(system, manifest) == f"The manifest '{manifest}' {reason}."


WRONG_TEXTS = [
    (b"", "is not JSON: line 1, column 1: the text ends where a value is expected"),
    (b"[1]", "holds a list, not an object"),
    (b'{"name": "a",\n "name": "b"}',
     'is not JSON: line 2, column 2: the name "name" appears twice'),
    (b'{"name": "\xff"}',
     "is not JSON: line 1, column 11: this is not UTF-8; save the text as UTF-8"),
    (b" " * (2 << 20), "is larger than 1 MiB, which no manifest is"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason"), WRONG_TEXTS, ids=[r for _, r in WRONG_TEXTS])
def test_a_text_that_is_no_manifest_is_refused(
    system: System, tmp_path: Path, text: bytes, reason: str
) -> None:
    manifest = tmp_path / "nxs_plugin.json"
    manifest.write_bytes(text)
    assert reason_of(system, manifest) == f"The manifest '{manifest}' {reason}."


def test_a_manifest_that_is_not_there_is_named(system: System, tmp_path: Path) -> None:
    manifest = tmp_path / "nxs_plugin.json"
    assert reason_of(system, manifest) == (
        f"The manifest '{manifest}' can't be read: no such file, or no permission."
    )


def test_a_folder_is_no_manifest(system: System, tmp_path: Path) -> None:
    assert reason_of(system, tmp_path) == (
        f"The manifest '{tmp_path}' is a folder; give the path of the file."
    )


@pytest.mark.parametrize("distribution", ["nexus-acme", "nexus_acme"])
def test_an_unreadable_manifest_is_called_after_its_distribution(
    system: System, tmp_path: Path, distribution: str
) -> None:
    system.add(tmp_path / "nxs_plugin.json", distribution)
    (record,) = system.report().backends
    assert record["name"] == "acme"


def test_unknown_fields_are_passed_over(system: System, install: Install) -> None:
    install("acme", later={"any": [1, 2]})
    assert system.report()["acme"]["state"] == "PASS"


def test_paths_are_relative_to_the_manifest(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = tmp_path / "lib" / "libacme.so"
    library.parent.mkdir()
    library.write_bytes(build_plugin("plain.c", '-DNAME="acme"').read_bytes())
    system.add(write_manifest(tmp_path / "share", "acme", "../lib/libacme.so"))
    assert system.report()["acme"]["state"] == "PASS"


def test_an_empty_path_is_an_error(system: System) -> None:
    result = system.call("add_manifest", "")
    assert result["status"] == "NXS_InvalidValue"
    assert result["text"] == "path is empty; give the path of a manifest."


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("add_not_utf8", "path is not UTF-8; give text in that encoding."),
        (
            "add_null",
            "path has a NULL pointer and a size of 5 bytes; give the text, or a size of 0.",
        ),
        ("find_into_null", "out_runtime is NULL; give a pointer to valid memory."),
    ],
)
def test_what_is_no_argument_is_named(system: System, call: str, text: str) -> None:
    result = system.call(call)
    assert result["status"] == "NXS_InvalidValue"
    assert result["text"] == text
