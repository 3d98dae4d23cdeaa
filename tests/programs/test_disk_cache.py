# SPDX-License-Identifier: Apache-2.0
"""The cache on disk, as the processes of a user meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import nexus

# Compiles the program of its argument, loads it, and prints what the caches did.
SCRIPT = """
import json, sys, nexus
code = nexus.Program(sys.argv[1], name="put.c").compile("cpu")
library = nexus.get_device("cpu").load_library(code)
info = nexus.get_cache_info()
print(json.dumps({"compiled": info.compiled, "from_disk": info.from_disk, "off": info.off,
                  "kernels": [each.name for each in library.get_kernels()]}))
"""


def source(number: int = 7) -> str:
    return (
        "NEXUS_KERNEL_BOUNDED(put, (n), (NEXUS_GLOBAL int *, out), (int, n)) {"
        f" out[nexus_global_id(0)] = {number}; }}"
    )


@dataclass
class Cache:
    """A folder for entries, and processes that use it."""

    folder: Path

    def start(self, number: int = 7, **environment: str) -> subprocess.Popen[str]:
        """A process that compiles a program."""
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", SCRIPT, source(number)],
            env=os.environ
            | {"NEXUS_CACHE_DIR": str(self.folder), "NEXUS_CACHE": "1"}
            | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, number: int = 7, **environment: str) -> dict[str, Any]:
        """Returns the state of the caches in such a process, which must exit with 0."""
        return finished(self.start(number, **environment))

    def entries(self) -> list[Path]:
        return sorted(self.folder.glob("*.nxc"))


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    told: dict[str, Any] = json.loads(out)
    assert told["kernels"] == ["put"]
    return told


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture(scope="module")
def full() -> Iterator[Cache]:
    """A cache with the entry of the program, for tests that leave it as it is."""
    with tempfile.TemporaryDirectory() as folder:
        made = Cache(Path(folder) / "cache")
        assert made.run()["compiled"] == 1
        yield made


def test_a_second_process_starts_no_compiler(full: Cache) -> None:
    told = full.run()
    assert (told["compiled"], told["from_disk"]) == (0, 1)


def test_processes_that_begin_together_start_one_compiler(cache: Cache) -> None:
    running = [cache.start() for _ in range(8)]
    told = [finished(each) for each in running]
    assert sum(each["compiled"] for each in told) == 1
    assert len(cache.entries()) == 1
    assert not list(cache.folder.glob(".new-*"))


def test_clearing_from_python_empties_the_folder(cache: Cache, monkeypatch: Any) -> None:
    cache.run()
    monkeypatch.setenv("NEXUS_CACHE_DIR", str(cache.folder))
    assert nexus.get_cache_info().entries == 1
    assert nexus.get_cache_info().folder == str(cache.folder)
    assert nexus.clear_cache() == 1
    assert nexus.get_cache_info().entries == 0
