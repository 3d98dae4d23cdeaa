# SPDX-License-Identifier: Apache-2.0
"""A vendor's nexus_conformance.toml."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

FILE_NAME = "nexus_conformance.toml"


@dataclass(frozen=True)
class ExpectedFailure:
    """A test that is expected to fail."""

    test: str
    reason: str
    run: bool = True  # False: not even tried, since it would end the process


@dataclass(frozen=True)
class Settings:
    """The content of a settings file."""

    path: Path | None = None
    kernels: Path | None = None  # the folder of prebuilt kernels
    failing_kernel: tuple[Path, str] | None = None  # a kernel that always fails: its file, name
    expected_failures: tuple[ExpectedFailure, ...] = ()
    max_bytes: int | None = None  # the most memory that a test may use; None: all
    wait_seconds: float = field(default=60.0)  # work that takes longer counts as hanging


def find(manifest: str, package: str) -> Path | None:
    """Returns the settings file beside a manifest or in a package; None if there is none."""
    folders = [Path(manifest).parent] if manifest else []
    spec = importlib.util.find_spec(package) if package else None
    folders += [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []
    for folder in folders:
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    return None


def read(path: Path) -> Settings:
    """Reads a settings file. Raises UsageError if it is invalid."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise pytest.UsageError(f"{path} can't be read: {error}.") from error
    return _Reader(path).settings(table)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path

    def settings(self, table: dict[str, Any]) -> Settings:
        self._only(table, "the file", ("kernels", "failing_kernel", "limits", "expected_failure"))
        limits = self._take(table, "limits", dict, {})
        self._only(limits, "[limits]", ("max_bytes", "wait_seconds"))
        kernels = self._take(table, "kernels", str, None)
        folder = None if kernels is None else self._folder(kernels)
        failing = self._take(table, "failing_kernel", str, None)
        return Settings(
            path=self._path,
            kernels=folder,
            failing_kernel=None if failing is None else self._kernel(failing, folder),
            expected_failures=tuple(
                self._expected_failure(each)
                for each in self._take(table, "expected_failure", list, [])
            ),
            max_bytes=self._positive(limits, "max_bytes", int, None),
            wait_seconds=self._positive(limits, "wait_seconds", (int, float), 60.0),
        )

    def _expected_failure(self, entry: Any) -> ExpectedFailure:
        where = "an [[expected_failure]]"
        if not isinstance(entry, dict):
            raise self._error("expected_failure has to be a list of tables: [[expected_failure]]")
        self._only(entry, where, ("test", "reason", "run"))
        texts = []
        for key in ("test", "reason"):
            text = self._take(entry, key, str, "")
            if not text.strip():
                of = f" of {entry['test']!r}" if key == "reason" else ""
                raise self._error(f'{where}{of} has no {key}; add {key} = "..."')
            texts.append(text.strip())
        return ExpectedFailure(texts[0], texts[1], run=self._take(entry, "run", bool, True))

    def _kernel(self, text: str, folder: Path | None) -> tuple[Path, str]:
        """Returns the file and name of "stem:name", from the kernels' or the settings' folder."""
        stem, _, name = text.partition(":")
        if not stem or not name:
            raise self._error(f'failing_kernel is {text!r}; it has to be "STEM:NAME"')
        where = folder or self._path.parent
        found = sorted(path for path in where.glob(f"{stem}.*") if path.is_file())
        if not found:
            raise self._error(f"failing_kernel is {text!r}, and {where} has no file {stem}.*")
        return found[0], name

    def _folder(self, text: str) -> Path:
        folder = self._path.parent / text
        if not folder.is_dir():
            raise self._error(f"kernels is {text!r}, and there is no folder {folder}")
        return folder

    def _only(self, table: dict[str, Any], where: str, keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                raise self._error(f"{where} has the key {key!r}; known are {', '.join(keys)}")

    def _take(self, table: dict[str, Any], key: str, kind: Any, default: Any) -> Any:
        value = table.get(key, default)
        if key in table and (not isinstance(value, kind) or (kind is int and value is True)):
            name = kind.__name__ if isinstance(kind, type) else "number"
            raise self._error(f"{key} is {value!r}; it has to be a {name}")
        return value

    def _positive(self, table: dict[str, Any], key: str, kind: Any, default: Any) -> Any:
        value = self._take(table, key, kind, default)
        if value is not None and value <= 0:
            raise self._error(f"{key} is {value!r}; it has to be above 0")
        return value

    def _error(self, sentence: str) -> pytest.UsageError:
        return pytest.UsageError(f"{self._path}: {sentence}.")
