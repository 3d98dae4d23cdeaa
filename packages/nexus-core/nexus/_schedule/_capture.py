# SPDX-License-Identifier: Apache-2.0
"""The result of Schedule.capture()."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext

from nexus import _core


@contextmanager
def captured(
    schedule: _core.Schedule, stream: _core.Stream | None, after: tuple[_core.Command, ...] | None
) -> Iterator[_core.Stream]:
    """Captures the work that other libraries submit to the stream in the body, as a command."""
    own = closing(schedule.device.create_stream()) if stream is None else nullcontext(stream)
    with own as captures:
        _core.begin_capture(schedule, captures)
        try:
            yield captures
            _core.end_capture(schedule, captures, after)
        except BaseException:
            _core.drop_capture(captures)
            raise
