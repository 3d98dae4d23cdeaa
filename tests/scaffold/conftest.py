# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of `nexus new-backend`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nexus.cli import main

NewBackend = Callable[..., tuple[int, str, str]]


@pytest.fixture
def new_backend(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> NewBackend:
    """`nexus new-backend` with some words, in tmp_path: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        status = main(["new-backend", *words])
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


@pytest.fixture(params=["host", "driver"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of the project."""
    return str(request.param)


@pytest.fixture
def project(new_backend: NewBackend, kind: str, tmp_path: Path) -> Path:
    """The project of a backend `acme` of the vendor Acme Corp."""
    assert new_backend("acme", "--vendor", "Acme Corp.", "--kind", kind)[0] == os.EX_OK
    return tmp_path / "nexus-acme"
