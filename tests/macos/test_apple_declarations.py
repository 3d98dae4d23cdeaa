# SPDX-License-Identifier: Apache-2.0
"""The backend's declarations of Metal's functions, methods and constants are Apple's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from apple_metadata import Declarations, declarations

DRIVER = Path(__file__).resolve().parents[2] / "packages" / "nexus-metal" / "src" / "driver"
ENCODINGS = {
    "void": "v", "id": "@", "BOOL": "Z", "bool": "Z", "NSUInteger": "Q", "NSInteger": "q",
    "uint64_t": "Q", "double": "d", "CFTimeInterval": "d", "float": "f", "NSTimeInterval": "d",
    "const char *": "*", "void *": "^v", "const void *": "^v", "id *": "^@", "Block": "@?",
    "MTLSize": "{MTLSize=QQQ}", "NSRange": "{_NSRange=QQ}", "uint8_t": "C", "SEL": ":",
}  # fmt: skip
# In neither wheel: methods of every object, and two as Apple documents them.
DOCUMENTED = {
    "alloc": ("@",), "init": ("@",), "new": ("@",), "retain": ("@",), "release": ("v",),
    "autorelease": ("@",), "respondsToSelector:": ("Z", ":"),
    "stringWithUTF8String:": ("@", "*"), "dataWithBytes:length:": ("@", "^v", "Q"),
}  # fmt: skip


@pytest.fixture(scope="session")
def apple(apple_wheels: Path) -> Declarations:
    return declarations(apple_wheels)


def sent(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each selector of selectors.def, and the types that it returns and takes."""
    for selector, types in re.findall(
        r'^NEXUS_SELECTOR\(\s*\w+,\s*"([^"]+)"((?:,[^,)]+)*)\)', text, re.MULTILINE
    ):
        yield selector, [" ".join(each.split()) for each in types.split(",")[1:]]


def aliases(header: str) -> dict[str, str]:
    """Returns of each type of metal_types.hpp with another's name, or an enumeration, the other."""
    pairs = re.findall(r"\busing (\w+) = ([^;]+);", header)
    pairs += re.findall(r"\benum(?: class)? (\w+) : (\w+)", header)
    pairs += [(name, kind) for kind, name in re.findall(r"\btypedef ([^;]+?) ?(\w+);", header)]
    return dict(pairs)


def encoding_of(kind: str, header: str) -> str:
    known = aliases(header)
    while kind not in ENCODINGS and kind in known:
        kind = known[kind]
    return ENCODINGS.get(kind, f"unknown type {kind}")


def wrong_selectors(apple: Declarations, text: str, header: str) -> list[str]:
    """Returns a line for each selector whose types are not Apple's."""
    wrong = []
    for selector, types in sent(text):
        ours = tuple(encoding_of(each, header) for each in types)
        theirs = apple.selectors.get(selector) or (
            {DOCUMENTED[selector]} if selector in DOCUMENTED else set()
        )
        if ours not in {tuple(_same(each) for each in signature) for signature in theirs}:
            wrong.append(f"{selector}: {ours}, Apple's: {sorted(theirs)}")
    return wrong


def _same(encoding: str) -> str:
    """Returns one name for what is passed alike: bool and BOOL, memory to read and to write."""
    return {"B": "Z", "n^v": "^v", "r^v": "^v"}.get(encoding, encoding)


def constants(header: str) -> dict[str, int]:
    """Returns the constants of metal_types.hpp with Apple's names."""
    pairs = re.findall(r"\b((?:MTL|NS)[A-Z]\w+)\s*=\s*([-\dxXa-fA-F<|( )uUlL]+?)\s*[,;}]", header)
    return {name: int(eval(re.sub(r"(?<=\d)[uUlL]+", "", value))) for name, value in pairs}


def wrong_constants(apple: Declarations, header: str) -> list[str]:
    return [
        f"{name} = {value}, Apple's: {apple.enums.get(name)}"
        for name, value in constants(header).items()
        if apple.enums.get(name) != value
    ]


