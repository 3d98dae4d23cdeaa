# SPDX-License-Identifier: Apache-2.0
"""Makes the reference of the C-API from the headers' comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "packages" / "nexus-core" / "include" / "nexus-api"

_FUNCTION = re.compile(
    r"(?:/\*(?P<comment>(?:(?!\*/).)*)\*/\n)"
    r"NXS_FUNCTION\((?P<need>\w+), (?P<since>\d+), (?P<name>\w+),\s*\((?P<parameters>.*?)\)\)$",
    re.DOTALL | re.MULTILINE,
)
_SECTION = re.compile(r"^/\* ==== (.+?) =+ \*/$", re.MULTILINE)
_HOLDS = re.compile(r"^ \* What holds for every function\n(.*?)^ \*/", re.DOTALL | re.MULTILINE)
_RULES = re.compile(r"^ \* Rules that hold everywhere\n(.*?)^ \*/", re.DOTALL | re.MULTILINE)
_TYPE = re.compile(
    r"^/\*(?P<comment>(?:(?!\*/).)*)\*/\n"
    r"(?P<code>typedef struct (?P<struct>\w+) \{.*?^\} \w+;|typedef [^;{]*?(?P<scalar>\w+);"
    r"(?:\nenum \{.*?^\};)?)",
    re.DOTALL | re.MULTILINE,
)
_QUERY = re.compile(
    r"^/\*(?P<comment>(?:(?!\*/).)*)\*/\nNXS_EXPORT (?P<code>[^;]+;)", re.DOTALL | re.MULTILINE
)
_ENUM = re.compile(
    r"^/\* (?P<comment>[^*]*?) \*/\ntypedef (?P<base>\w+) (?P<name>nxs_\w+);\n(?P<body>.*?)"
    r"(?=^#define NXS_FOR_EACH)",
    re.DOTALL | re.MULTILINE,
)
_NUMBER = re.compile(r"(NXS_\w+) = (-?\d+)(?:,? /\* (.*?) \*/)?")
_BIT = re.compile(r"#define (NXS_\w+) \(UINT64_C\(1\) << (\d+)\) /\* (.*?) \*/")
_CODE = re.compile(
    r"(?<![\w`])((?:NXS_|NP_)\w+(?:<\w+>)?\*?(?:_\*)?|nxs_?[A-Z_a-z]\w*|out_\w+|host_ptr|struct_size"
    r"|host->\w+|NULL|longjmp|<\w+\.h>|out_(?=\s))(?![\w`])"
)

_HEAD = """\
# The C-API, function by function

What a plug-in implements, in the words of its headers. [The tutorial](../vendors/tutorial.md) shows
it in use, [versions.md](../vendors/versions.md) how it grows, [the mapping](../design/mapping.md)
what each function is on CUDA, HIP, Metal and OpenCL. The numbers of properties are on
[a page of their own](properties.md).
"""


@dataclass(frozen=True)
class _Function:
    section: str
    need: str
    since: str
    name: str
    parameters: str
    contract: str
    statuses: str

    @property
    def summary(self) -> str:
        """Returns the contract's first sentence."""
        return re.split(r"(?<=[a-z0-9)])\.\s", f"{self.contract} ", maxsplit=1)[0]


