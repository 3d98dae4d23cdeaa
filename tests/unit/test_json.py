# SPDX-License-Identifier: Apache-2.0
"""libnexus' JSON against Python's own, and its messages."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native import ROOT, SOURCE, compile_tool

Reader = Callable[[list[bytes]], list[str]]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Gives texts to the parser; the answers begin with "ok " or "error "."""
    folder = tmp_path_factory.mktemp("json")
    names = ("json/json", "base/text", "base/error", "base/process")
    sources = [*(SOURCE / f"{name}.cpp" for name in names), ROOT / "tests/unit/json_tool.cpp"]
    program = compile_tool(folder / "json_tool", sources)

    def read(texts: list[bytes]) -> list[str]:
        file = folder / "texts"
        file.write_bytes(b"".join(b"%d\n%s" % (len(text), text) for text in texts))
        done = subprocess.run([program, file], capture_output=True, check=True)
        answers = done.stdout.decode().split("\n")[:-1]
        assert len(answers) == len(texts)
        return answers

    return read


INTEGERS = st.integers(-(1 << 63), (1 << 64) - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | INTEGERS | FLOATS | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}])
# A program is started for each example, so that an example is a list of texts.
BATCHES = settings(max_examples=40, deadline=None)


@BATCHES
@given(values=st.lists(VALUES, min_size=1, max_size=40), layout=LAYOUTS)
def test_what_python_writes_comes_back_equal(
    read: Reader, values: list[Any], layout: dict[str, Any]
) -> None:
    texts = [json.dumps(value, **layout) for value in values]
    for text, value, answer in zip(texts, values, read([t.encode() for t in texts]), strict=True):
        assert answer.startswith("ok "), f"{text!r}: {answer}"
        # repr tells 1 from 1.0, -0.0 from 0.0, and the order of names.
        assert repr(json.loads(answer[3:])) == repr(value)


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """A JSON text with one character replaced."""
    text = json.dumps(draw(VALUES))
    place = draw(st.integers(0, len(text) - 1))
    return text[:place] + draw(st.sampled_from('[]{}",:.-+eE019 \\ut\n')) + text[place + 1 :]


@BATCHES
@given(texts=st.lists(damaged_texts(), min_size=1, max_size=40))
def test_damaged_texts_are_refused_where_python_refuses_them(
    read: Reader, texts: list[str]
) -> None:
    for text, answer in zip(texts, read([text.encode() for text in texts]), strict=True):
        assert answer.startswith("ok ") == is_json(text), f"{text!r}: {answer}"


def is_json(text: str) -> bool:
    """Parses by RFC 8259 with the limits of json.hpp, through Python's parser."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a name appears twice")
        return dict(pairs)

    def integer(digits: str) -> int:
        if not -(1 << 63) <= int(digits) < 1 << 64:
            raise ValueError("more than 64 bits")
        return int(digits)

    def real(digits: str) -> float:
        if math.isinf(float(digits)):
            raise ValueError("too large")
        return float(digits)

    def constant(name: str) -> None:
        raise ValueError(name)

    try:
        value = json.loads(
            text,
            object_pairs_hook=members,
            parse_int=integer,
            parse_float=real,
            parse_constant=constant,
        )
        json.dumps(value, ensure_ascii=False).encode()  # refuses halves of surrogate pairs
    except ValueError:
        return False
    return True


REFUSED = [
    (b"", 0, "line 1, column 1: the text ends where a value is expected"),
    (b"  ", 2, "line 1, column 3: the text ends where a value is expected"),
    (b"1 2", 2, "line 1, column 3: unexpected text after the value"),
    (b"nul", 0, "line 1, column 1: expected null"),
    (
        b"hello",
        0,
        "line 1, column 1: expected an object, a list, a string, a number, "
        "true, false or null",
    ),
    (b"[1,\n 2 3]", 7, "line 2, column 4: expected ',' or ']' in a list"),
    (b'{"a" 1}', 5, "line 1, column 6: expected ':' after a name"),
    (b'{"a": 1 "b"}', 8, "line 1, column 9: expected ',' or '}' in an object"),
    (b"{a: 1}", 1, "line 1, column 2: expected a name in quotes"),
    (b'{"a": 1,}', 8, "line 1, column 9: expected a name in quotes"),
    (b'{"a": 1,\n "a": 2}', 10, 'line 2, column 2: the name "a" appears twice'),
    (b'["abc', 1, "line 1, column 2: this string is not terminated"),
    (b'"\\q"', 1,
     'line 1, column 2: this escape is not one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'),
    (b'"\\u12g4"', 1, "line 1, column 2: \\u needs four hexadecimal digits"),
    (b'"\\u-123"', 1, "line 1, column 2: \\u needs four hexadecimal digits"),
    (b'"\\ud800x"', 1, "line 1, column 2: this escape is one half of a surrogate pair"),
    (b'"\\udc00"', 1, "line 1, column 2: this escape is one half of a surrogate pair"),
    (b'"a\nb"', 2, "line 1, column 3: a control character must be written \\uXXXX within a string"),
    (b"01", 0, "line 1, column 1: a number can't begin with zeros"),
    (b"1.", 2, "line 1, column 3: expected a digit after the point"),
    (b"1e+", 3, "line 1, column 4: expected a digit in the exponent"),
    (b"-", 1, "line 1, column 2: expected a digit after '-'"),
    (
        b"18446744073709551616",
        0,
        "line 1, column 1: the integer 18446744073709551616 has more than 64 bits; "
        "write it with a point or as a string",
    ),
    (b"[1e999]", 1, "line 1, column 2: the number 1e999 is too large"),
    (b'"\xff"', 1, "line 1, column 2: this is not UTF-8; save the text as UTF-8"),
    (b'"\xed\xa0\x80"', 1, "line 1, column 2: this is not UTF-8; save the text as UTF-8"),
    (b'"\xc0\x80"', 1, "line 1, column 2: this is not UTF-8; save the text as UTF-8"),
    (b"[" * 129, 128,
     "line 1, column 129: lists and objects are nested more than 128 deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "offset", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_a_message_names_the_place_and_the_reason(
    read: Reader, text: bytes, offset: int, message: str
) -> None:
    assert read([text]) == [f"error {offset} {message}"]


def test_lists_may_lie_128_deep(read: Reader) -> None:
    text = "[" * 128 + "]" * 128
    assert read([text.encode()]) == [f"ok {text}"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.1", "0.1"),
        ("1.0", "1.0"),
        ("1e3", "1000.0"),
        ("1e300", "1e+300"),
        ("-0", "0"),
        ("9007199254740993", "9007199254740993"),
        ('"\\u00e9\\/"', '"é/"'),
        ('"\\ud83d\\ude00"', '"😀"'),
        ('"\\u0000\\n\\u001f"', '"\\u0000\\n\\u001f"'),
        (' { "b" : [ ] , "a" : { } } ', '{"b":[],"a":{}}'),
    ],
)
def test_a_value_has_one_written_form(read: Reader, text: str, written: str) -> None:
    assert read([text.encode()]) == [f"ok {written}"]
