# SPDX-License-Identifier: Apache-2.0
"""Finds NVIDIA's compilers and headers without opening any: in wheels, conda and toolkits.

cuda-pathfinder knows more places, and opens what it finds; it is asked for headers alone, and only
where there are none here.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# Of each library: its file's name, and the folders of wheels that it is in, below "nvidia".
_LIBRARIES = {
    "nvrtc": (re.compile(r"libnvrtc\.so\.\d+"), ("cu*/lib", "cuda_nvrtc/lib")),
    "nvjitlink": (re.compile(r"libnvJitLink\.so\.\d+"), ("cu*/lib", "nvjitlink/lib")),
    "nvvm": (
        re.compile(r"libnvvm\.so(\.\d+)?"),
        ("cu*/lib", "cuda_nvcc/nvvm/lib64", "cuda_nvcc/nvvm/lib"),
    ),
}
_LIBDEVICE = ("cu*/nvvm/libdevice", "cuda_nvcc/nvvm/libdevice")
# Of the wheels for CUDA 12 and below; later ones have one folder a major version, "cu13".
_OLD_HEADERS = ("cuda_runtime/include", "cuda_cccl/include")
_SANITIZERS = ("bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer")
_OF_TOOLKIT = ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "nvvm/lib64")
_VERSION = re.compile(r"#define\s+CUDART_VERSION\s+(\d+)")


def toolkit_config() -> dict[str, str]:
    """Settings of the backend: paths of libraries, and folders of headers by CUDA's version."""
    wheels, toolkits = list(_wheel_folders()), list(_toolkits())
    config = {}
    for key, (name, folders) in _LIBRARIES.items():
        places = [*_below(wheels, folders), *_below(toolkits, _OF_TOOLKIT)]
        config[f"cuda.{key}"] = os.pathsep.join(map(str, _newest_first(places, name)))
    libdevice = [*_below(wheels, _LIBDEVICE), *_below(toolkits, ("nvvm/libdevice",))]
    found = [folder / "libdevice.10.bc" for folder in libdevice]
    config["cuda.libdevice"] = next((str(path) for path in found if path.is_file()), "")
    tools = [folder / name for folder in toolkits for name in _SANITIZERS]
    config["cuda.compute_sanitizer"] = next((str(path) for path in tools if path.is_file()), "")
    for major, headers in _headers(wheels, toolkits).items():
        config[f"cuda.include_{major}"] = os.pathsep.join(map(str, headers))
    return {key: value for key, value in config.items() if value}


def _wheel_folders() -> Iterator[Path]:
    """The folders "nvidia" that NVIDIA's wheels share."""
    for entry in sys.path:
        folder = Path(entry or ".") / "nvidia"
        if folder.is_dir():
            yield folder.resolve()


def _toolkits() -> Iterator[Path]:
    """Toolkits: of the environment, of conda, and the system's usual one."""
    named = [os.environ.get(variable, "") for variable in ("CUDA_PATH", "CUDA_HOME")]
    prefix = Path(sys.prefix)
    conda = [prefix, prefix / "targets/x86_64-linux"] if (prefix / "conda-meta").is_dir() else []
    for folder in [*(Path(name) for name in named if name), *conda, Path("/usr/local/cuda")]:
        if folder.is_dir():
            yield folder.resolve()


def _below(parents: Iterable[Path], patterns: Iterable[str]) -> Iterator[Path]:
    """The folders of these patterns below each parent."""
    for parent in parents:
        for pattern in patterns:
            found = parent.glob(pattern) if "*" in pattern else [parent / pattern]
            yield from (path for path in found if path.is_dir())


def _newest_first(folders: Iterable[Path], name: re.Pattern[str]) -> list[Path]:
    """The files of that name, those of newer versions first."""
    found: dict[Path, tuple[Path, int]] = {}  # by the file that a link leads to
    for folder in folders:
        for path in folder.iterdir():
            if name.fullmatch(path.name):
                number = path.suffix[1:]
                version = int(number) if number.isdigit() else 0
                found.setdefault(path.resolve(), (path, version))
    return [path for path, _ in sorted(found.values(), key=lambda each: each[1], reverse=True)]


def _headers(wheels: list[Path], toolkits: list[Path]) -> dict[int, list[Path]]:
    """Folders of CUDA's own headers, by the major version that they are of; the first wins."""
    found: dict[int, list[Path]] = {}
    for wheel in wheels:
        for folder in sorted(wheel.glob("cu[0-9]*/include")):
            _add_headers(found, [folder, folder / "cccl"])
        _add_headers(found, [wheel / part for part in _OLD_HEADERS])
    for toolkit in toolkits:
        include = toolkit / "include"
        _add_headers(found, [include, include / "cccl"])
    if not found:
        known = _headers_of_pathfinder()
        if known is not None:
            _add_headers(found, [known, known / "cccl"])
    return found


def _add_headers(found: dict[int, list[Path]], folders: list[Path]) -> None:
    """Takes the folders where the first has CUDA's headers, of a version that is not there yet."""
    try:
        with (folders[0] / "cuda_runtime_api.h").open(encoding="utf-8", errors="replace") as file:
            versions = (_VERSION.search(line) for line in file)
            version = next((int(match[1]) for match in versions if match), 0)
    except OSError:
        return
    if version:
        found.setdefault(version // 1000, [folder for folder in folders if folder.is_dir()])


def _headers_of_pathfinder() -> Path | None:
    """Where cuda-pathfinder knows the headers to be, where that is installed."""
    try:
        pathfinder = importlib.import_module("cuda.pathfinder")
    except ImportError:
        return None
    folder = pathfinder.find_nvidia_header_directory("cudart")
    return Path(folder) if folder else None
