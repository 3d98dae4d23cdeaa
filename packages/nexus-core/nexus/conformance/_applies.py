# SPDX-License-Identifier: Apache-2.0
"""Ends tests that do not apply to a backend, with the reason; they are not counted as skipped."""

from __future__ import annotations

from typing import NoReturn

import pytest

from nexus import capability

BITS = {bit.name: int(bit) for bit in capability.Capability}


class NotApplicable(pytest.skip.Exception):  # type: ignore[misc, name-defined]
    """Ends a test to which the backend's capabilities or its number of devices do not apply."""


def not_applicable(reason: str) -> NoReturn:
    """Ends the test because it does not apply to this backend."""
    raise NotApplicable(reason)


def names_of(bits: int) -> frozenset[str]:
    """Returns the names of the capability bits."""
    return frozenset(name for name, bit in BITS.items() if bits & bit)


def require(item: pytest.Item, capabilities: frozenset[str]) -> None:
    """Ends the test if the backend does not claim a bit of the test's marker `needs`."""
    for marker in item.iter_markers("needs"):
        for name in marker.args:
            if name not in BITS:
                raise pytest.UsageError(
                    f"{item.nodeid} needs {name!r}, which is not a capability: {', '.join(BITS)}."
                )
            if name not in capabilities:
                not_applicable(f"the backend does not claim {name}")
