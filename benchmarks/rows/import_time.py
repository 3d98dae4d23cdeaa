# SPDX-License-Identifier: Apache-2.0
"""`import nexus` beside `import numpy`, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys

from harness import Contestant, Result, our_version, race, version_of

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
    contestants = [
        Contestant(our_version(), lambda: _import_seconds("nexus")),
        Contestant(version_of("numpy"), lambda: _import_seconds("numpy")),
    ]
    return race(NAME, GOAL, contestants, 3 if smoke else 25)


def _import_seconds(module: str) -> float:
    result = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(module=module)],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(result.stdout)
