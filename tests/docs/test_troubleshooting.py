# SPDX-License-Identifier: Apache-2.0
"""The error texts that docs/troubleshooting.md quotes are in the sources.

The page's program prints what the page shows.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pages import ROOT
from python_process import run_python

PAGE = ROOT / "docs" / "troubleshooting.md"
FOLDERS = ["packages", "examples/plugins/nexus-opencl"]
FAILED_CALL = "The backend … could not "
"""The start of each error of a backend, which another file writes than the rest."""
SHORTEST = 8
"""Shorter pieces of a quoted text are not looked for."""

ROW = re.compile(r"^\| (?P<first>.*?) \| .* \|$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
CPP_TOKEN = re.compile(
    r"""\\\n|//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'
    |R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:\\.|[^"\\\n])*)"
    |(?P<other>[^\s"'/\\R]+|\S)""",
    re.DOTALL | re.VERBOSE,
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def squeezed(text: str) -> str:
    """Returns the text without white space."""
    return "".join(text.split())


def cpp_literals(source: str) -> list[str]:
    """The string literals of a C++ file; adjacent ones are joined."""
    literals: list[str] = []
    joins = False
    for token in CPP_TOKEN.finditer(source):
        text = token["raw"] if token["raw"] is not None else token["text"]
        if text is not None:
            text = text if token["raw"] is not None else ESCAPE.sub(r"\1", text)
            if joins:
                literals[-1] += text
            else:
                literals.append(text)
            joins = True
        elif token["other"] is not None:
            joins = False
    return literals


def python_literals(source: str) -> list[str]:
    """The string literals of a Python file, and the fixed parts of its f-strings."""
    nodes = ast.walk(ast.parse(source))
    return [
        node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str
    ]


def literals_of(file: Path) -> list[str]:
    """The string literals of a source file."""
    source = file.read_text(encoding="utf-8")
    return python_literals(source) if file.suffix == ".py" else cpp_literals(source)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """The string literals of each source file without white space, a line each."""
    files = [
        file
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in {".py", ".cpp", ".hpp", ".h"} and "tests" not in file.parts
    ]
    return ["\n".join(squeezed(each) for each in literals_of(file)) for file in files]


def quoted_texts() -> list[str]:
    """The error texts in the first cells of the page's tables."""
    firsts = [row["first"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    return [text for first in firsts for text in QUOTED.findall(first) if first.startswith("`")]


def pieces(text: str) -> list[str]:
    """The fixed parts of a quoted text that are long enough to look for."""
    parts = text.removeprefix(FAILED_CALL).split("…")
    return [piece for part in parts if len(piece := part.strip(" :")) >= SHORTEST]


def is_known(piece: str, text: str) -> bool:
    """Whether a file has the piece, or parts of it that are long enough, in any order."""
    return piece[:SHORTEST] in text and (
        piece in text
        or any(
            piece[:at] in text and is_known(piece[at:], text)
            for at in range(SHORTEST, len(piece) - SHORTEST + 1)
        )
    )


def unknown_pieces(text: str, texts: list[str]) -> list[str]:
    """The pieces of a quoted text that no source file has."""
    wanted = [squeezed(piece) for piece in pieces(text)]
    return [piece for piece in wanted if not any(is_known(piece, each) for each in texts)]


@pytest.mark.parametrize("text", quoted_texts())
def test_a_quoted_text_is_in_the_sources(text: str, texts: list[str]) -> None:
    assert pieces(text), "no piece of the text is long enough to be looked for"
    assert unknown_pieces(text, texts) == []


def test_the_page_quotes_many_texts_and_none_twice() -> None:
    quoted = quoted_texts()
    assert len(quoted) >= 40
    assert len(set(quoted)) == len(quoted)


def test_a_text_that_no_source_has_is_noticed(texts: list[str]) -> None:
    assert unknown_pieces("No such text was ever written: …", texts)
    assert unknown_pieces("The backend … could not fnish the work of a stream: …", texts)


def test_literals_are_joined_and_comments_left_out() -> None:
    source = """f("one ",  // "two"\n "three " // a "comment"\n R"(fo"ur)", '"', "fi\\"ve");"""
    assert cpp_literals(source) == ["one ", 'three fo"ur', 'fi"ve']
    assert cpp_literals('f("one " \\\n "two")') == ["one two"]
    assert python_literals("f'one {two} three' ' four'") == ["one ", " three four"]


def test_the_page_shows_what_its_program_prints(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert code
    assert shown
    program = tmp_path / "errors.py"
    program.write_text(code[1], encoding="utf-8")
    done = run_python(program, more={"NEXUS_DEVICE": "cpu"}, check=True)
    assert done.stdout.split() == shown[1].split()
