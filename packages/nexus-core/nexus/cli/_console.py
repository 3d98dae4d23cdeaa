# SPDX-License-Identifier: Apache-2.0
"""Prints texts and tables in the layout of rich."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TextIO, TypeAlias

from rich.console import Console, RenderableType
from rich.highlighter import RegexHighlighter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.status import Status
from rich.table import Table
from rich.text import Text

# A label and its value; an empty label continues the value above.
Rows: TypeAlias = "list[tuple[str, RenderableType]]"

_CONTROLS = {code: "?" for code in (*range(32), *range(127, 160)) if code != ord("\n")}
_FILE_WIDTH = 100_000  # columns: in a file or a pipe every row is one line
_LONGEST_LIST = 40  # columns; a longer one, without spaces, is folded
_LABEL_WIDTH = 20  # columns; the values of all sections are aligned


class _Marks(RegexHighlighter):
    """Dims the marks of values' sources."""

    highlights = (r"(?P<dim> (\[[\d,]+\]|\*))",)


def printable(text: str) -> str:
    """Returns the text with control characters replaced, except line feeds."""
    return text.translate(_CONTROLS)


def heading(text: str) -> Text:
    """Returns the title of a section."""
    return Text(printable(text), "bold")


def sentence(text: str) -> Text:
    """Returns a text that wraps between words."""
    return Text(printable(text))


def table(
    rows: Iterable[Sequence[RenderableType]],
    head: Sequence[str] = (),
    *,
    indented: bool = True,
    numbers: bool = False,
) -> Table:
    """Returns a table of the rows. Cells wrap between words, so that words can be copied. Long
    lists without spaces are folded.

    Args:
        head: the titles of the columns.
        numbers: right-aligns all columns but the first.
    """
    rows = list(rows)
    made = Table(
        box=None, show_header=bool(head), padding=(0, 0, 0, 2), pad_edge=indented, highlight=True
    )
    for column in zip_longest(head, *rows, fillvalue=""):
        words = [str(cell).split() for cell in column if isinstance(cell, (str, Text))]
        widths = [_width(word) for cell in words for word in cell]
        made.add_column(
            printable(str(column[0])) if head else "",
            justify="right" if numbers and made.columns else "left",
            overflow="fold",
            no_wrap=max(map(len, words), default=0) < 2 and not any(each[1] for each in widths),
            min_width=max((each[0] for each in widths), default=0),
        )
    for row in rows:
        made.add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in row))
    return made


def section(title: str, *parts: Rows | RenderableType) -> list[RenderableType]:
    """Returns an empty line, the title and the parts; nothing if all parts are empty."""
    shown = [labelled(part) if isinstance(part, list) else part for part in parts if part]
    return ["", heading(title), *shown] if shown else []


def _width(word: str) -> tuple[int, bool]:
    """Returns the minimum width of a word in columns, and whether the word is folded."""
    folded = "," in word and len(word) > _LONGEST_LIST
    return (_LONGEST_LIST if folded else len(word)), folded


def labelled(rows: Rows) -> Table:
    """Returns a table of labels and values."""
    made = table(rows)
    labels = made.columns[0]
    labels.min_width = max(_LABEL_WIDTH, labels.min_width or 0)
    return made


def busy(text: str) -> Status:
    """Returns a context that shows the current task on stderr, if that is a terminal."""
    return Console(file=sys.stderr).status(Text(printable(text)))


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Shows the progress of a number of steps on stderr, if that is a terminal.

    Returns a context with a function that names the step that begins. The bar is drawn when a step
    begins, and not by a thread meanwhile, which would disturb measurements.
    """
    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield lambda name: None
        return
    words = TextColumn("{task.description}", markup=False)
    bar = Progress(
        BarColumn(), MofNCompleteColumn(), words,
        console=console, transient=True, auto_refresh=False,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=total)
        begun = 0

        def begin(name: str) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=printable(name), refresh=True)
            begun += 1

        yield begin


def show(*parts: RenderableType, file: TextIO | None = None) -> None:
    """Prints to stdout or another file.

    Args:
        parts: a str is not wrapped, so that paths and addresses can be copied; everything else is.
    """
    file = file or sys.stdout
    console = Console(
        file=file,
        width=None if file.isatty() or "COLUMNS" in os.environ else _FILE_WIDTH,
        markup=False,
        emoji=False,
        highlighter=_Marks(),
    )
    with console.capture() as captured:
        for part in parts:
            if isinstance(part, str):
                console.print(printable(part), soft_wrap=True)
            else:
                console.print(part, crop=False)
    # rich pads cells with spaces, also at the end of a line.
    print("\n".join(line.rstrip() for line in captured.get().split("\n")), end="", file=file)
