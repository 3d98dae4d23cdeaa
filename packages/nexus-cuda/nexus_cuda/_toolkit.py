# SPDX-License-Identifier: Apache-2.0
"""Finds NVIDIA's compilers, headers and cuBLAS in wheels, conda and toolkits.

It opens no library. cuda-pathfinder knows more places, but opens what it finds. So it is only used
for headers, and only if there are none in those places.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

# The name of each library's file, and its folders in wheels, below "nvidia".
_LIBRARIES = {
    "nvrtc": (re.compile(r"libnvrtc\.so\.\d+"), ("cu*/lib", "cuda_nvrtc/lib")),
    "nvjitlink": (re.compile(r"libnvJitLink\.so\.\d+"), ("cu*/lib", "nvjitlink/lib")),
    "cublas": (re.compile(r"libcublas\.so\.\d+"), ("cu*/lib", "cublas/lib")),
    "nvvm": (
        re.compile(r"libnvvm\.so(\.\d+)?"),
        ("cu*/lib", "cuda_nvcc/nvvm/lib64", "cuda_nvcc/nvvm/lib"),
    ),
}
_LIBDEVICE = ("cu*/nvvm/libdevice", "cuda_nvcc/nvvm/libdevice")
# In wheels for CUDA 12 and older; newer ones share a folder for each major version, as "cu13".
_OLD_HEADERS = ("cuda_runtime/include", "cuda_cccl/include")
_SANITIZERS = ("bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer")
_TOOLKIT_LIBS = ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "nvvm/lib64")
_VERSION = re.compile(r"#define\s+CUDART_VERSION\s+(\d+)")


def toolkit_config() -> dict[str, str]:
    """Returns the backend's settings: paths of libraries, and folders of headers by version."""
    wheels, toolkits = list(_wheel_folders()), list(_toolkits())
    config = {}
    for key, (name, folders) in _LIBRARIES.items():
        places = [*_below(wheels, folders), *_below(toolkits, _TOOLKIT_LIBS)]
        config[f"cuda.{key}"] = os.pathsep.join(map(str, _newest_first(places, name)))
    libdevice = [*_below(wheels, _LIBDEVICE), *_below(toolkits, ("nvvm/libdevice",))]
    config["cuda.libdevice"] = _first_file(folder / "libdevice.10.bc" for folder in libdevice)
    config["cuda.compute_sanitizer"] = _first_file(
        folder / name for folder in toolkits for name in _SANITIZERS
    )
    for major, headers in _headers(wheels, toolkits).items():
        config[f"cuda.include_{major}"] = os.pathsep.join(map(str, headers))
    return {key: value for key, value in config.items() if value}


def _first_file(paths: Iterable[Path]) -> str:
    return next((str(path) for path in paths if path.is_file()), "")


def _wheel_folders() -> Iterator[Path]:
    """Returns the folders "nvidia" that NVIDIA's wheels share."""
    for entry in sys.path:
        folder = Path(entry or ".") / "nvidia"
        if folder.is_dir():
            yield folder.resolve()


def _toolkits() -> Iterator[Path]:
    """Returns the toolkits of CUDA_PATH, CUDA_HOME, conda and /usr/local/cuda."""
    named = [os.environ.get(variable, "") for variable in ("CUDA_PATH", "CUDA_HOME")]
    prefix = Path(sys.prefix)
    conda = [prefix, prefix / "targets/x86_64-linux"] if (prefix / "conda-meta").is_dir() else []
    for folder in [*(Path(name) for name in named if name), *conda, Path("/usr/local/cuda")]:
        if folder.is_dir():
            yield folder.resolve()


def _below(parents: Iterable[Path], patterns: Iterable[str]) -> Iterator[Path]:
    """Returns the folders that match a pattern below each parent."""
    for parent in parents:
        for pattern in patterns:
            yield from (path for path in parent.glob(pattern) if path.is_dir())


def _newest_first(folders: Iterable[Path], name: re.Pattern[str]) -> list[Path]:
    """Returns the files with that name, the highest version number first."""
    found: dict[Path, Path] = {}  # by the file that links lead to
    for folder in folders:
        for path in folder.iterdir():
            if name.fullmatch(path.name):
                found.setdefault(path.resolve(), path)

    def version(path: Path) -> int:
        number = path.suffix[1:]
        return int(number) if number.isdigit() else 0

    return sorted(found.values(), key=version, reverse=True)


def _headers(wheels: list[Path], toolkits: list[Path]) -> dict[int, list[Path]]:
    """Returns the folders of CUDA's headers by major version, the first that are found of each."""
    found: dict[int, list[Path]] = {}
    for wheel in wheels:
        for folder in sorted(wheel.glob("cu[0-9]*/include")):
            _add_headers(found, [folder, folder / "cccl"])
        _add_headers(found, [wheel / part for part in _OLD_HEADERS])
    for toolkit in toolkits:
        include = toolkit / "include"
        _add_headers(found, [include, include / "cccl"])
    if not found and (known := _headers_of_pathfinder()) is not None:
        _add_headers(found, [known, known / "cccl"])
    return found


def _add_headers(found: dict[int, list[Path]], folders: list[Path]) -> None:
    """Adds the folders if the first has CUDA's headers, and there are none of their version."""
    try:
        with (folders[0] / "cuda_runtime_api.h").open(encoding="utf-8", errors="replace") as file:
            versions = (_VERSION.search(line) for line in file)
            version = next((int(match[1]) for match in versions if match), 0)
    except OSError:
        return
    if version:
        found.setdefault(version // 1000, [folder for folder in folders if folder.is_dir()])


def _headers_of_pathfinder() -> Path | None:
    """Returns the folder that cuda-pathfinder finds, if that is installed."""
    try:
        pathfinder = importlib.import_module("cuda.pathfinder")
    except ImportError:
        return None
    folder = pathfinder.find_nvidia_header_directory("cudart")
    return Path(folder) if folder else None