def page() -> str:
    """Returns the text of the page."""
    types = _read(HEADERS / "nxs.h")
    table = _read(HEADERS / "nxs_functions.h")
    listed = _read(HEADERS / "nxs_functions.def")
    functions = list(_functions(listed))
    version = ".".join(re.findall(r"^#define NXS_API_VERSION_\w+ (\d+)$", types, re.MULTILINE))
    major = version.partition(".")[0]
    lines = [_HEAD, f"This is version {version}.\n", "## Rules\n", _bullets(_one(_RULES, types))]
    lines += ["## What holds for every function\n", _bullets(_one(_HOLDS, listed))]
    lines += ["## All functions\n", *_contents(functions), *_query(table)]
    for section in dict.fromkeys(each.section for each in functions):
        lines.append(f"## {section}\n")
        for each in functions:
            if each.section == section:
                lines += _function(each, major)
    lines += ["## Types\n", *_types(types), *_types(table)]
    lines += ["## Enumerations\n", *_enums(_read(HEADERS / "nxs_enums.h"))]
    return "\n".join(lines).rstrip("\n") + "\n"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _one(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    if found is None:
        raise ValueError(f"the headers have nothing like {pattern.pattern!r} any more")
    return found[1]


def _functions(text: str) -> Iterator[_Function]:
    sections = [(found.start(), found[1]) for found in _SECTION.finditer(text)]
    found_all = list(_FUNCTION.finditer(text))
    if len(found_all) != len(re.findall(r"^NXS_FUNCTION\(", text, re.MULTILINE)):
        raise ValueError("a function of nxs_functions.def has no comment above it")
    for found in found_all:
        section = next(name for start, name in reversed(sections) if start < found.start())
        contract, _, statuses = _plain(found["comment"]).partition("Statuses:")
        yield _Function(
            section, found["need"], found["since"], found["name"],
            re.sub(r"\s+", " ", found["parameters"]), contract.strip(), statuses.strip(),
        )  # fmt: skip


def _plain(comment: str) -> str:
    """Returns the lines of a comment without its stars."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment.strip("\n").splitlines()]
    return "\n".join(lines).strip()


def _prose(text: str) -> str:
    """Returns paragraphs, and lists for indented lines; names as code."""
    parts: list[str] = []
    for line in text.splitlines():
        item = re.match(r'^ +(?=\S)(?:- )?("\w+"|bits? [\d.]+)?', line)
        continued = line.startswith("      ") and parts and parts[-1].startswith("- ")
        if not line:
            parts.append("")
        elif item and (item[1] or line.lstrip().startswith("- ")) and not continued:
            words = line.strip().removeprefix("- ")
            words = re.sub(r'^("\w+"|bits? [\d.]+)\s+', r"`\1`: ", words).replace('`"', "`")
            parts.append("- " + words.replace('"`', "`"))
        elif parts and parts[-1].startswith("- ") and not item:
            parts += ["", line]
        elif parts and parts[-1]:
            parts[-1] += " " + line.strip()
        else:
            parts.append(line.strip())
    return _wrapped(parts)


def _wrapped(parts: list[str]) -> str:
    lines: list[str] = []
    for number, part in enumerate(parts):
        is_item = part.startswith("- ")
        if is_item and number and parts[number - 1] and not parts[number - 1].startswith("- "):
            lines.append("")
        lines += textwrap.wrap(
            _with_code(part), 110, subsequent_indent="  " if is_item else "",
            break_long_words=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
    return "\n".join(lines)


def _with_code(text: str) -> str:
    """Returns the text with the names of the C-API marked as code."""
    return _CODE.sub(r"`\1`", text)


def _bullets(comment: str) -> str:
    items = re.sub(r"\s+", " ", _plain(comment)).removeprefix("- ").split(" - ")
    return _wrapped([f"- {item}" for item in items]) + "\n"


def _contents(functions: list[_Function]) -> list[str]:
    lines = ["| function | | what it does |", "| --- | --- | --- |"]
    for each in functions:
        name = f"nxs{each.name}"
        summary = _with_code(re.sub(r"\s+", " ", each.summary))
        lines.append(f"| [`{name}`](#{name.lower()}) | {each.need.lower()} | {summary} |")
    return [*lines, ""]


def _function(each: _Function, major: str) -> list[str]:
    statuses = re.sub(r"\s+", " ", each.statuses)
    lines = [
        f"### nxs{each.name}\n",
        f"```c\n{_declaration(each)}\n```\n",
        f"{each.need.capitalize()}, since {major}.{each.since}.\n",
        _prose(each.contract) + "\n",
    ]
    if statuses:
        lines.append(_wrapped([f"Statuses: {statuses}"]) + "\n")
    return lines


def _declaration(each: _Function) -> str:
    head = f"nxs_status nxs{each.name}("
    line = f"{head}{each.parameters});"
    if len(line) <= 100:
        return line
    return head + (",\n" + " " * len(head)).join(each.parameters.split(", ")) + ");"


def _query(table: str) -> list[str]:
    found = _QUERY.search(table)
    if found is None:
        raise ValueError("nxs_functions.h has no nxsQueryPlugin any more")
    text = _prose(_plain(found["comment"]))
    return ["## nxsQueryPlugin\n", f"```c\n{found['code']}\n```\n", text + "\n"]


def _types(text: str) -> list[str]:
    lines = []
    for found in _TYPE.finditer(text):
        name = found["struct"] or found["scalar"]
        lines += [f"### {name}\n", _prose(_plain(found["comment"])) + "\n"]
        lines.append(f"```c\n{found['code']}\n```\n")
    return lines


def _enums(text: str) -> list[str]:
    lines = ["### nxs_status\n", "Every function returns one. 0 is success, errors are negative.\n"]
    lines += ["| name | number |", "| --- | --- |"]
    statuses = text.partition("typedef int32_t nxs_status;")[2].partition("};")[0]
    lines += [f"| `{name}` | {number} |" for name, number, _ in _NUMBER.findall(statuses)]
    for found in _ENUM.finditer(text.partition("typedef int32_t nxs_status;")[2]):
        bits = _BIT.findall(found["body"])
        column = "bit" if found["base"] == "uint64_t" else "number"
        lines += ["", f"### {found['name']}\n", f"{found['comment']}\n"]
        lines += [f"| name | {column} | meaning |", "| --- | --- | --- |"]
        for name, number, meaning in bits or _NUMBER.findall(found["body"]):
            lines.append(f"| `{name}` | {number} | {_with_code(meaning)} |")
    return lines
