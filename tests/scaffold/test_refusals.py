# SPDX-License-Identifier: Apache-2.0
"""`nexus new-backend` refuses bad input with an error that says why, and writes nothing."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from nexus._discovery import _hooks
from nexus.cli import _new_backend

NewBackend = Callable[..., tuple[int, str, str]]
MISUSE = 2


@pytest.mark.parametrize(
    "name",
    ["", "Acme", "1acme", "ac-me", "ac me", "my_chip", "../acme", "acmé", "a" * 33, "acme\n"],
)
def test_a_name_that_is_no_identifier_in_lower_case(
    new_backend: NewBackend, tmp_path: Path, name: str
) -> None:
    status, told, error = new_backend(name, "--folder", "made")
    assert (status, told) == (MISUSE, "")
    assert error.startswith(f"nexus new-backend: NAME is {name!r}; a backend's name here is")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cpu", "cuda", "hip", "metal", "opencl", "reference"])
def test_the_name_of_a_backend_that_there_is(new_backend: NewBackend, name: str) -> None:
    status, _, error = new_backend(name)
    assert status == MISUSE
    assert error == (
        f"nexus new-backend: NAME is {name!r}, a backend that there is already; take another.\n"
    )


@pytest.mark.parametrize("name", ["class", "lambda", "namespace", "int"])
def test_a_word_of_python_or_cpp(new_backend: NewBackend, name: str) -> None:
    assert new_backend(name)[2] == (
        f"nexus new-backend: NAME is {name!r}, a word of Python or C++; take another.\n"
    )


@pytest.mark.parametrize("name", ["core", "plugin", "kernel"])
def test_a_name_that_nexus_uses_itself(new_backend: NewBackend, name: str) -> None:
    assert f"which Nexus uses itself (nexus-{name})" in new_backend(name)[2]


def test_the_name_of_an_installed_backend(
    new_backend: NewBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = EntryPoint("acme", "nexus_acme", _hooks.GROUP)
    monkeypatch.setattr(_new_backend, "entry_points", lambda group: [installed])
    status, _, error = new_backend("acme")
    assert status == MISUSE
    assert "NAME is 'acme', a backend that is installed here (nexus_acme)" in error


def test_a_folder_that_is_there_is_left_as_it_is(new_backend: NewBackend, tmp_path: Path) -> None:
    kept = tmp_path / "nexus-acme" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    status, _, error = new_backend("acme")
    assert status == MISUSE
    assert error == (
        "nexus new-backend: nexus-acme already exists; choose another with --folder.\n"
    )
    assert [path.name for path in kept.parent.iterdir()] == ["notes.txt"]


def test_a_link_to_nowhere_is_there_too(new_backend: NewBackend, tmp_path: Path) -> None:
    (tmp_path / "nexus-acme").symlink_to(tmp_path / "nowhere")
    assert "already exists" in new_backend("acme")[2]


@pytest.mark.parametrize("vendor", ["", 'A"b', "A\nB", "-x", "A" * 64, "Ac/me"])
def test_a_vendor_that_is_no_name(new_backend: NewBackend, vendor: str) -> None:
    status, _, error = new_backend("acme", f"--vendor={vendor}")
    assert status == MISUSE
    assert error.startswith(f"nexus new-backend: --vendor is {vendor!r}; it takes")


@pytest.mark.parametrize("description", ["", " ", "two\nlines", "a\x00b"])
def test_a_description_that_is_no_line(new_backend: NewBackend, description: str) -> None:
    error = new_backend("acme", f"--description={description}")[2]
    assert error == (
        f"nexus new-backend: --description is {description!r}; it takes one line of text.\n"
    )


def test_a_description_that_is_long(new_backend: NewBackend) -> None:
    error = new_backend("acme", "--description", "a" * 201)[2]
    assert error == "nexus new-backend: --description has 201 letters; at most 200 are allowed.\n"


def test_a_kind_that_there_is_not(
    new_backend: NewBackend, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terminal = io.StringIO("card\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    status, _, error = new_backend("acme")
    assert (status, list(tmp_path.iterdir())) == (MISUSE, [])
    assert error == "nexus new-backend: the kind is 'card'; there are host and driver.\n"


def test_a_place_where_nothing_can_be_written(new_backend: NewBackend, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, _, error = new_backend("acme", "--folder", "file/nexus-acme")
    assert status == 1
    assert error.startswith("nexus new-backend: file/nexus-acme could not be written: ")
