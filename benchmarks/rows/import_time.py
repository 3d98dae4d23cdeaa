# SPDX-License-Identifier: Apache-2.0
"""`import nexus` beside `import numpy`, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys

from harness import Contestant, Result, interleave, our_version, version_of

NAME = "import nexus"
GOAL = "faster than import numpy"

_PROGRAM = """\
from time import perf_counter
start = perf_counter()
import {module}
print(perf_counter() - start)
"""


def measure(*, smoke: bool) -> Result:
    """Times the import statement alone, without the start of the interpreter."""
    ours, peer = interleave(
        [
            Contestant(our_version(), lambda: _import_seconds("nexus")),
            Contestant(version_of("numpy"), lambda: _import_seconds("numpy")),
        ],
        repeats=3 if smoke else 25,
    )
    return Result(NAME, GOAL, ours, peer, ours.median / peer.median, ours.median < peer.median)


def _import_seconds(module: str) -> float:
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(module=module)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(result.stdout)
