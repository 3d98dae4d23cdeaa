# SPDX-License-Identifier: Apache-2.0
"""Fails if a source file has no licence in its first lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENDINGS = (".c", ".cpp", ".h", ".hpp", ".def", ".py", ".pyi", ".cmake", ".txt", ".toml", ".sh")
DATA = ("tests/plugins/nexus-reference/nexus_reference/conformance/", "tests/abi/frozen/")
"""Libraries of a plug-in that have the form of texts, and copies of sources."""
LINE = "SPDX-License-Identifier: Apache-2.0"


def main() -> int:
    """Prints each file without the line."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    files = [ROOT / name for name in listed if name.endswith(ENDINGS) and not name.startswith(DATA)]
    wrong = [
        path
        for path in files
        if path.is_file() and LINE not in "".join(path.open(encoding="utf-8").readlines()[:3])
    ]
    for path in wrong:
        print(f"{path.relative_to(ROOT)}: put '{LINE}' into its first lines.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
