# SPDX-License-Identifier: Apache-2.0
"""Writes the pages made from sources to docs/built: the reference and the device pages.

``python tools/build_docs.py`` needs no package, and Nexus need not be built.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import device_pages
import gen_c_reference
import gen_reference

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "docs" / "built"

INDEX = """\
# Pages made of sources

- [The Python API](api/README.md), with an example of everything
- [Properties](properties.md)
- [The C-API](c-api.md), function by function
- [Devices](devices/README.md), with the document that each value was read in

`python tools/build_docs.py` writes them again. [All other documents](../README.md).
"""


def properties_page() -> str:
    """Returns the table of the catalogue of properties."""
    text = (ROOT / "schema" / "properties.json").read_text(encoding="utf-8")
    lines = [
        "# Properties",
        "",
        "Within: where in the object's tree it stands, beside or in place of its top.",
        "",
        "| number | name | type | unit | objects | within | since | meaning |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for p in json.loads(text)["properties"]:
        objects = ", ".join(p["objects"])
        lines.append(
            f"| {p['number']} | `{p['name']}` | {p['type']} | {p.get('unit', '')} "
            f"| {objects} | {p.get('within', '')} | {p['since']} | {p['description']} |"
        )
    return "\n".join([*lines, ""])


def pages() -> dict[Path, str]:
    """Returns each page by its path."""
    found = {"README.md": INDEX}
    found |= {"properties.md": properties_page(), "c-api.md": gen_c_reference.page()}
    found |= {f"api/{name}": text for name, text in gen_reference.Writer().write_all().items()}
    found |= {f"devices/{name}": text for name, text in device_pages.pages().items()}
    return {BUILT / name: text for name, text in found.items()}


def main() -> None:
    """Replaces the pages in docs/built."""
    shutil.rmtree(BUILT, ignore_errors=True)
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"Begin with {(BUILT / 'README.md').relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
