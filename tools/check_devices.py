# SPDX-License-Identifier: Apache-2.0
"""Checks the device files: `python tools/check_devices.py [FILE ...]`; without files, all of devices/.

Needs jsonschema, and Nexus not to be built.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
DEVICES = ROOT / "devices"


def load_checks() -> ModuleType:
    """The module nexus._device_check, without the package around it."""
    path = ROOT / "packages" / "nexus-core" / "nexus" / "_device_check.py"
    spec = importlib.util.spec_from_file_location("_device_check", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_device_check"] = module
    spec.loader.exec_module(module)
    return module


def main(names: list[str]) -> int:
    """Prints each problem; 1 where there is one."""
    checks = load_checks()
    schema = json.loads((ROOT / "schema" / "device_info.schema.json").read_text(encoding="utf-8"))
    paths = [Path(name) for name in names] or sorted(DEVICES.glob("*-*-*.json"))
    count = 0
    for path in paths:
        for problem in checks.check_file(path, schema):
            print(f"{path.name}: {problem.path or 'the file'}: {problem.text}")
            count += 1
    print(f"{len(paths)} device files, {count} problem{'' if count == 1 else 's'}")
    return 1 if count else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
