# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""What a command does."""

from enum import IntEnum as _IntEnum


class CommandType(_IntEnum):
    """What a command does."""

    Dispatch = 0
    """Runs a kernel."""
    Signal = 1
    """Signals an event."""
    Wait = 2
    """Waits for an event."""
    Copy = 3
    """Copies a buffer to a buffer."""
    Fill = 4
    """Fills a buffer with a value."""
    Schedule = 5
    """Runs another schedule."""
    Host = 6
    """Calls a function of the program. libnexus implements it; plug-ins never get such commands."""
    If = 7
    """Runs one of two schedules, selected by an integer in a buffer."""
    While = 8
    """Runs a schedule repeatedly while an integer in a buffer is not 0."""
    Switch = 9
    """Runs the schedule whose index is in a buffer."""
    Captured = 10
    """Work that another library put on a stream."""


Dispatch = CommandType.Dispatch
Signal = CommandType.Signal
Wait = CommandType.Wait
Copy = CommandType.Copy
Fill = CommandType.Fill
Schedule = CommandType.Schedule
Host = CommandType.Host
If = CommandType.If
While = CommandType.While
Switch = CommandType.Switch
Captured = CommandType.Captured
