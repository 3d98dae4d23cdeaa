# SPDX-License-Identifier: Apache-2.0
"""The API reference names all that is public, with examples that run."""

from __future__ import annotations

import doctest
import inspect
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pages import BUILT, BUILT_FOLDER, ROOT

import nexus

EXAMPLES = ROOT / "docs" / "reference" / "examples"
PRELUDE = compile((EXAMPLES / "prelude.py").read_text(encoding="utf-8"), "prelude.py", "exec")
SECTION = re.compile(r"^# ([\w.]+)\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)

# Members that objects.md describes once: its examples are those of `object`.
SHARED = {name for name in dir(nexus.Buffer) if name.startswith("get_property")} | {"properties"}
# Special methods that a class's own reference must show.
SPECIAL = {"__array__", "__array_interface__", "__call__", "__len__"}
SPECIAL |= {"__getitem__", "__setitem__"}
SPECIAL |= {"__dlpack__", "__dlpack_device__", "__cuda_array_interface__", "__cuda_stream__"}
# Names that are not the module's, or are none before Python 3.12.
MORE = {"nexus", "nexus.__version__", "object", "Buffer.__buffer__"}


def examples() -> list[Any]:
    """Each example with its name, for pytest."""
    return [
        pytest.param(path, name, text, id=name)
        for path in sorted(EXAMPLES.glob("*.pycon"))
        for name, text in SECTION.findall(path.read_text(encoding="utf-8"))
    ]


EXAMPLE_NAMES = [each.id for each in examples()]


def headings() -> set[str]:
    """The headings of the pages, each below its page's own: 'Buffer', 'Buffer.copy'."""
    found = set()
    for path, text in BUILT.items():
        if path.parent == BUILT_FOLDER / "api":
            title, *below = re.findall(r"^#+ `?([\w. ]+)`?$", text, re.MULTILINE)
            found |= {title, *(f"{title}.{each}" for each in below)}
    return found


HEADINGS = headings()


def members(cls: Any) -> list[str]:
    """The names that a class itself makes public; fields of records stand in its own text."""
    fields = getattr(cls, "__dataclass_fields__", {})
    return [
        name
        for name, value in vars(cls).items()
        if name not in fields
        if (name in SPECIAL and cls.__module__ == "nexus")
        or (not name.startswith("_") and type(value).__name__ != "_tuplegetter")
    ]


def public_names() -> list[str]:
    """All that a program may use, as the examples name it."""
    names = [f"object.{name}" for name in sorted(SHARED)]
    for name in nexus.__all__:
        value = getattr(nexus, name)
        names.append(name)
        if inspect.isclass(value) and not issubclass(value, BaseException):
            names += [f"{name}.{each}" for each in members(value) if each not in SHARED]
    return names


@contextmanager
def working_folder() -> Iterator[None]:
    """Makes an empty folder the working folder, where examples write files."""
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run(text: str, name: str, path: Path) -> str:
    """Runs the lines of an interactive session; returns what differs from it."""
    names: dict[str, Any] = {}
    said: list[str] = []
    with working_folder():
        exec(PRELUDE, names)
        test = doctest.DocTestParser().get_doctest(text, names, name, str(path), 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=said.append)
    return "".join(said) if test.examples else "there is no line that begins with >>>"


def value_of(name: str) -> Any:
    """Returns the object of a public name."""
    value: Any = nexus
    for part in name.replace("object.", "Buffer.").split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("path", "name", "text"), examples())
def test_an_example_runs(path: Path, name: str, text: str) -> None:
    assert run(text, name, path) == ""


@pytest.mark.parametrize(
    "name", [name for name in public_names() if ">>>" in (inspect.getdoc(value_of(name)) or "")]
)
def test_an_example_in_a_docstring_runs(name: str) -> None:
    assert run(inspect.getdoc(value_of(name)) or "", name, Path(nexus.__file__)) == ""


@pytest.mark.parametrize("name", public_names())
def test_what_is_public_has_an_example(name: str) -> None:
    assert name in EXAMPLE_NAMES


@pytest.mark.parametrize("name", public_names())
def test_what_is_public_has_a_docstring(name: str) -> None:
    assert inspect.getdoc(value_of(name))


def test_an_example_is_of_something_public() -> None:
    assert set(EXAMPLE_NAMES) - set(public_names()) == MORE


@pytest.mark.parametrize("name", public_names())
def test_what_is_public_is_in_the_pages(name: str) -> None:
    wanted = name.removeprefix("object.")
    assert any(each == wanted or each.endswith(f".{wanted}") for each in HEADINGS)
