# SPDX-License-Identifier: Apache-2.0
"""The double of Metal (tests/drivers/metal) is passed what Apple's methods are passed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import simulated
from apple_metadata import declarations

# Of Foundation, in neither wheel.
DOCUMENTED = {
    "alloc": "p", "new": "p", "stringWithUTF8String:": "pp", "dataWithBytes:length:": "ppi",
    "bytes": "p", "path": "p",
}  # fmt: skip
# PyObjC leaves these types out, or metal-cpp has another: as the reference has them.
CORRECTED = {"domain": "p", "supportsDestination:": "ci"}


def letter(encoding: str) -> str:
    """Returns how the double names what is passed so."""
    kind = encoding.lstrip("rnN")
    structures = {"{MTLSize=QQQ}": "s", "{_NSRange=QQ}": "r"}
    if kind in structures:
        return structures[kind]
    return {"v": "v", "d": "d", "Q": "i", "q": "i"}.get(kind, "c" if kind in "ZBzcC" else "p")


def test_methods_are_passed_what_apples_are(apple_wheels: Path) -> None:
    if not (simulated.folder() / "libnexus-metal-double.so").exists():
        pytest.skip("needs the simulated Metal: ninja -C build simulated_metal")
    apple = declarations(apple_wheels)
    wrong = []
    for selector, passed in simulated.MetalDriver().methods().items():
        theirs = {"".join(map(letter, each)) for each in apple.selectors.get(selector, set())}
        expected = {**DOCUMENTED, **CORRECTED}.get(selector)
        if not passed <= ({expected} if expected else theirs):
            wrong.append(f"{selector}: {passed}, Apple's: {expected or theirs}")
    assert wrong == []


def test_constants_are_apples(apple_wheels: Path) -> None:
    header = Path(__file__).resolve().parents[1] / "drivers" / "metal" / "driver.hpp"
    ours = {
        name: int(value)
        for name, value in re.findall(r"\b(MTL\w+) = (\d+)\b", header.read_text("utf-8"))
    }
    enums = declarations(apple_wheels).enums
    assert len(ours) > 20
    assert ours == {name: enums.get(name) for name in ours}
