# SPDX-License-Identifier: Apache-2.0
"""Describes the binary layout of the C-API: sizes, offsets, numbers, table order, signatures.

The declarations are read from the headers themselves, so that nothing can be forgotten, and
measured by a compiled C or C++ program. Record a change that is meant with

    python tests/abi/layout.py --record

and add a line to docs/abi-changelog.md.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "packages/nexus-core/include"
LICENCE = "# SPDX-License-Identifier: Apache-2.0"
GOLDEN = Path(__file__).parent / "golden/nxs-1.0.txt"
HEADERS = ["nxs_enums.h", "nxs_propertys.h", "nxs.h", "nxs_functions.h"]
LANGUAGES = {"c": ("-std=c11", "c"), "c++": ("-std=c++20", "c++")}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]

STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\}\s*\1;", re.DOTALL)
FIELD = re.compile(r"(?P<type>[\w ]+?[ *]+)(?P<name>\w+)(?P<array>\[\w+\])?$")
POINTER = re.compile(r"(?P<result>.+?)\(\*(?P<name>\w+)\)\s*\((?P<parameters>.*)\)$", re.DOTALL)
ENUMERATOR = re.compile(r"^  (NXS_\w+|NP_\w+) = ", re.MULTILINE)
FLAG = re.compile(r"^#define (NXS_\w+) \(?(?:UINT64_C|\d|-\d)", re.MULTILINE)
SCALAR = re.compile(r"^typedef (u?int\d+_t) (nxs_\w+);", re.MULTILINE)
FUNCTION = re.compile(
    r"^NXS_FUNCTION\((REQUIRED|OPTIONAL), (\d+), (\w+),\s*(\(.*?\))\)$", re.MULTILINE | re.DOTALL
)


def source_of(include: Path) -> tuple[str, str]:
    """The text of the headers, and that of the function list, without comments."""
    texts = [(include / "nexus-api" / name).read_text("utf-8") for name in HEADERS]
    functions = (include / "nexus-api/nxs_functions.def").read_text("utf-8")
    return without_comments("\n".join(texts)), without_comments(functions)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def spaces(text: str) -> str:
    """The text with single spaces."""
    return re.sub(r"\s+", " ", text).strip()


def fields_of(body: str) -> list[tuple[str, str]]:
    """Name and type of each field of a struct's body; the function table's are made of the list."""
    fields = []
    for declaration in body.split(";"):
        plain = spaces(re.sub(r"^\s*#.*$", "", declaration, flags=re.MULTILINE))
        if not plain or "##" in plain:
            continue
        if match := POINTER.match(plain):
            fields.append((match["name"], f"{match['result']}(*)({spaces(match['parameters'])})"))
        else:
            match = FIELD.match(plain)
            assert match, f"a field that layout.py can't read: {plain}"
            fields.append((match["name"], spaces(match["type"]) + (match["array"] or "")))
    return fields


def program_of(include: Path) -> str:
    """The source of a program, in both languages, that prints the measured layout."""
    headers, function_list = source_of(include)
    functions = FUNCTION.findall(function_list)
    lines = []

    def show(label: str, *numbers: str) -> None:
        text = label.replace("\\", "\\\\").replace('"', '\\"')
        arguments = "".join(f", (long long)({number})" for number in numbers)
        lines.append(f'  printf("{text}{" %lld" * len(numbers)}\\n"{arguments});')

    show("version", "NXS_API_VERSION_MAJOR", "NXS_API_VERSION_MINOR")
    for base, name in SCALAR.findall(headers):
        show(f"scalar {name} = {base}:", f"sizeof({name})")
    for name, body in STRUCT.findall(headers):
        show(f"struct {name}: size", f"sizeof({name})")
        fields = fields_of(body)
        if name == "nxs_functions":
            fields += [(function, f"nxs{function}_fn") for _, _, function, _ in functions]
        for field, kind in fields:
            size = f"sizeof((({name} *)0)->{field})"
            show(f"  {name}.{field}: {kind}, offset and size", f"offsetof({name}, {field})", size)
    for need, since, name, parameters in functions:
        show(f"function nxs{name}: {need} since {since} {spaces(parameters)}")
    for name in dict.fromkeys(ENUMERATOR.findall(headers) + FLAG.findall(headers)):
        show(f"number {name}", name)
    show("an id of type 5, tag 4, generation 3, index 2:", "NXS_ID_MAKE(5, 4, 3, 2)")
    body = "\n".join(lines)
    return (
        "#include <nexus-api/nxs_functions.h>\n#include <stdio.h>\n\n"
        f"int main(void) {{\n{body}\n  return 0;\n}}\n"
    )


def describe(compiler: list[str], language: str, include: Path = INCLUDE) -> str:
    """The layout as a compiler of the language ("c" or "c++") sees it, one fact a line."""
    standard, kind = LANGUAGES[language]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "layout.txt")
        program = Path(folder, "layout")
        source.write_text(program_of(include), "utf-8")
        flags = [standard, *WARNINGS, f"-I{include}", "-x", kind]
        subprocess.run([*compiler, *flags, str(source), "-o", str(program)], check=True)
        facts = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        return f"{LICENCE}\n{facts}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The binary layout of the nxs C-API.")
    parser.add_argument("--record", action="store_true", help="write it to the golden file")
    compiler = shutil.which("gcc") or shutil.which("clang") or "cc"
    layout = describe([compiler], "c")
    if parser.parse_args().record:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(layout, "utf-8")
        print(f"wrote {GOLDEN}; now add a line to docs/abi-changelog.md")
    else:
        print(layout, end="")


if __name__ == "__main__":
    main()
