# SPDX-License-Identifier: Apache-2.0
"""Marks of values' sources, and the list of sources below a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nexus._collections import Citation, PropertySource


class Marker(Protocol):
    """Makes the short mark for a value's source."""

    def mark(self, source: PropertySource) -> str:
        """Returns the text to print after the value; may be empty."""


class Numbers:
    """Marks each value with the numbers of its citations, numbered at first use."""

    def __init__(self) -> None:
        self._numbers: dict[Citation, int] = {}

    def mark(self, source: PropertySource) -> str:
        """Returns a text such as ' [1,3]'."""
        numbers = [
            self._numbers.setdefault(citation, len(self._numbers) + 1)
            for citation in citations_of(source)
        ]
        return f" [{','.join(map(str, sorted(numbers)))}]" if numbers else ""

    def citations(self) -> list[str]:
        """Returns the numbered citations."""
        return [f"  [{number}] {citation_text(each)}" for each, number in self._numbers.items()]


class Star:
    """Marks the values of device files with a star."""

    def __init__(self) -> None:
        self.is_used = False

    def mark(self, source: PropertySource) -> str:
        """Returns ' *' for a value from a device file, or computed from one."""
        if not source.file:
            return ""
        self.is_used = True
        return " *"


def citations_of(source: PropertySource) -> list[Citation]:
    """Returns the citations, with all fields as texts; unvalidated files may have other types."""
    return [type(citation)(*map(str, citation)) for citation in source.citations]


def citation_text(citation: Citation) -> str:
    """Returns title, publisher, edition, section, address, and the date on which it was read."""
    edition = ", ".join(filter(None, (citation.version, citation.date)))
    text = f"{citation.title}. {citation.publisher}, {edition}: {citation.section}."
    return f"{text} {citation.address} (read {citation.read})".replace("  ", " ")
