# SPDX-License-Identifier: Apache-2.0
"""Processor limits of containers' control groups, read from a simulated root folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from building import C_API, ROOT, compiler

SOURCE = ROOT / "packages" / "nexus-cpu" / "src"

Limit = Callable[[dict[str, str]], int]


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("limit") / "container_limit"
    sources = [
        Path(__file__).parent / "container_limit_tool.cpp",
        *(SOURCE / f"{name}.cpp" for name in ("system/system_tree", "system/usage")),
    ]
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", f"-I{C_API}", f"-I{SOURCE}"]
    subprocess.run([*command, *sources, "-o", program], check=True)
    return program


@pytest.fixture
def limit(tool: Path, tmp_path: Path) -> Limit:
    def ask(files: dict[str, str]) -> int:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        run = subprocess.run([tool, tmp_path], capture_output=True, text=True, check=True)
        return int(run.stdout)

    return ask


def test_no_groups_are_no_limit(limit: Limit) -> None:
    assert limit({}) == 0


def test_version_2_says_quota_and_period(limit: Limit) -> None:
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "200000 100000\n"}
    assert limit(files) == 2


def test_a_part_of_a_processor_counts_as_one(limit: Limit) -> None:
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "150000 100000\n"}
    assert limit(files) == 2
    assert limit({"sys/fs/cgroup/job/cpu.max": "1000 100000\n"}) == 1


def test_max_is_no_limit(limit: Limit) -> None:
    files = {"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/cpu.max": "max 100000\n"}
    assert limit(files) == 0


def test_the_smallest_limit_of_the_groups_around_counts(limit: Limit) -> None:
    files = {
        "proc/self/cgroup": "0::/pod/job\n",
        "sys/fs/cgroup/pod/job/cpu.max": "800000 100000\n",
        "sys/fs/cgroup/pod/cpu.max": "300000 100000\n",
    }
    assert limit(files) == 3


def test_inside_a_container_the_mounted_folder_is_the_group(limit: Limit) -> None:
    files = {"proc/self/cgroup": "0::/docker/abc\n", "sys/fs/cgroup/cpu.max": "400000 100000\n"}
    assert limit(files) == 4


@pytest.mark.parametrize("folder", ["cpu", "cpu,cpuacct"])
def test_version_1_has_two_files(limit: Limit, folder: str) -> None:
    files = {
        "proc/self/cgroup": "5:memory:/job\n3:cpu,cpuacct:/job\n",
        f"sys/fs/cgroup/{folder}/job/cpu.cfs_quota_us": "500000\n",
        f"sys/fs/cgroup/{folder}/job/cpu.cfs_period_us": "100000\n",
    }
    assert limit(files) == 5


def test_a_quota_of_minus_one_is_no_limit(limit: Limit) -> None:
    files = {
        "proc/self/cgroup": "3:cpu:/\n",
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    }
    assert limit(files) == 0


@pytest.mark.parametrize("text", ["", "garbage\n", "0::\n", "::::\n", "0::/x\n\n3:cpu\n"])
def test_what_is_not_understood_is_no_limit(limit: Limit, text: str) -> None:
    assert limit({"proc/self/cgroup": text, "sys/fs/cgroup/x/cpu.max": "lots\n"}) == 0
