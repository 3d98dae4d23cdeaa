# SPDX-License-Identifier: Apache-2.0
"""The repository's device files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DEVICES = ROOT / "devices"
PATHS = sorted(DEVICES.glob("*-*-*.json"))

Tree = dict[str, Any]


def read(path: Path) -> Tree:
    """The tree of a JSON file."""
    tree: Tree = json.loads(path.read_text(encoding="utf-8"))
    return tree
