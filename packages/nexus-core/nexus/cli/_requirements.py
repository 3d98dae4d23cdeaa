# SPDX-License-Identifier: Apache-2.0
"""The system requirements of each backend, and the commands that install them."""

from __future__ import annotations

import ctypes.util
import grp
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PCI = Path("/sys/bus/pci/devices")
_CLASSES = ("0x03", "0x12")  # display controllers and processing accelerators


@dataclass(frozen=True)
class Requirement:
    """The requirements of one backend.

    Attributes:
        maker: the maker of the GPUs; empty for a CPU.
        vendor: the maker's PCI vendor ID, as in /sys.
        library: the name of the driver's library, without lib and .so.
        files: patterns of the device files that a user needs to read and write.
        driver: the commands that install the driver, by distribution; the entry "" is the address
            of the maker's instructions.
        compiler: the command that installs the compiler; empty if it comes with the driver.
        platforms: the values of sys.platform where the backend exists; empty: all.
    """

    maker: str = ""
    vendor: str = ""
    library: str = ""
    files: tuple[str, ...] = ()
    driver: Mapping[str, str] = field(default_factory=dict)
    compiler: str = ""
    platforms: tuple[str, ...] = ()


KNOWN: Mapping[str, Requirement] = {
    "cpu": Requirement(compiler='pip install "nexus-cpu[compiler]"'),
    "cuda": Requirement(
        maker="NVIDIA",
        vendor="0x10de",
        library="cuda",
        files=("dev/nvidiactl", "dev/nvidia[0-9]*", "dev/nvidia-uvm"),
        driver={
            "ubuntu": "sudo ubuntu-drivers install",
            "debian": "sudo apt install nvidia-driver",
            "": "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",
        },
        compiler='pip install "nexus-cuda[nvrtc]"',
    ),
    "hip": Requirement(
        maker="AMD",
        vendor="0x1002",
        library="amdhip64",
        files=("dev/kfd", "dev/dri/renderD*"),
        driver={
            "ubuntu": "sudo apt install libamdhip64-dev",
            "debian": "sudo apt install libamdhip64-dev",
            "": "https://rocm.docs.amd.com/projects/install-on-linux/",
        },
    ),
    "metal": Requirement(maker="Apple", platforms=("darwin",)),
}


def driver_advice(requirement: Requirement) -> str:
    """Returns the command or address that installs the driver; empty if its library is there."""
    if not requirement.library or ctypes.util.find_library(requirement.library):
        return ""
    return next(
        (requirement.driver[name] for name in _distributions() if name in requirement.driver), ""
    )


def count_gpus(requirement: Requirement) -> int | None:
    """Returns the number of the maker's GPUs on the PCI bus; None if that is unknown."""
    if not requirement.vendor or not PCI.is_dir():
        return None
    return sum(
        _line(device / "vendor") == requirement.vendor
        and _line(device / "class").startswith(_CLASSES)
        for device in PCI.iterdir()
    )


def closed_files(requirement: Requirement, root: Path = Path("/")) -> Iterator[tuple[Path, str]]:
    """Returns the device files that this user can't use, each with its group.

    Files of the first pattern must exist. Other files, such as /dev/dri/renderD128, may belong to
    another maker's GPU.
    """
    if not requirement.files or not any(root.glob(requirement.files[0])):
        return
    for pattern in requirement.files:
        for path in sorted(root.glob(pattern)):
            if not os.access(path, os.R_OK | os.W_OK):
                yield path, _group(path)


def exists_here(requirement: Requirement) -> bool:
    """Returns whether the backend exists for this operating system."""
    return not requirement.platforms or sys.platform in requirement.platforms


def _distributions() -> list[str]:
    """Returns the names of this Linux distribution and of similar ones; "" is the last."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return [""]
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split(), ""]


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _group(path: Path) -> str:
    number = path.stat().st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