def wrong_structs(apple: Declarations, header: str) -> list[str]:
    wrong = []
    for name, body in re.findall(r"\bstruct ((?:MTL|NS)\w+) \{([^}]*)\}", header):
        fields = re.findall(r"([\w ]+?) ((?:\w+(?: = \w+)?(?:, )?)+);", body)
        ours = "".join(encoding_of(kind.strip(), header) * (1 + names.count(","))
                       for kind, names in fields)  # fmt: skip
        theirs = {"NSRange": "{_NSRange=QQ}"}.get(name, apple.structs.get(name, ""))
        if theirs.partition("=")[2] != f"{ours}}}":
            wrong.append(f"{name}: {ours}, Apple's: {theirs}")
    return wrong


def test_every_selector_has_apples_types(apple: Declarations) -> None:
    text = (DRIVER / "selectors.def").read_text("utf-8")
    header = (DRIVER / "metal_types.hpp").read_text("utf-8")
    assert len(list(sent(text))) == text.count("\nNEXUS_SELECTOR(") > 0
    assert wrong_selectors(apple, text, header) == []


def test_every_constant_has_apples_value(apple: Declarations) -> None:
    header = (DRIVER / "metal_types.hpp").read_text("utf-8")
    assert constants(header)
    assert wrong_constants(apple, header) == []


def test_every_structure_has_apples_fields(apple: Declarations) -> None:
    assert wrong_structs(apple, (DRIVER / "metal_types.hpp").read_text("utf-8")) == []


RIGHT = """
NEXUS_SELECTOR(setBuffer_offset_atIndex, "setBuffer:offset:atIndex:", void, id, NSUInteger,
               NSUInteger)
NEXUS_SELECTOR(setLanguageVersion, "setLanguageVersion:", void, NSUInteger)
NEXUS_SELECTOR(UTF8String, "UTF8String", const char *)
NEXUS_SELECTOR(dispatchThreadgroups, "dispatchThreadgroups:threadsPerThreadgroup:", void, MTLSize,
               MTLSize)
NEXUS_SELECTOR(supportsFamily, "supportsFamily:", BOOL, MTLGPUFamily)
NEXUS_SELECTOR(addCompletedHandler, "addCompletedHandler:", void, Block)
NEXUS_SELECTOR(newLibraryWithSource, "newLibraryWithSource:options:error:", id, id, id, id *)
NEXUS_SELECTOR(release, "release", void)
"""
HEADER = """
using MTLGPUFamily = NSInteger;
struct MTLSize { NSUInteger width, height, depth; };
struct NSRange { NSUInteger location; NSUInteger length; };
constexpr NSUInteger MTLResourceStorageModePrivate = 2 << 4;
enum MTLCommandBufferStatus : NSUInteger { MTLCommandBufferStatusCompleted = 4 };
"""


def test_declarations_that_are_right_pass(apple: Declarations) -> None:
    assert len(list(sent(RIGHT))) == 8
    assert len(constants(HEADER)) == 2
    assert wrong_selectors(apple, RIGHT, HEADER) == []
    assert wrong_constants(apple, HEADER) == []
    assert wrong_structs(apple, HEADER) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("setBuffer:offset:atIndex:", "setBuffer:atOffset:index:"),
        ("void, id, NSUInteger,", "void, id, double,"),
        ("setLanguageVersion:", "setLanguagesVersion:"),
        ('"UTF8String", const char *', '"UTF8String", id'),
        ("BOOL, MTLGPUFamily", "BOOL, NSUInteger"),
        ('"release", void', '"release", id'),
        ("id, id, id, id *)", "id, id, id)"),
    ],
)
def test_a_wrong_selector_is_found(apple: Declarations, right: str, wrong: str) -> None:
    assert right in RIGHT
    assert len(wrong_selectors(apple, RIGHT.replace(right, wrong), HEADER)) == 1


def test_a_wrong_constant_or_structure_is_found(apple: Declarations) -> None:
    (found,) = wrong_constants(apple, HEADER.replace("Completed = 4", "Completed = 5"))
    assert found == "MTLCommandBufferStatusCompleted = 5, Apple's: 4"
    (found,) = wrong_structs(apple, HEADER.replace("width, height, depth", "width, height"))
    assert found == "MTLSize: QQ, Apple's: {MTLSize=QQQ}"
