# SPDX-License-Identifier: Apache-2.0
"""Runs one case in a process that is ended for certain; returns its outcome."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ended_child import Ended, run_ended
from gpu_cases import Case
from outcomes import FAILED, PASSED, Outcome
from versions import now

HERE = Path(__file__).resolve().parent
CheckState = Callable[[Path], "tuple[bool, str]"]


def run_case(case: Case, device: str, work: Path, check_state: CheckState | None) -> Outcome:
    """Runs the case.

    Args:
        work: the folder for logs/, files/ and the case's result.
        check_state: checks the GPU afterwards and writes to a log; None for no check.
    """
    for name in ("logs", "files"):
        (work / name).mkdir(parents=True, exist_ok=True)
    result = work / f"{case.key}.result"
    result.unlink(missing_ok=True)
    date = now()
    ended = run_ended(
        [sys.executable, str(HERE / "run_case.py"), case.module, case.name, device,
         str(work / "files"), str(result)],
        work / "logs" / f"{case.key}.log",
        case.limit,
        enough=result.exists if case.ended else lambda: False,
        environment=os.environ | {"NEXUS_GPU_DEVICE": device, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    status, note, data = _told(case, ended, result)
    result.unlink(missing_ok=True)
    works, gpu_after = True, ""
    if check_state:
        works, gpu_after = check_state(work / "logs" / f"{case.key}.state.log")
        if not works:
            status, note = FAILED, f"the GPU {gpu_after}; before that: {status}: {note}"
    return Outcome(case.part, case.name, status, note, ended.seconds, date, gpu_after, works, data)


def _told(case: Case, ended: Ended, result: Path) -> tuple[str, str, dict[str, Any]]:
    """Returns the case's own outcome, or a failure if its process crashed or did not end."""
    try:
        told = json.loads(result.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return FAILED, f"it {ended.in_words} and told no result: {ended.last_words}", {}
    status, note, data = told["status"], told["note"], told["data"]
    if status == PASSED and not case.ended and ended.code != 0:
        note = f"told that it passed ({note}), and then {ended.in_words}: {ended.last_words}"
        return FAILED, note, data
    return status, note, data
