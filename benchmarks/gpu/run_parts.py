# SPDX-License-Identifier: Apache-2.0
"""Runs the parts on a GPU: `python run_parts.py --out FOLDER [--work FOLDER] [PART ...]`.

Each case runs in a process of its own, which is killed at its limit. Finished cases are kept in the
folder `--work` and not repeated, so an interrupted run is continued by calling this again. No case
begins for which less than its limit is left of `--seconds`.

The exit status is 0 if all cases are finished and none failed, 1 if one failed, 2 if Nexus does not
find the device, and 3 if cases are left for another call.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tarfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from ended_child import run_ended
from gpu_cases import PARTS, Case, cases_of
from gpu_report import write_report
from measurement import verdict
from outcomes import FAILED, NOT_THERE, Store
from single_case import run_case
from versions import about

FINISHED, SOME_FAILED, NO_DEVICE, NOT_FINISHED = 0, 1, 2, 3
_STATE_SECONDS = 60.0
_FIND = "import sys, nexus; print(nexus.get_device(sys.argv[1]).get_property_str('Name'))"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the cases that are left, writes the report and returns the exit status."""
    options = _parse(arguments)
    end = time.monotonic() + options.seconds
    work, out = options.work or options.out / "work", options.out
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("NEXUS_GPU_CUBINS", str(work / "cubins"))
    store = Store(work / "outcomes")
    for status in options.again:
        store.forget(status)
    cases = [case for part in options.parts for case in cases_of(f"parts.{part}")]
    left = [case for case in cases if not store.has(case.key)]
    print(f"{len(cases)} cases, {len(left)} left, device {options.device}", flush=True)
    name = _found(options.device, work)
    found = bool(name) or not left
    if left and found:
        _run(left, store, options.device, work, end)
    facts = about() | {"device": options.device}
    if name and not facts["gpus"]:  # nvidia-smi knows others
        facts["gpus"] = [{"name": name}]
    finished = _finish(cases, store, work, out, facts)
    return finished if found else NO_DEVICE


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Run Nexus' proof on a GPU, and what it costs.")
    parser.add_argument("--out", type=Path, default=os.environ.get("OUT"), metavar="FOLDER",
                        help="where the report goes; default what OUT names")  # fmt: skip
    parser.add_argument("--work", type=Path, metavar="FOLDER",
                        help="what is kept of finished cases; default work/ in --out")  # fmt: skip
    parser.add_argument("--device", default="cuda:0", help="default cuda:0")
    parser.add_argument("--seconds", type=float, default=540, help="what this call may take")
    parser.add_argument("--again", action="append", default=[], choices=[FAILED, NOT_THERE],
                        help="run cases that ended so again")  # fmt: skip
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which: {', '.join(PARTS)}")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    if options.out is None:
        parser.error("say where the report goes: --out FOLDER, or the environment's OUT")
    options.out = Path(options.out).resolve()
    options.parts = options.parts or list(PARTS)
    return options


def _run(left: Sequence[Case], store: Store, device: str, work: Path, end: float) -> None:
    for case in left:
        remaining = end - time.monotonic()
        needed = case.limit + (_STATE_SECONDS if case.endangers else 0)
        if needed > remaining:
            print(f"later: {case.part}: {case.name} ({needed:.0f} s, {remaining:.0f} s left)")
            continue
        print(f"{case.part}: {case.name} ...", flush=True)
        state = partial(_gpu_state, device) if case.endangers else None
        outcome = run_case(case, device, work, state)
        store.put(case.key, outcome)
        print(f"  {outcome.status} in {outcome.seconds:.1f} s. {outcome.note[-300:]}", flush=True)
        if outcome.gpu_after:
            print(f"  the GPU after: {outcome.gpu_after}", flush=True)
        if outcome.gpu_after and not outcome.gpu_works:
            print("stops here: what came next would only show that the GPU does not work")
            return


def _found(device: str, work: Path) -> str:
    """Returns the device's name; nothing if Nexus does not find it, and then no case is run."""
    ended = run_ended([sys.executable, "-c", _FIND, device], work / "device.log", _STATE_SECONDS)
    print(f"{device}: {ended.last_words or ended.in_words}", flush=True)
    return ended.last_words.rpartition("\n")[2] if ended.code == 0 else ""


def _gpu_state(device: str, log: Path) -> tuple[bool, str]:
    """Returns whether a fresh process finds the GPU working, and its output."""
    ended = run_ended([sys.executable, str(HERE / "gpu_state.py"), device], log, _STATE_SECONDS)
    return ended.code == 0, ended.last_words or ended.in_words


def _finish(
    cases: Sequence[Case], store: Store, work: Path, out: Path, facts: dict[str, Any]
) -> int:
    found = {case.key: store.get(case.key) for case in cases}
    outcomes = [outcome for outcome in found.values() if outcome]
    missing = [key for key, outcome in found.items() if not outcome]
    for variable in ("NEXUS_CUDA_DRIVER", "NEXUS_HIP_DRIVER", "NEXUS_METAL_DRIVER"):
        if os.environ.get(variable):
            facts["simulated_driver"] = os.environ[variable]
    write_report(out, facts, outcomes, missing)
    _pack(work, out / "work.tar.gz")
    for file in (work / "files").glob("*.json"):
        shutil.copy(file, out / file.name)
    print()
    for line in (line for outcome in outcomes for line in outcome.data.get("rows", [])):
        print(f"{verdict(line):<14}{line['name']}: {line['figure']} ({line['goal']})")
    failed = [outcome for outcome in outcomes if outcome.status == FAILED]
    print(f"{len(outcomes)} finished, {len(failed)} failed, {len(missing)} left; "
          f"the report is {out / 'report.md'}", flush=True)  # fmt: skip
    for outcome in failed:
        print(f"FAILED {outcome.part}: {outcome.name}: {outcome.note[-300:]}")
    if missing:
        return NOT_FINISHED
    return SOME_FAILED if failed else FINISHED


def _pack(work: Path, archive: Path) -> None:
    """Packs the folder --work, so that another machine can unpack it and continue."""
    with tarfile.open(archive, "w:gz") as packed:
        for name in ("outcomes", "logs", "files", "cubins"):
            if (work / name).is_dir():
                packed.add(work / name, name)


if __name__ == "__main__":
    sys.exit(main())
