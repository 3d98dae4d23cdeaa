# SPDX-License-Identifier: Apache-2.0
"""Checks device files: `python tools/check_devices.py [FILE ...]`; without files, all of devices/.

Needs jsonschema; Nexus need not be built.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from device_pages import CHECKS, ROOT, device_paths


def main(names: list[str]) -> int:
    """Prints each problem; returns 1 if there is one."""
    schema = json.loads((ROOT / "schema" / "device_info.schema.json").read_text(encoding="utf-8"))
    paths = [Path(name) for name in names] or device_paths()
    count = 0
    for path in paths:
        for problem in CHECKS.check_file(path, schema):
            print(f"{path.name}: {problem.path or 'the file'}: {problem.text}")
            count += 1
    print(f"{len(paths)} device files, {count} problem{'' if count == 1 else 's'}")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
