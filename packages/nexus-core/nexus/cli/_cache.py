# SPDX-License-Identifier: Apache-2.0
"""`nexus cache`: shows or empties the cache of compiled programs."""

from __future__ import annotations

import argparse
import json

import nexus
from nexus._units import counted, size_text
from nexus.cli._console import heading, show, table

_SHOWN = ("folder", "off", "entries", "size", "limit")


def run(options: argparse.Namespace) -> int:
    """Shows the cache on disk or empties it; returns 0."""
    if options.action == "clear":
        removed = nexus.clear_cache()
        text = f"Removed {counted(removed, 'compiled program')}."
        print(json.dumps({"removed": removed}) if options.json else text)
        return 0
    info = nexus.get_cache_info()
    if options.json:
        print(json.dumps({name: getattr(info, name) for name in _SHOWN}, indent=2))
        return 0
    rows = [
        ("folder", info.folder or "none"),
        ("programs", str(info.entries)),
        ("size", f"{size_text(info.size)} of {size_text(info.limit)}"),
    ]
    show(heading("Compiled programs"), table(rows), *([info.off] if info.off else []))
    return 0
