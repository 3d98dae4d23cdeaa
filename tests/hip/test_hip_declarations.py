# SPDX-License-Identifier: Apache-2.0
"""Our own declarations of HIP say what AMD's do: those of the newest HIP, and an installed ROCm's.

The newest are in the wheel rocm-bindings-hip. A ROCm's headers are looked for in $ROCM_PATH,
/opt/rocm and /usr, where Debian's libamdhip64-dev puts them.
"""

from __future__ import annotations

import ctypes
import enum
import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from built_plugin import cpp_command

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
DRIVER = ROOT / "packages/nexus-hip/src/driver"
TYPES = (DRIVER / "hip_types.hpp").read_text("utf-8")
LIST = (DRIVER / "hip_functions.def").read_text("utf-8")

# In the list, behind the type or the setting that some functions have.
NAME = r"(?:[\w ]+\*?, )?(\w+)"
NUMBERS = re.findall(r"\b((?:hip[A-Z]|HIP_)\w+) = (?:0x)?\d", TYPES)
STRUCTS = {
    name: re.findall(r"(\w+)(?:\[\d+\])?(?=[;,])", re.sub("//.*", "", fields))
    for name, fields in re.findall(r"struct (\w+) \{(.*?)\n\};", TYPES, re.DOTALL)
}
PROPERTIES = {name for name in STRUCTS if name.startswith("hipDeviceProp_t")}

# What one name of AMD's stands for, so that equal types are written equally.
SAME_TYPES = {
    "hipDeviceptr_t": "void *",
    "hipDevice_t": "int",
    "hipUUID": "hipUUID_t",
    "hipIpcMemHandle_t": "hipIpcMemHandle_st",
    "hipIpcEventHandle_t": "hipIpcEventHandle_st",
    "hipDeviceProp_tR0000": "hipDeviceProp_t",
    "hipDeviceProp_tR0600": "hipDeviceProp_t",
    "unsigned": "unsigned int",
}
# Numbers that ROCm 5 has otherwise.
CHANGED_IN_6 = {name for name in NUMBERS if name.startswith("hipMemoryType")} | {
    "hipIpcMemLazyEnablePeerAccess"
}


def parameter_type(parameter: str) -> str:
    """The type of a parameter, without its name and default."""
    text = re.sub(r"__dparm\(.*|\bDEFAULT\b.*|=.*", "", parameter).replace(
        "unsigned int", "unsigned"
    )
    words = re.findall(r"\w+|\*", text)
    if len(words) > 1 and words[-1] != "*":
        words.pop()
    named = " ".join(SAME_TYPES.get(word, word) for word in words)
    return re.sub(r"\s+", " ", named)


def parameter_types(parameters: str) -> list[str]:
    return [
        parameter_type(each) for each in parameters.split(",") if each.strip() not in ("", "void")
    ]


def our_functions() -> dict[str, list[str]]:
    """The parameters' types of each function of the list."""
    found = re.findall(
        rf"^HIP_(?:FUNCTION|OPTIONAL|SETTING|PLAIN)\({NAME},\s*\((.*?)\)\)",
        LIST,
        re.DOTALL | re.MULTILINE,
    )
    return {f"hip{name}": parameter_types(parameters) for name, parameters in found}


def differing(theirs: str) -> dict[str, tuple[list[str], list[str]]]:
    """Functions that a text declares otherwise than we do. Those that it lacks are not there."""
    different = {}
    for name, ours in our_functions().items():
        declared = re.search(
            rf"\b(?:hipError_t|char ?\*) ?{name}\s*\(([^;{{]*?)\)(?: except|;| noexcept| \{{)",
            theirs,
        )
        if declared is not None and parameter_types(declared[1]) != ours:
            different[name] = (ours, parameter_types(declared[1]))
    return different


def missing(theirs: str) -> set[str]:
    """Functions that a text does not declare."""
    return {name for name in our_functions() if not re.search(rf"\b{name}\s*\(", theirs)}


