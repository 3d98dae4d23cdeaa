# SPDX-License-Identifier: Apache-2.0
"""Runs all programs of examples/kernels in one process: `gallery_in_one.py DEVICE`.

So a sanitizer, which takes long to start, starts once.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"


def main(selector: str) -> int:
    """Runs each program; returns how many differ from numpy."""
    import nexus

    sys.path.insert(0, str(EXAMPLES))
    device = nexus.get_device(selector)
    wrong = []
    for file in sorted(EXAMPLES.glob("*.py")):
        if file.stem == "launch":
            continue
        result, expected = importlib.import_module(file.stem).example(device)
        scale = float(np.abs(expected).max())
        print(f"{file.stem}: {result.size} values", flush=True)
        if not np.allclose(result, expected, rtol=1e-4, atol=1e-5 * scale):
            wrong.append(file.stem)
    print(f"wrong: {wrong}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
