# SPDX-License-Identifier: Apache-2.0
"""The kernel language as Metal, read by the parser of Metal's language in crosstl.

It knows Metal's qualifiers and attributes, checks the form of statements, and resolves neither
names nor types.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from corpus import INCLUDE, PROGRAMS, Program, snippet

pytest.importorskip("crosstl", reason="not checked: pip install crosstl")
from crosstl.backend.Metal.MetalLexer import MetalLexer
from crosstl.backend.Metal.MetalParser import MetalParser

ADDRESS_SPACES = {"device", "constant", "threadgroup"}
WITH_FLOAT64 = {"doubles"}  # left out where NEXUS_HAS_FLOAT64 is 0


def parsed(program: Program, folder: Path) -> Any:
    """The tree of a program, preprocessed for crosstl, without the text of Metal's library."""
    if shutil.which("g++") is None:
        pytest.skip("not checked: apt-get install g++")
    (folder / "metal_stdlib").touch()
    (folder / "kernel.metal").write_text(program.text, "utf-8")
    text = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", "-std=c++14", "-D__METAL_VERSION__=240", f"-I{folder}",
         f"-I{INCLUDE}", str(folder / "kernel.metal")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    # Without the kernels that describe others: crosstl reads neither sizeof(int) nor nxk_type<int>.
    read = re.sub(r"kernel void nexus_describe_\w+\(.*?nxk_all\[i\]; \}", "", text, flags=re.DOTALL)
    joined = re.sub(r'"\s+"', "", read)  # neighbouring literals, which crosstl does not join
    return MetalParser(MetalLexer(joined).tokenize()).parse()


def buffers(kernel: Any) -> list[tuple[str, int]]:
    """The address space and number of each parameter that is a buffer."""
    return [
        (next(iter(ADDRESS_SPACES & set(parameter.qualifiers)), ""), int(attribute.args[0]))
        for parameter in kernel.params
        for attribute in parameter.attributes
        if attribute.name == "buffer"
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_every_construct_is_metal_to_its_parser(program: Program, tmp_path: Path) -> None:
    tree = parsed(program, tmp_path)
    kernels = [each for each in tree.functions if "kernel" in each.qualifiers]
    named = re.findall(r"^NEXUS_(?:\w+_)?KERNEL\w*\((\w+)", program.text, re.MULTILINE)
    assert {each.name for each in kernels} == set(named) - WITH_FLOAT64
    for each in kernels:
        found = buffers(each)
        assert [number for _, number in found] == list(range(len(found))), each.name
        assert all(space for space, _ in found), each.name


def test_the_parser_refuses_what_is_no_statement(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="Expected SEMICOLON"):
        parsed(snippet("NEXUS_KERNEL(k, (NEXUS_GLOBAL int *, x)) { x[0] = 1 }"), tmp_path)
