# SPDX-License-Identifier: Apache-2.0
"""Runs a function on several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

_LIMIT = 120.0  # seconds


def together(act: Callable[[int], None], count: int = 8) -> None:
    """Runs act(0), act(1), ... at once on threads, and raises an exception of one of them."""
    begin, errors = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            begin.wait(_LIMIT)
            act(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_LIMIT)
    assert not any(thread.is_alive() for thread in threads)
    for error in errors:
        raise error
