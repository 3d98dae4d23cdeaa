# SPDX-License-Identifier: Apache-2.0
"""What Apple's headers declare of Metal, as two wheels for macOS tell it.

PyObjC's metadata has constants, structures, functions, the methods of protocols, and those of
classes that need a word about their types. Apple's metal-cpp, in MLX's wheel, has every method as a
C++ function that sends its selector. Types are written as Objective-C encodes them: @ is an object,
Q an NSUInteger, Z a bool.
"""

from __future__ import annotations

import ast
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Signature = tuple[str, ...]  # what a method returns, and its arguments

_PLAIN = {
    "void": "v", "bool": "Z", "float": "f", "double": "d", "char": "c", "uint8_t": "C",
    "uint32_t": "I", "uint64_t": "Q", "UInteger": "Q", "Integer": "q", "TimeInterval": "d",
    "Size": "{MTLSize=QQQ}", "Range": "{_NSRange=QQ}", "ErrorDomain": "@",
}  # fmt: skip


@dataclass(frozen=True)
class Declarations:
    """All that Apple declares.

    Attributes:
        selectors: of each selector the signatures that methods of this name have.
        enums: the values of constants.
        structs: the encoding of structures.
        functions: the signatures of functions in C.
    """

    selectors: dict[str, set[Signature]]
    enums: dict[str, int]
    structs: dict[str, str]
    functions: dict[str, str]


def declarations(folder: Path) -> Declarations:
    """Reads the wheels of pyobjc-framework-Metal and mlx-metal in a folder."""
    (pyobjc,) = folder.glob("pyobjc_framework_[mM]etal-*.whl")
    with zipfile.ZipFile(pyobjc) as archive:
        read = _of_pyobjc(ast.parse(archive.read("Metal/_metadata.py")))
    (mlx,) = folder.glob("mlx_metal-*.whl")
    with zipfile.ZipFile(mlx) as archive:
        headers = "".join(
            archive.read(name).decode()
            for name in archive.namelist()
            if re.search(r"metal_cpp/(Metal|Foundation)/\w+\.hpp$", name)
        )
    for selector, signatures in _of_metal_cpp(headers).items():
        # Where protocols differ in what a selector returns, PyObjC has one of them.
        read.selectors.setdefault(selector, set()).update(signatures)
    return read


def _of_pyobjc(tree: ast.Module) -> Declarations:
    found = Declarations({}, {}, {}, {})
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name == "r":
                _, selector, told = (_value(each) for each in node.args)
                found.selectors.setdefault(selector.decode(), set()).add(_signature(selector, told))
            elif name == "objc.createStructType":
                struct, encoding, _ = (_value(each) for each in node.args)
                found.structs[struct.partition(".")[2]] = encoding.decode()
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "enums":
            for each in filter(None, _value(node.value).split("$")):
                constant, _, value = each.partition("@")
                found.enums[constant] = int(value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "functions":
            for function, told in _value(node.value).items():
                found.functions[function] = told[0].decode()
    return found


def _value(node: ast.expr) -> Any:
    """Returns a literal's value, of `sel32or64(a, b)` and its like that of 64-bit Arm."""
    if isinstance(node, ast.Call):
        return _value(node.args[0 if ast.unparse(node.func) == "selAorI" else 1])
    if isinstance(node, ast.Dict):
        entries = zip(node.keys, node.values, strict=True)
        return {_value(key): _value(value) for key, value in entries if key}
    return ast.literal_eval(node)


def _signature(selector: bytes, told: dict[str, Any]) -> Signature:
    """A type that the metadata leaves out is an object: PyObjC asks the runtime for it."""

    def encoding(entry: dict[str, Any]) -> str:
        kind = entry.get("type", "@")
        return kind.decode() if isinstance(kind, bytes) else str(kind)

    count = selector.count(b":")
    arguments = (told.get("arguments", {}).get(2 + i, {}) for i in range(count))
    return (encoding(told.get("retval", {"type": "v"})), *map(encoding, arguments))


_SENDS = re.compile(
    r"_(?:MTL|NS)_INLINE ([^;{}()]+?)\s*\b[\w:]+(?:<[^>]*>)?::\w+\(([^;{}]*?)\)(?: const)?\s*"
    r"\{\s*(?:return )?[^{};]*?_(?:MTL|NS)_PRIVATE_SEL\((\w+)\)[^{};]*;\s*\}"
)
_ENUMS = re.compile(r"_(?:MTL|NS)_(?:ENUM|OPTIONS)\((?:NS::)?(\w+), (\w+)\)")
_NAMES = re.compile(r'_(?:MTL|NS)_PRIVATE_DEF_SEL\((\w+),\s*"([^"]+)"\)')


def _of_metal_cpp(headers: str) -> dict[str, set[Signature]]:
    selectors = dict(_NAMES.findall(headers))
    enums = {name: _PLAIN[kind] for kind, name in _ENUMS.findall(headers) if kind in _PLAIN}
    found: dict[str, set[Signature]] = {}
    for result, parameters, name in _SENDS.findall(headers):
        types = [re.sub(r"\w+$", "", each.strip()) for each in parameters.split(",") if each]
        signature = tuple(_encoded(each, enums) for each in (result, *types))
        if name in selectors and len(signature) == 1 + selectors[name].count(":"):
            found.setdefault(selectors[name], set()).add(signature)
    return found


def _encoded(declared: str, enums: dict[str, str]) -> str:
    """Returns the encoding of a type of metal-cpp."""
    name = re.sub(r"\b(const|class)\b|\b(MTL|NS)::|\s", "", declared)
    if name.endswith("**"):
        return "^@"
    if name.endswith("*"):
        kind = name[:-1]
        return {"char": "*", "void": "^v"}.get(kind, f"^{_PLAIN[kind]}" if kind in _PLAIN else "@")
    return _PLAIN.get(name) or enums.get(name, name)
