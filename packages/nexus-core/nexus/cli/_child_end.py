# SPDX-License-Identifier: Apache-2.0
"""Explains the signal that ended a child process."""

from __future__ import annotations

import signal

_MEANING = {
    "SIGSEGV": "it used memory that is not its own",
    "SIGBUS": "it used memory that is not there",
    "SIGFPE": "it divided an integer by zero",
    "SIGILL": "it ended itself with a trap, or has an instruction that this processor lacks",
    "SIGABRT": "something in it gave up",
    "SIGKILL": "it was ended from outside, perhaps since there is no memory left",
}


def signal_name(number: int) -> str:
    """Returns the signal's name, such as 'SIGSEGV'."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def signal_meaning(number: int) -> str:
    """Returns ': ' and the signal's usual cause; '' if it has none."""
    meaning = _MEANING.get(signal_name(number), "")
    return f": {meaning}" if meaning else ""
