# SPDX-License-Identifier: Apache-2.0
"""Reads the API reference's content from the sources, without importing nexus.

The compiled classes come from the stub nexus/_core.pyi, which `nox -s gen` makes from their
docstrings; the rest comes from the Python files.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "packages" / "nexus-core" / "nexus"
EXAMPLES = ROOT / "docs" / "reference" / "examples"
WIDTH = 96


@dataclass(frozen=True)
class Entry:
    """A function, method or property, with its docstring."""

    name: str
    signature: str
    text: str
    is_property: bool = False

    @property
    def label(self) -> str:
        """The name in prose."""
        return self.name if self.is_property else f"{self.name}()"


@dataclass(frozen=True)
class Class:
    """A class and its public members, in the order of the source."""

    name: str
    text: str
    members: list[Entry] = field(default_factory=list)


@dataclass(frozen=True)
class Constant:
    """A named value with its explanation: a member of an enumeration, or a type alias."""

    name: str
    value: str
    text: str


def parse(name: str) -> ast.Module:
    """Returns the syntax tree of a file of the package."""
    return ast.parse((PACKAGE / name).read_text(encoding="utf-8"))


def docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """Returns the docstring, without indentation."""
    return ast.get_docstring(node) or ""


def signature(owner: str, node: ast.FunctionDef) -> str:
    """Returns a typed signature: `Buffer.copy(host: WritableArray, ...) -> None`."""
    prefix = f"{owner}.{node.name}"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parameters = [part for part in parameters_of(node.args) if part != "self"]
    line = f"{prefix}({', '.join(parameters)}){result}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{prefix}(", *(f"    {part}," for part in parameters), f"){result}"])


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Returns each parameter with its type and default, and the marks `*` and `/`."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [*[None] * missing, *arguments.defaults]
    parts = [parameter(each, default) for each, default in zip(positional, defaults, strict=True)]
    if arguments.posonlyargs and parts[0] != "self":
        parts.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        parts.append("*" + parameter(arguments.vararg, None))
    elif arguments.kwonlyargs:
        parts.append("*")
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return parts + [parameter(each, default) for each, default in named]


def parameter(node: ast.arg, default: ast.expr | None) -> str:
    """Returns one parameter as its declaration writes it."""
    text = f"{node.arg}: {ast.unparse(node.annotation)}" if node.annotation else node.arg
    return f"{text} = {ast.unparse(default)}" if default else text


def entry(owner: str, node: ast.FunctionDef) -> Entry:
    """Returns a function, method or property."""
    decorators = {ast.unparse(each) for each in node.decorator_list}
    if "property" in decorators and node.returns:
        shown = f"{owner}.{node.name}: {ast.unparse(node.returns)}"
        return Entry(node.name, shown, docstring(node), is_property=True)
    return Entry(node.name, signature(owner, node), docstring(node))


def class_of(node: ast.ClassDef) -> Class:
    """Returns a class with the members that have a docstring."""
    members = [
        entry(node.name, each)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and docstring(each)
    ]
    return Class(node.name, docstring(node), members)


def classes(file: str) -> dict[str, Class]:
    """Returns the public classes of a file."""
    return {
        node.name: class_of(node)
        for node in parse(file).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


def functions(file: str, module: str = "nexus") -> list[Entry]:
    """Returns the public functions of a file."""
    return [
        entry(module, node)
        for node in parse(file).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def explained(body: list[ast.stmt]) -> Iterator[Constant]:
    """Returns the assignments of a body, each with the string below it."""
    for node, after in zip(body, [*body[1:], None], strict=True):
        target = None
        if isinstance(node, ast.Assign):
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        if not isinstance(target, ast.Name) or not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        text = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            text = inspect.cleandoc(str(after.value.value))
        yield Constant(target.id, ast.unparse(node.value) if node.value else "", text)


def type_aliases() -> list[Constant]:
    """Returns the names of types that signatures use."""
    return [each for each in explained(parse("_types.py").body) if each.text]


def enumerations() -> dict[str, tuple[ast.ClassDef, list[Constant]]]:
    """Returns the enumerations by their module's name, each with its members."""
    found: dict[str, tuple[ast.ClassDef, list[Constant]]] = {}
    for path in sorted(PACKAGE.glob("[a-z]*.py")):
        for node in parse(path.name).body:
            if isinstance(node, ast.ClassDef) and any(
                ast.unparse(base) in ("_IntEnum", "_PropertyKey") for base in node.bases
            ):
                found[path.stem] = (node, list(explained(node.body)))
    return found


def examples() -> dict[str, str]:
    """Returns the examples by the names that they show: 'Buffer', 'Buffer.copy', 'get_device'.

    A file of docs/reference/examples/ has sections that begin with a line `# name`.
    """
    found: dict[str, str] = {}
    for path in sorted(EXAMPLES.glob("*.pycon")):
        parts = re.split(r"^# ([\w.]+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            if name in found:
                raise SystemExit(f"{path}: there are two examples of {name}")
            found[name] = text.strip("\n")
    return found
