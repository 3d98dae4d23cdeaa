# SPDX-License-Identifier: Apache-2.0
"""Tests that do not apply to a backend: said with the reason, and never mixed up with skips."""

from __future__ import annotations

from typing import NoReturn

import pytest

from nexus import capability

BITS = {bit.name: int(bit) for bit in capability.Capability}


class NotApplicable(pytest.skip.Exception):  # type: ignore[misc, name-defined]
    """Raised by a test that the backend's capabilities, or its number of devices, rule out."""


def not_applicable(reason: str) -> NoReturn:
    """Ends the test: it does not apply to this backend, for that reason."""
    raise NotApplicable(reason)


def names_of(bits: int) -> frozenset[str]:
    """The names of capability bits."""
    return frozenset(name for name, bit in BITS.items() if bits & bit)


def require(item: pytest.Item, capabilities: frozenset[str]) -> None:
    """Ends the test where a bit of its marker `needs` is not claimed."""
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            if name not in BITS:
                raise pytest.UsageError(
                    f"{item.nodeid} needs {name!r}, which is no capability: {', '.join(BITS)}."
                )
            if name not in capabilities:
                not_applicable(f"the backend does not claim {name}")
