# SPDX-License-Identifier: Apache-2.0
"""The result of Schedule.parallel()."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nexus import _core


@contextmanager
def block(schedule: _core.Schedule) -> Iterator[None]:
    """Removes the order between the commands that the body creates."""
    _core.begin_parallel(schedule)
    try:
        yield
    finally:
        _core.end_parallel(schedule)
