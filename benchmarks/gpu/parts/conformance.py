# SPDX-License-Identifier: Apache-2.0
"""The conformance suite through the backend of the device."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from gpu_cases import Bench, NotThere, case

MODULE_SECONDS = 60


def _backend(bench: Bench) -> str:
    return bench.selector.partition(":")[0]


def _report(bench: Bench) -> Path:
    return bench.output / f"conformance-{_backend(bench)}.json"


def _suite(bench: Bench, *more: str, module: str = "nexus.conformance") -> list[str]:
    return [
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--durations=10",
        "--pyargs", module, "--nexus-backend", _backend(bench), "--nexus-device", bench.selector,
        *more,
    ]  # fmt: skip


@case(limit=470, endangers=True)
def the_suite_finds_nothing(bench: Bench) -> str:
    report = _report(bench)
    report.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(_suite(bench, "--nexus-report", str(report)), cwd=folder, check=False)
    if not report.is_file():
        raise AssertionError(f"the suite ended with status {done.returncode} and left no report")
    told = json.loads(report.read_text(encoding="utf-8"))
    bench.data["counts"] = counts = told["counts"]
    text = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    wrong = [each for each in told["tests"] if each["outcome"] in ("failed", "skipped")]
    if wrong or done.returncode:
        first = "; ".join(f"{each['test']}: {each['reason'][:120]}" for each in wrong[:5])
        raise AssertionError(f"{text}; status {done.returncode}; {first}")
    return text


@case(limit=470, endangers=True)
def each_module_by_itself_where_the_suite_fell(bench: Bench) -> str:
    if _report(bench).is_file():
        raise NotThere("the suite told its results")
    import nexus.conformance

    here = Path(nexus.conformance.__file__).parent
    verdicts = {}
    for file in sorted(here.glob("*api/test_*.py")):
        name = f"nexus.conformance.{file.parent.name}.{file.stem}"
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(_suite(bench, module=name), cwd=folder, check=False,
                                      timeout=MODULE_SECONDS)  # fmt: skip
                verdicts[name] = str(done.returncode)
            except subprocess.TimeoutExpired:
                verdicts[name] = "did not end"
    bench.data["modules"] = verdicts
    wrong = {name: status for name, status in verdicts.items() if status != "0"}
    assert not wrong, f"these modules failed: {wrong}"
    return f"{len(verdicts)} modules"
