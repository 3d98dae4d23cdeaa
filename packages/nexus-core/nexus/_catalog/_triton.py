# SPDX-License-Identifier: Apache-2.0
"""Reads kernels that Triton compiled, for catalogs.

Triton's cache has a folder for each compiled kernel: `NAME.json` (the options and the target),
`NAME.cubin` or `NAME.hsaco` (the code), and `NAME.ttir` (the program, with the arguments).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from nexus._catalog._build import Build, Entry, bare_build
from nexus._errors import NexusError, missing_file
from nexus.status import NXS_InvalidBinary

_ENDINGS = {"cuda": ".cubin", "hip": ".hsaco"}
_TUNING = ("num_warps", "num_stages", "num_ctas", "waves_per_eu")
_TYPES = {
    "i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
_FUNCTION = re.compile(r"^\s*tt\.func public @([\w$.]+)\((.*)\)[^)]*\{\s*$", re.MULTILINE)
_ARGUMENT = re.compile(r"%([\w$.]+): (!tt\.ptr<)?([\w.!]+)>?( \{tt\.divisibility = 16\b)?")
# Parameters that Triton adds after the program's own arguments.
_SCRATCH = ("global_scratch", "profile_scratch")


class _Kernel(NamedTuple):
    name: str
    target: str  # "cuda:sm_90"
    hash: str
    code: Path
    entry: Entry


def builds(path: Path) -> list[Build]:
    """Returns the builds of the kernels in Triton's cache folder, or of one kernel's .json file.

    Each kernel becomes a library with the kernel's name. If the folder has several variants of a
    kernel for one target, the start of Triton's hash is added to the name.

    Raises:
        NexusError: there are none, or a file is missing or malformed.
    """
    found = list(filter(None, map(_read, _files(path))))
    if not found:
        raise NexusError(
            f"'{path}' has no kernel that Triton compiled for CUDA or HIP: give its cache folder, "
            "such as ~/.triton/cache, or the .json file of a kernel in it.",
            NXS_InvalidBinary,
        )
    variants = Counter((each.name, each.target) for each in found)
    several = {name for (name, _), count in variants.items() if count > 1}
    return [_build(each, each.name in several) for each in found]


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise missing_file(str(path), f"There is no file or folder '{path}'.")
    return sorted(path.rglob("*.json")) if path.is_dir() else [path]


def _read(file: Path) -> _Kernel | None:
    """Returns the kernel of a .json file; None for another kind of file."""
    try:
        told: dict[str, Any] = json.loads(file.read_bytes())
        target = told["target"]
        backend, name = target["backend"], str(told["name"])
        code = file.with_suffix(_ENDINGS[backend])
        threads = int(told["num_warps"]) * int(target["warp_size"])
        arch = target["arch"]
    except (KeyError, TypeError, ValueError):
        return None
    if not code.exists():
        raise missing_file(str(code), f"There is no file '{code}', the code of '{file.name}'.")
    tuning = {key: told[key] for key in _TUNING if isinstance(told.get(key), int)}
    kernel: Entry = {"Name": name, "GroupSize": [threads], "Tuning": tuning}
    if isinstance(told.get("shared"), int):
        kernel["LocalMemory"] = told["shared"]
    if arguments := _arguments(file.with_suffix(".ttir"), name):
        scratch = [each for each in _SCRATCH if f"{each}_size" in told]
        kernel["Arguments"] = arguments + [_scratch(each, told) for each in scratch]
    architecture = f"sm_{arch}" if backend == "cuda" else str(arch)
    return _Kernel(name, f"{backend}:{architecture}", str(told.get("hash", "")), code, kernel)


def _build(kernel: _Kernel, with_hash: bool) -> Build:
    library = f"{kernel.name}-{kernel.hash[:8]}" if with_hash else kernel.name
    made = bare_build(library, kernel.code.read_bytes(), kernel.target, kernel.code.suffix)
    return made._replace(kernels=[kernel.entry])


def _arguments(file: Path, name: str) -> list[Entry]:
    """Returns the arguments in the program's text; empty if the file is missing or an argument is
    neither a buffer nor a number."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return []
    found = next((each for each in _FUNCTION.finditer(text) if each[1] == name), None)
    if found is None:
        return []
    arguments = [_argument(each) for each in _ARGUMENT.finditer(found[2])]
    return arguments if all(arguments) and len(arguments) == found[2].count("%") else []


def _argument(found: re.Match[str]) -> Entry:
    """Returns an argument's entry; empty if its type is unknown."""
    name, pointer, type_, aligned = found.groups()
    if not pointer and type_ not in _TYPES:
        return {}
    made: Entry = {"Name": name, "Kind": "buffer" if pointer else "scalar"}
    if type_ in _TYPES:
        made["DataType"] = _TYPES[type_]
    if aligned:
        made["Description"] = "Compiled for values that are divisible by 16."
    return made


def _scratch(name: str, told: dict[str, Any]) -> Entry:
    size = told[f"{name}_size"]
    text = f"{size} bytes for each group." if size else "Not used; pass any buffer."
    return {"Name": name, "Kind": "buffer", "Description": f"Triton's own. {text}"}
