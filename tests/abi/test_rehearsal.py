# SPDX-License-Identifier: Apache-2.0
"""Plug-ins and hosts of different versions meet: real binaries, in C and in C++ with the kit.

The versions are the frozen ones, today's, `newer`, which is today's headers with the next minor, a
function at the end of the list and a field at the end of structs, and two of other majors: `0.1`,
from before the first stable version, and `next`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import freeze
import pytest
from compilers import WARNINGS, run
from python_process import run_python

pytestmark = pytest.mark.long

FROZEN_VERSIONS = freeze.frozen_versions()
MAJOR, MINOR = map(int, freeze.api_version().split("."))
NEXT = MINOR + 1
FIRST, NEWEST = f"{MAJOR}.0", f"{MAJOR}.{NEXT}"
OTHER_MAJORS = {"0.1": (0, 1), "next": (MAJOR + 1, 0)}
LANGUAGES = {"c": "plain_plugin.c", "c++": "kit_plugin.cpp"}
HEADERS = ("include/nexus-api/nxs.h", "include/nexus-api/nxs_functions.h")
GROWN = r"\n\} (nxs_(?!string|functions)\w+);\n"  # the end of a struct that may grow

Folder = Callable[[str], Path]
"""sources(version): a folder with the include folder and the plug-ins of a version."""


def make_newer(folder: Path) -> None:
    """Makes the next minor of today's version in a folder."""
    for path in (folder / header for header in HEADERS):
        text = path.read_text("utf-8")
        text, grown = re.subn(GROWN, r"\n  uint64_t brought_by_newer;\n} \1;\n", text)
        assert grown
        path.write_text(text, "utf-8")
    renumber(folder, MAJOR, NEXT)
    functions_list = folder / "include/nexus-api/nxs_functions.def"
    text = functions_list.read_text("utf-8")
    entry = f"NXS_FUNCTION(OPTIONAL, {NEXT}, CountStars, (nxs_id device, uint64_t *out_stars))\n"
    end = "#undef NXS_FUNCTION\n"
    assert text.endswith(end)
    functions_list.write_text(text.removesuffix(end) + entry + end, "utf-8")


def renumber(folder: Path, major: int, minor: int) -> None:
    """Gives the headers in a folder another version."""
    header = folder / "include/nexus-api/nxs.h"
    text = header.read_text("utf-8")
    for part, number in (("MAJOR", major), ("MINOR", minor)):
        text, found = re.subn(f"(_VERSION_{part}) [0-9]+\n", f"\\1 {number}\n", text)
        assert found == 1
    header.write_text(text, "utf-8")


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made: dict[str, Path] = {}

    def folder_of(version: str) -> Path:
        if version not in made:
            folder = made[version] = tmp_path_factory.mktemp("sources")
            if version in FROZEN_VERSIONS:
                freeze.thaw(freeze.FROZEN / version, folder)
            else:
                freeze.copy_current(folder)
            if version == "newer":
                make_newer(folder)
            elif version in OTHER_MAJORS:
                renumber(folder, *OTHER_MAJORS[version])
        return made[version]

    return folder_of


