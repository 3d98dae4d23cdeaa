# SPDX-License-Identifier: Apache-2.0
"""Fails where the modules of a Python package import each other in a circle.

    python tools/cycles.py packages/nexus-core/nexus
    python tools/cycles.py --report packages/nexus-core/src

Imports are looked up by their whole names, as ours are written. One inside a function counts like
any other: it makes the start quick, but it also hides a circle that would fail at once if it stood
at the top. What only type checkers import does not count, since it never runs.

`--report` prints the circles of C++ includes and passes. `x.hpp` and `x.cpp` are one there, since
they are one object; the folders are looked at first, then the files.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

Graph = dict[str, set[str]]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def imports(path: Path) -> Iterator[Path]:
    """The modules that a module imports, among them those of other packages beside its own."""
    top = next(each for each in path.parents if not (each / "__init__.py").is_file())
    for name in _imported(ast.parse(path.read_bytes())):
        whole = top.joinpath(*name.split("."))
        for base in (whole, whole.parent):  # what is no module is a name in one
            sources = [base / "__init__.py", base.with_suffix(".py"), base.with_suffix(".pyi")]
            if found := [each for each in sources if each.is_file()]:
                yield found[0]
                break


def _imported(node: ast.AST) -> Iterator[str]:
    """Modules, and names in modules, which may be modules too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from _imported(child)


def includes(path: Path) -> Iterator[Path]:
    """The files that a C or C++ file includes, from beside it or from a folder above."""
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        found = (folder / name for folder in path.parents if (folder / name).is_file())
        yield from (each.resolve() for each in [next(found, path)])


def circles(graph: Graph) -> list[list[str]]:
    """The groups whose members all reach each other."""
    reached = {name: _reached(graph, name) for name in graph}
    groups = {
        tuple(sorted(each for each in reached[name] if name in reached[each])) for name in graph
    }
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reached(graph: Graph, begin: str) -> set[str]:
    found, left = {begin}, [begin]
    while left:
        new = graph[left.pop()] - found
        found |= new
        left += new
    return found


def main() -> int:
    """Prints the circles; 1 where Python modules have some."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--report", action="store_true", help="of C++ includes, and never fail")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    needs = includes if options.report else imports
    suffixes = (".c", ".h", ".cpp", ".hpp") if options.report else (".py",)
    names: list[Callable[[Path], Path]] = [lambda path: path.with_suffix("")]
    if options.report:
        names.insert(0, lambda path: path.parent)
    is_found = False
    for folder in (each.resolve() for each in options.folders):
        files = {path: set(needs(path)) for path in folder.rglob("*") if path.suffix in suffixes}
        for name in names:
            graph: Graph = {}
            for path, needed in files.items():
                ours = {str(name(each).relative_to(folder)) for each in needed & files.keys()}
                graph.setdefault(str(name(path).relative_to(folder)), set()).update(ours)
            for circle in circles(graph):
                is_found = True
                print(f"A circle of {len(circle)} in {folder}:")
                for one in circle:
                    print(f"  {one} needs {', '.join(sorted(graph[one] & {*circle} - {one}))}")
    return 1 if is_found and not options.report else 0


if __name__ == "__main__":
    sys.exit(main())
