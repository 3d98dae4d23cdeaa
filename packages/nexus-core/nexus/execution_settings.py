# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""Bits that say how a run is executed."""

from enum import IntEnum as _IntEnum


class ExecutionSettings(_IntEnum):
    """Bits that say how a run is executed."""

    Profiling = 1
    """Collects the backend's counters."""
    Timing = 2
    """Records the elapsed time."""
    Capture = 4
    """Makes the run visible to the vendor's capture tool."""
    NonBlocking = 8
    """Returns as soon as the work is submitted."""
    Shareable = 16
    """For an event: it can be shared with other processes."""


Profiling = ExecutionSettings.Profiling
Timing = ExecutionSettings.Timing
Capture = ExecutionSettings.Capture
NonBlocking = ExecutionSettings.NonBlocking
Shareable = ExecutionSettings.Shareable
