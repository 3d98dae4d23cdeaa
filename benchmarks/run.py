# SPDX-License-Identifier: Apache-2.0
"""Measures Nexus beside its peers: `python benchmarks/run.py [--smoke] [--json FILE] [ROW ...]`.

Each row first compares the results of both sides, then times them in turns in this process. The
exit status is 1 if results differ, else 0: a missed goal is only shown, because a time on a busy
machine proves nothing.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1] / "examples" / "plugins" / "nexus-opencl" / "tests"))

from harness import Mismatch, NotMeasured, Result, Timing, machine

ROWS = (
    "blocking_run",
    "nonblocking_run",
    "rebind_run",
    "kernel_call",
    "branches",
    "threads",
    "vector_add",
    "black_scholes",
    "nbody",
    "mandelbrot",
    "matrix_multiply",
    "reduce",
    "reduce_with_barriers",
    "prefix_sum",
    "algorithms",
    "compile",
    "compile_from_disk",
    "compile_from_memory",
    "replays",
    "ping_pong",
    "event_round",
    "layer_validate",
    "record",
    "create_release",
    "copy_4k",
    "copy_256m",
    "copy_between",
    "dlpack_export",
    "property_read",
    "device_file",
    "device_database",
    "import_time",
    "layer_trace",
    "opencl_enqueue",
    "opencl_copy",
    "opencl_kernels",
    "clusters",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the rows and returns the exit status."""
    options = _parse(arguments)
    with tempfile.TemporaryDirectory(prefix="nexus-benchmarks-") as folder:
        # so that programs are compiled, and nothing is left behind
        os.environ["NEXUS_CACHE_DIR"] = folder
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()), flush=True)
    results: list[Result] = []
    agree = True
    for row in options.rows:
        measured, same = _measure(row, smoke=options.smoke)
        agree = agree and same
        results += measured
    print_table(results)
    if options.json:
        report = {
            "machine": about,
            "smoke": options.smoke,
            "rows": [result.as_json() for result in results],
        }
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 0 if agree else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Nexus beside its peers.")
    parser.add_argument(
        "--smoke", action="store_true", help="small sizes, few repeats: only shows that it runs"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results there, times in seconds")
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help=f"which: {', '.join(ROWS)}; default: all"
    )
    options = parser.parse_args(arguments)
    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    options.rows = options.rows or list(ROWS)
    return options


def _measure(row: str, *, smoke: bool) -> tuple[list[Result], bool]:
    """Returns the row's results, and whether all sides computed the same."""
    module = importlib.import_module(f"rows.{row}")
    try:
        measured = module.measure(smoke=smoke)
        return measured if isinstance(measured, list) else [measured], True
    except NotMeasured as reason:
        return [Result(module.NAME, module.GOAL, notes=[f"not measured: {reason}"])], True
    except Mismatch as reason:
        return [Result(module.NAME, module.GOAL, notes=[f"RESULTS DIFFER: {reason}"])], False


def print_table(results: Sequence[Result]) -> None:
    """Prints a line for each row; below it the peer, and our side when it changes."""
    print(f"\n{'row':<40}{'ours':>12}{'peer':>12}{'ours/peer':>11}   goal")
    ours = None
    for result in results:
        print(
            f"{result.name:<40}{_time(result.ours):>12}{_time(result.peer):>12}"
            f"{'-' if result.ratio is None else f'{result.ratio:.3f}':>11}   {_verdict(result)}"
        )
        if result.ours and result.ours.label != ours:
            ours = result.ours.label
            print(f"    ours: {ours}")
        if result.peer:
            print(f"    peer: {result.peer.label}")
        if result.errors:
            print(f"    largest error of ours / the peer's: {result.errors}")
        for note in result.notes:
            print(f"    {note}")


def _verdict(result: Result) -> str:
    if result.met is None:
        return f"not measured ({result.goal})"
    return f"{'met' if result.met else 'MISSED'} ({result.goal})"


def _time(timing: Timing | None) -> str:
    if timing is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if timing.median * scale >= 1:
            return f"{timing.median * scale:.3f} {unit}"
    return f"{timing.median * 1e9:.3g} ns"


if __name__ == "__main__":
    sys.exit(main())
