# SPDX-License-Identifier: Apache-2.0
"""Keeps each case's outcome in a file as soon as it is known, so that a run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PASSED, FAILED, NOT_THERE = "passed", "failed", "not there"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case.

    Attributes:
        part, name: of the case.
        status: PASSED, FAILED or NOT_THERE.
        note: its sentence, or why it failed or was left out.
        seconds: how long it took.
        date: when it began, in UTC.
        gpu_after: the result of the check of the GPU's state; empty if there was none.
        gpu_works: whether that check passed.
        data: further data for the report, such as the rows of a table.
    """

    part: str
    name: str
    status: str
    note: str = ""
    seconds: float = 0.0
    date: str = ""
    gpu_after: str = ""
    gpu_works: bool = True
    data: dict[str, Any] = field(default_factory=dict)


class Store:
    """The outcomes in a folder, a file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / f"{key}.json"

    def has(self, key: str) -> bool:
        """Returns whether the case of that key is finished."""
        return self.get(key) is not None

    def get(self, key: str) -> Outcome | None:
        """Returns the outcome; None if there is none, or its file was cut short."""
        try:
            return Outcome(**json.loads(self._file(key).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keeps an outcome; the file appears whole or not at all."""
        partial = self._file(key).with_suffix(".partial")
        partial.write_text(json.dumps(asdict(outcome), indent=1) + "\n", encoding="utf-8")
        partial.replace(self._file(key))

    def forget(self, status: str) -> None:
        """Drops the outcomes of that status, so that the cases run again."""
        for key in [file.stem for file in self._folder.glob("*.json")]:
            outcome = self.get(key)
            if outcome is None or outcome.status == status:
                self._file(key).unlink()

    def __iter__(self) -> Iterator[Outcome]:
        for file in sorted(self._folder.glob("*.json")):
            outcome = self.get(file.stem)
            if outcome is not None:
                yield outcome