@dataclass
class Builder:
    """Builds plug-ins and hosts, each once."""

    sources: Folder
    compilers: dict[str, list[str]]
    folder: Path

    def plugin(self, version: str, language: str, name: str, min_minor: int = 0) -> Path:
        """A plug-in of a version, which serves hosts from min_minor on."""
        flags = [f'-DNAME="{name}"', f"-DMIN_MINOR={min_minor}"]
        flags += ["-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
        source = LANGUAGES[language]
        library = self.folder / f"{Path(source).stem}-{name}-{version}-{min_minor}.so"
        return self._build(version, language, source, library, flags)

    def host(self, version: str) -> Path:
        """The host of a version."""
        return self._build(version, "c", "host.c", self.folder / f"host-{version}", ["-ldl"])

    def _build(
        self, version: str, language: str, source: str, target: Path, flags: list[str]
    ) -> Path:
        if not target.exists():
            folder = self.sources(version)
            standard = {"c": "-std=c11", "c++": "-std=c++20"}[language]
            newer = ["-DNEWER"] if version == "newer" else []
            command = [*self.compilers[language], standard, f"-I{folder / 'include'}", *WARNINGS]
            run([*command, *newer, str(folder / "plugins" / source), "-o", str(target), *flags])
        return target


@pytest.fixture(scope="session")
def builder(
    sources: Folder, cc: list[str], cxx: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Builder:
    return Builder(sources, {"c": cc, "c++": cxx}, tmp_path_factory.mktemp("binaries"))


def meet(host: Path, plugin: Path, min_minor: int = 0) -> dict[str, str]:
    """Returns what a host saw of a plug-in."""
    return dict(re.findall(r"(\w+): (.*)", run([str(host), str(plugin), str(min_minor)])))


# ---- This nexus-core ----

IN_CORE = """
import json, sys
import numpy as np
import nexus

name = sys.argv[1]
(backend,) = [each for each in nexus.get_backends() if each.name == name]
told = {"state": backend.state, "reason": backend.reason}
if backend.state == "PASS":
    device = nexus.get_device(name)
    kernel = device.load_library(b"nexus-reference 1\\nfill_i32\\n").get_kernel("fill_i32")
    out = device.create_buffer(np.zeros(4, dtype=np.int32))
    schedule = device.create_schedule()
    schedule.create_command(kernel, [out, np.int32(7)], grid_size=4)
    schedule.run()
    told["kernel"] = out.numpy().tolist()
print(json.dumps(told))
"""


def in_core(
    library: Path, name: str, folder: Path, *, oldest: str = FIRST, newest: str = NEWEST
) -> dict[str, object]:
    """Returns what this nexus-core saw of a plug-in, in a new process, and its kernel's result."""
    manifest = folder / "nxs_plugin.json"
    fields = {"manifest_version": 1, "name": name, "library": str(library)}
    manifest.write_text(json.dumps(fields | {"abi": {"min": oldest, "max": newest}}))
    code = f"import os\nos.environ['NEXUS_PLUGIN_PATH'] = {str(manifest)!r}\n"
    code += f"os.environ['NEXUS_BACKENDS'] = {name!r}\n"
    done = run_python("-c", code + IN_CORE, name, check=True)
    told: dict[str, object] = json.loads(done.stdout)
    return told


WORKS = {"state": "PASS", "reason": "", "kernel": [7, 7, 7, 7]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("version", [*FROZEN_VERSIONS, "today", "newer"])
def test_a_plugin_of_any_version_runs_a_kernel_in_this_core(
    builder: Builder, version: str, language: str, tmp_path: Path
) -> None:
    assert in_core(builder.plugin(version, language, "acme"), "acme", tmp_path) == WORKS


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plugin_that_demands_more_is_refused_in_words(
    builder: Builder, language: str, tmp_path: Path
) -> None:
    told = in_core(builder.plugin("newer", language, "acme", NEXT), "acme", tmp_path)
    assert told["state"] == "FAIL"
    assert str(told["reason"]).startswith("It refused to start: ")
    assert "install versions that fit" in str(told["reason"])


def test_a_manifest_that_demands_more_is_refused_without_opening(
    builder: Builder, tmp_path: Path
) -> None:
    library = builder.plugin("newer", "c", "acme", NEXT)
    told = in_core(library, "acme", tmp_path, oldest=NEWEST)
    assert told["state"] == "FAIL"
    assert NEWEST in str(told["reason"])
    assert "refused to start" not in str(told["reason"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("major", OTHER_MAJORS)
def test_a_plugin_of_another_major_refuses_this_core_in_words(
    builder: Builder, major: str, language: str, tmp_path: Path
) -> None:
    told = in_core(builder.plugin(major, language, "acme"), "acme", tmp_path)
    assert told["state"] == "FAIL"
    assert str(told["reason"]).startswith("It refused to start: ")
    assert "install versions that fit" in str(told["reason"])


@pytest.mark.parametrize(
    ("major", "remedy"), [("0.1", "update the plug-in."), ("next", "update nexus-core.")]
)
def test_a_manifest_of_another_major_is_refused_without_opening(
    builder: Builder, major: str, remedy: str, tmp_path: Path
) -> None:
    version = "{}.{}".format(*OTHER_MAJORS[major])
    library = builder.plugin(major, "c", "acme")
    told = in_core(library, "acme", tmp_path, oldest=version, newest=version)
    assert told["state"] == "FAIL"
    assert f"version {version} of the plug-in interface" in str(told["reason"])
    assert str(told["reason"]).endswith(remedy)


# ---- Hosts of other versions ----


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plugin", ["today", "newer"])
@pytest.mark.parametrize("host", [*FROZEN_VERSIONS, "today"])
def test_an_older_host_gets_the_older_table(
    builder: Builder, host: str, plugin: str, language: str
) -> None:
    version = freeze.api_version() if host == "today" else host
    assert meet(builder.host(host), builder.plugin(plugin, language, "acme")) == {
        "status": "0", "touched": "0", "served": version, "kernel": "7 7 7 7",
    }  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plugin", [*FROZEN_VERSIONS, "today"])
def test_a_newer_host_takes_an_older_plugin(builder: Builder, plugin: str, language: str) -> None:
    version = freeze.api_version() if plugin == "today" else plugin
    assert meet(builder.host("newer"), builder.plugin(plugin, language, "acme")) == {
        "status": "0", "touched": "0", "served": version, "kernel": "7 7 7 7", "stars": "0",
    }  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_equals_use_what_the_newer_version_brought(builder: Builder, language: str) -> None:
    told = meet(builder.host("newer"), builder.plugin("newer", language, "acme"))
    assert (told["served"], told["stars"]) == (f"{MAJOR}.{NEXT}", "42")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("host", [*FROZEN_VERSIONS, "today"])
def test_a_host_that_is_too_old_is_refused_in_words(
    builder: Builder, host: str, language: str
) -> None:
    told = meet(builder.host(host), builder.plugin("newer", language, "acme", NEXT))
    assert told["status"] != "0"
    assert told["touched"] == "0"
    assert "install versions that fit" in told["refused"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plugin_that_is_too_old_for_its_host_refuses_in_words(
    builder: Builder, language: str
) -> None:
    told = meet(builder.host("newer"), builder.plugin("today", language, "acme"), NEXT)
    assert told["status"] != "0"
    assert "install" in told["refused"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("host", "plugin"),
    [pair for major in OTHER_MAJORS for pair in (("today", major), (major, "today"))],
)
def test_another_major_is_refused_in_words(
    builder: Builder, host: str, plugin: str, language: str
) -> None:
    told = meet(builder.host(host), builder.plugin(plugin, language, "acme"))
    assert told["status"] != "0"
    assert "install versions that fit" in told["refused"]