def run_cpp(folder: Path, head: str, lines: list[str], *options: str) -> dict[str, int]:
    """The numbers that a program of these lines, each NAME(expression), prints."""
    source, program = folder / "declared.cpp", folder / "declared"
    show = '#define SHOW(name, number) std::printf("%s %lld\\n", name, (long long)(number));\n'
    body = "".join(f"  {line}\n" for line in lines)
    source.write_text(
        f"{head}\n#include <cstddef>\n#include <cstdio>\n{show}int main() {{\n{body}}}\n"
    )
    subprocess.run([*cpp_command(), "-w", *options, str(source), "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return {name: int(number) for name, number in map(str.split, printed.splitlines())}


def show_all(numbers: list[str], structs: dict[str, str]) -> list[str]:
    """Lines that show numbers, and of structs the sizes and their fields' places. structs: our name
    of each and theirs. Fields that are not of interest are called before and after."""
    lines = [f'SHOW("{name}", {name})' for name in numbers]
    for ours, theirs in structs.items():
        lines.append(f'SHOW("{ours}", sizeof({theirs}))')
        fields = [field for field in STRUCTS[ours] if field not in ("before", "after")]
        lines += [f'SHOW("{ours}.{field}", offsetof({theirs}, {field}))' for field in fields]
    return lines


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Our numbers, sizes and places."""
    head = '#include "driver/hip_types.hpp"\nusing namespace nexus_hip;'
    lines = show_all(NUMBERS, {name: f"nexus_hip::{name}" for name in STRUCTS})
    include = f"-I{DRIVER.parent}"
    return run_cpp(tmp_path_factory.mktemp("ours"), head, lines, include)


# ---- The newest HIP ----------------------------------------------------------


@pytest.fixture(scope="session")
def newest() -> Any:
    """The module of rocm-bindings-hip, which opens HIP when a function is called."""
    if find_spec("rocm") is None:
        pytest.skip("needs AMD's declarations: pip install rocm-bindings-hip")
    return pytest.importorskip("rocm.bindings.hip")


def declarations_of(module: Any) -> str:
    return (Path(module.__file__).parent / "cyhip.pxd").read_text("utf-8")


def test_the_newest_hip_has_all_functions_with_these_parameters(newest: Any) -> None:
    words = declarations_of(newest)
    versions = {"hipGetDevicePropertiesR0000", "hipGetDevicePropertiesR0600"}
    assert missing(words) <= versions
    assert differing(words) == {}


def test_the_newest_hip_has_these_numbers(newest: Any, ours: dict[str, int]) -> None:
    theirs = {name: value for name, value in vars(newest).items() if isinstance(value, int)}
    for value in vars(newest).values():
        if isinstance(value, type) and issubclass(value, enum.Enum):
            theirs.update({name: int(each.value) for name, each in value.__members__.items()})
    told = {name: theirs[name] % 2**32 for name in NUMBERS if name != "hipStreamPerThread"}
    assert told == {name: ours[name] for name in told}


def test_the_newest_hip_has_these_structs(newest: Any, ours: dict[str, int]) -> None:
    names = {name: SAME_TYPES.get(name, name) for name in STRUCTS if name != "hipDeviceProp_tR0000"}
    sizes = {name: getattr(newest, theirs)().c_sizeof() for name, theirs in names.items()}
    assert sizes == {name: ours[name] for name in names}


def test_the_newest_hip_has_the_architecture_s_name_there(
    newest: Any, ours: dict[str, int]
) -> None:
    properties = newest.hipDeviceProp_t()
    start = int(properties)
    ctypes.memset(start, 0, ours["hipDeviceProp_tR0600"])
    ctypes.memmove(start + ours["hipDeviceProp_tR0600.gcnArchName"], b"gfx", 3)
    assert properties.gcnArchName == "gfx"


# ---- An installed ROCm ---------------------------------------------------------


@pytest.fixture(scope="session")
def headers() -> Path:
    """The folder of a ROCm's headers."""
    places = [
        Path(place) for place in (os.environ.get("ROCM_PATH", "/opt/rocm"), "/opt/rocm", "/usr")
    ]
    for place in places:
        if (place / "include/hip/hip_runtime_api.h").is_file():
            return place / "include"
    pytest.skip(
        "needs ROCm's headers, such as Debian's libamdhip64-dev; ROCM_PATH names the folder"
    )


def version_of(headers: Path) -> int:
    text = (headers / "hip/hip_version.h").read_text("utf-8")
    found = re.search(r"#define HIP_VERSION_MAJOR (\d+)", text)
    assert found is not None
    return int(found[1])


def test_this_rocm_has_the_required_functions_with_these_parameters(headers: Path) -> None:
    words = (headers / "hip/hip_runtime_api.h").read_text("utf-8")
    words = re.sub(r"//.*", "", words)
    required = {
        f"hip{name}" for name in re.findall(rf"^HIP_(?:FUNCTION|PLAIN)\({NAME}", LIST, re.MULTILINE)
    }
    assert missing(words) & required == set()
    assert differing(words) == {}


def test_this_rocm_has_these_numbers_and_structs(
    headers: Path, ours: dict[str, int], tmp_path: Path
) -> None:
    words = "".join(path.read_text("utf-8") for path in (headers / "hip").glob("*.h"))
    old = version_of(headers) < 6
    names = [name for name in NUMBERS if re.search(rf"\b{name}\b", words)]
    names = [name for name in names if not (old and name in CHANGED_IN_6)]
    layout = "hipDeviceProp_tR0000" if old else "hipDeviceProp_tR0600"
    structs = {name: name for name in STRUCTS if name not in PROPERTIES} | {
        layout: "hipDeviceProp_t"
    }
    head = "#define __HIP_PLATFORM_AMD__ 1\n#include <hip/hip_runtime_api.h>"
    theirs = run_cpp(tmp_path, head, show_all(names, structs), f"-I{headers}")
    assert theirs == {name: ours[name] for name in theirs}
    assert len(names) > len(NUMBERS) * 3 // 4


# ---- The simulated HIP ---------------------------------------------------------


SIMULATED = ROOT / "tests/drivers/hip"


def test_the_simulated_hip_has_all_functions_with_these_parameters() -> None:
    words = "".join(path.read_text("utf-8") for path in sorted(SIMULATED.glob("*.cpp")))
    assert missing(words) == set()
    assert differing(words) == {}


def test_the_simulated_hip_has_these_numbers_and_structs(
    ours: dict[str, int], tmp_path: Path
) -> None:
    words = "".join((SIMULATED / name).read_text("utf-8") for name in ("driver.hpp", "results.def"))
    names = [name for name in NUMBERS if re.search(rf"\b{name}(?: =|,)", words)]
    structs = {name: name for name in STRUCTS if f"struct {name} {{" in words}
    head = '#include "driver.hpp"'
    theirs = run_cpp(tmp_path, head, show_all(names, structs), f"-I{SIMULATED}")
    assert theirs == {name: ours[name] for name in theirs}
    assert len(names) > len(NUMBERS) // 3
