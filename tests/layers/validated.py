# SPDX-License-Identifier: Apache-2.0
"""The outcome of a program under the layer `validate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """Returns the layer's reports on a program.

    Attributes:
        status: the program's exit status.
        stderr: what it and the layer wrote there.
        lines: the messages of warnings and errors, with the summary as the last.
    """

    status: int
    stderr: str
    lines: list[str]

    @property
    def ids(self) -> list[str]:
        """The messages' ids, in their order."""
        return [line.split(":")[0] for line in self.lines if line.startswith("NXV-")]


Validated = Callable[..., Told]
