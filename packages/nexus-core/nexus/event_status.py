# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""The state of an event or a run."""

from enum import IntEnum as _IntEnum


class EventStatus(_IntEnum):
    """The state of an event or a run."""

    Submitted = 0
    """Accepted, not started."""
    Running = 1
    """Started."""
    Complete = 2
    """Done without error."""
    Error = 3
    """Failed; the cause is in the error record."""
    Canceled = 4
    """Cancelled before it started."""


Submitted = EventStatus.Submitted
Running = EventStatus.Running
Complete = EventStatus.Complete
Error = EventStatus.Error
Canceled = EventStatus.Canceled
