# SPDX-License-Identifier: Apache-2.0
"""The conformance suite through the backend of the device."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpu_cases import Bench, NotThere, case

MODULE_SECONDS = 60


def _report(bench: Bench) -> Path:
    return bench.output / f"conformance-{bench.selector.partition(':')[0]}.json"


@case(limit=470, endangers=True)
def the_suite_finds_nothing(bench: Bench) -> str:
    return run_suite(bench, bench.selector, _report(bench))


@case(limit=470, endangers=True)
def each_module_by_itself_where_the_suite_fell(bench: Bench) -> str:
    if _report(bench).is_file():
        raise NotThere("the suite told its results")
    return run_modules(bench, bench.selector)


def run_suite(
    bench: Bench, selector: str, report: Path, environment: Mapping[str, str] | None = None
) -> str:
    """Runs the whole suite on a device, and returns its counts."""
    report.unlink(missing_ok=True)
    done = _run(selector, "nexus.conformance", environment, "--nexus-report", str(report))
    if not report.is_file():
        raise AssertionError(f"the suite ended with status {done} and left no report")
    told = json.loads(report.read_text(encoding="utf-8"))
    bench.data["counts"] = counts = told["counts"]
    text = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    wrong = [each for each in told["tests"] if each["outcome"] in ("failed", "skipped")]
    if wrong or done:
        first = "; ".join(f"{each['test']}: {each['reason'][:120]}" for each in wrong[:5])
        raise AssertionError(f"{text}; status {done}; {first}")
    return text


def run_modules(bench: Bench, selector: str, environment: Mapping[str, str] | None = None) -> str:
    """Runs each module of the suite in a process of its own."""
    import nexus.conformance

    here = Path(nexus.conformance.__file__).parent
    verdicts = {}
    for file in sorted(here.rglob("test_*.py")):
        name = ".".join(["nexus.conformance", *file.relative_to(here).with_suffix("").parts])
        try:
            verdicts[name] = str(_run(selector, name, environment, timeout=MODULE_SECONDS))
        except subprocess.TimeoutExpired:
            verdicts[name] = "did not end"
    bench.data["modules"] = verdicts
    wrong = {name: status for name, status in verdicts.items() if status != "0"}
    assert not wrong, f"these modules failed: {wrong}"
    return f"{len(verdicts)} modules"


def _run(
    selector: str,
    module: str,
    environment: Mapping[str, str] | None,
    *more: str,
    timeout: float | None = None,
) -> int:
    """Runs the suite, or a module, in an empty folder. Returns pytest's exit status."""
    command = [
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--durations=10",
        "--pyargs", module, "--nexus-backend", selector.partition(":")[0],
        "--nexus-device", selector, *more,
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            command,
            cwd=folder,
            env=os.environ | (environment or {}),
            check=False,
            timeout=timeout,
        ).returncode
