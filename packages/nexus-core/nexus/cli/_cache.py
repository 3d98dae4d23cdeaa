# SPDX-License-Identifier: Apache-2.0
"""`nexus cache`: what the cache of compiled programs holds, and its end."""

from __future__ import annotations

import json

import nexus
from nexus.cli._table import columns, size_text

_SHOWN = ("folder", "off", "entries", "size", "limit")


def run(action: str, *, as_json: bool) -> int:
    """Shows the cache on disk or empties it; returns 0."""
    if action == "clear":
        removed = nexus.clear_cache()
        print(json.dumps({"removed": removed}) if as_json else _removed_text(removed))
    else:
        info = nexus.get_cache_info()
        shown = {
            name: getattr(info, name) for name in ("folder", "off", "entries", "size", "limit")
        }
        print(json.dumps(shown, indent=2) if as_json else _info_text(info))
    return 0


def _removed_text(count: int) -> str:
    return f"Removed {count} compiled program{'' if count == 1 else 's'}."


def _info_text(info: nexus.CacheInfo) -> str:
    lines = columns(
        [
            ("folder", info.folder or "none"),
            ("programs", str(info.entries)),
            ("size", f"{size_text(info.size)} of {size_text(info.limit)}"),
        ]
    )
    return "\n".join(["Compiled programs", *lines, *([info.off] if info.off else [])])
