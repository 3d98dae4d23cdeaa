# SPDX-License-Identifier: Apache-2.0
"""Fails if Python modules import each other in a circle, or C++ files or folders do.

    python tools/cycles.py packages/nexus-core/nexus
    python tools/cycles.py --includes packages/nexus-core/src

Imports are looked up by their whole names. An import inside a function counts like any other: it
makes the start quick, but also hides a circle that would fail at once at the top of the module.
Imports for type checkers only do not count.

Includes are looked up from the folders above. `x.hpp` and `x.cpp` count as one.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Graph = dict[str, set[str]]
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def imports(path: Path) -> Iterator[Path]:
    """Returns the modules that a module imports, also from other packages beside its own."""
    top = next(each for each in path.parents if not (each / "__init__.py").is_file())
    for name in _imported(ast.parse(path.read_bytes())):
        whole = top.joinpath(*name.split("."))
        for base in (whole, whole.parent):  # what is not a module is a name in one
            sources = [base / "__init__.py", base.with_suffix(".py"), base.with_suffix(".pyi")]
            if found := [each for each in sources if each.is_file()]:
                yield found[0]
                break


def _imported(node: ast.AST) -> Iterator[str]:
    """Returns modules, and names in modules, which may be modules too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from _imported(child)


def includes(path: Path) -> Iterator[Path]:
    """Returns the files that a C or C++ file includes, from its folder or from one above."""
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        found = (folder / name for folder in path.parents if (folder / name).is_file())
        yield from (each.resolve() for each in [next(found, path)])


def circles(graph: Graph) -> list[list[str]]:
    """Returns the groups whose members all reach each other."""
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


def folder_graph(source: Path) -> Graph:
    """Returns which folders below one include files of which others."""
    files = [path for path in source.resolve().rglob("*") if path.suffix in C_SUFFIXES]
    return _graph(
        source.resolve(), {path: set(includes(path)) for path in files}, lambda p: p.parent
    )


def picture(source: Path) -> list[str]:
    """Returns a Mermaid diagram, without arrows to folders that another folder includes already."""
    graph = folder_graph(source)
    below = {name: _reached(graph, name) - {name} for name in graph}
    lines = ["flowchart TD"]
    for name in sorted(graph, key=lambda each: (-len(below[each]), each)):
        direct = graph[name] - {name}
        brought = set().union(*(below[each] for each in direct))
        lines += [f"  {name} --> {each}" for each in sorted(direct - brought)]
    return lines


def _graph(folder: Path, needed: dict[Path, set[Path]], name: Callable[[Path], Path]) -> Graph:
    graph: Graph = {}
    for path, others in needed.items():
        ours = {str(name(each).relative_to(folder)) for each in others & needed.keys()}
        graph.setdefault(str(name(path).relative_to(folder)), set()).update(ours)
    return graph


def _print_circles(folder: Path, graph: Graph) -> bool:
    found = circles(graph)
    for circle in found:
        print(f"A circle of {len(circle)} in {folder}:")
        for one in circle:
            print(f"  {one} needs {', '.join(sorted(graph[one] & {*circle} - {one}))}")
    return bool(found)


def fails(folder: Path, is_cpp: bool) -> bool:
    """Prints the circles of a folder; returns whether there is one."""
    suffixes: Iterable[str] = C_SUFFIXES if is_cpp else (".py",)
    paths = [path for path in folder.rglob("*") if path.suffix in suffixes]
    needed = {path: set((includes if is_cpp else imports)(path)) for path in paths}
    of_folders = is_cpp and _print_circles(folder, _graph(folder, needed, lambda path: path.parent))
    of_files = _print_circles(folder, _graph(folder, needed, lambda path: path.with_suffix("")))
    return of_folders or of_files


def main() -> int:
    """Prints the circles; returns 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--includes", action="store_true", help="of C++ files")
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    return max([fails(each.resolve(), options.includes) for each in options.folders])


if __name__ == "__main__":
    sys.exit(main())
