# SPDX-License-Identifier: Apache-2.0
"""What the terminal can show: its width, bold and dim text, letters beyond ASCII."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable

# Glues a mark to its value: no line is broken here, and it is printed as a blank.
GLUE = "\u00a0"

_BOLD, _ORDINARY = "\ue000", "\ue001"  # private letters, until it is known what they become
_CONTROLS = {code: "?" for code in (*range(32), *range(127, 160)) if code != ord("\n")}
_NARROWEST, _WIDEST = 40, 80
_MARK = re.compile(rf"{GLUE}(\[[\d,]+\]|\*)")
_PLAIN = str.maketrans({"≤": "<=", "°": "", "²": "2"})


def width() -> int:
    """The letters of a line: those of the terminal, but at least 40 and at most 80."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns))


def heading(text: str) -> str:
    """The line above a section."""
    return f"{_BOLD}{text}{_ORDINARY}"


def wrapped(text: str, first: str = "") -> list[str]:
    """The text in lines of the terminal's width, indented by the length of what stands first."""
    lines = textwrap.wrap(
        text,
        width(),
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [first.rstrip()]


def printable(text: str) -> str:
    """The text with others in place of control characters, but for line feeds."""
    return text.translate(_CONTROLS)


def show(lines: Iterable[str]) -> None:
    """Prints the lines. What the output's encoding lacks, and control characters, become others."""
    text = printable("\n".join(lines))
    colours = _has_colours()
    if colours:
        text = _MARK.sub("\x1b[2m \\1\x1b[0m", text)
    text = text.replace(_BOLD, "\x1b[1m" if colours else "")
    text = text.replace(_ORDINARY, "\x1b[0m" if colours else "")
    print(_encodable(text.replace(GLUE, " ")))


def _encodable(text: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.translate(_PLAIN)
        return plain.encode(encoding, "replace").decode(encoding)
    return text


def _has_colours() -> bool:
    # https://no-color.org: a variable that is set and not empty turns them off.
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and sys.stdout.isatty()
