# SPDX-License-Identifier: Apache-2.0
"""Many broken backends and two good ones, installed together: each bad one has its sentence."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from backend_package import BackendPackage
from built_plugin import build_plugin as build_cpp_plugin
from native import ROOT, compile_plugin
from python_process import run_python

pytestmark = pytest.mark.long

HEAD = "import pluggy\n@pluggy.HookimplMarker('nexus')\n"

BUILT = {
    "lacking": "It lacks nxsCreateStream and nxsRunSchedule",
    "refusing": "the driver libacme.so.1 is not installed",
    "renamed": "It calls itself 'alias'",
    "beyond": "It wrote beyond the struct_size of nxs_functions",
    "hanging": "Its nxsQueryPlugin did not return within 5 s",
}
"""Backends of tests/plugins/bad/broken.c, and words of their sentences."""

WRITTEN = {
    "sleeping": ("import time\ntime.sleep(600)\n", "did not answer within 5 s"),
    "dozing": (
        HEAD + "def nexus_manifest():\n    import time\n    time.sleep(600)\n",
        "did not answer within 5 s",
    ),
    "left": ("from acme_right import right\nleft = 1\n", "cannot import name"),
    "right": ("from acme_left import left\nright = 1\n", "cannot import name"),
}
"""Modules of backends: their text, and words of their sentence."""

PROGRAM = """
import json, sys
import nexus
for name in ("cpu", "reference"):
    buffer = nexus.get_device(name).create_buffer(64)
    buffer.fill(7)
    assert bytes(buffer.numpy()) == bytes([7]) * 64
json.dump([backend._asdict() for backend in nexus.get_backends()], sys.stdout)
"""


def build(name: str, library: Path) -> None:
    """Builds the plug-in of broken.c with that name in its manifest."""
    calls_itself = "alias" if name == "renamed" else name
    compile_plugin("broken.c", library, f'-DNAME="{calls_itself}"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like site-packages, with all of them but the CPU's backend, which is installed."""
    site = tmp_path_factory.mktemp("site")
    for name in BUILT:
        build(name, BackendPackage.write(site, name).library)
    for name, (code, _) in WRITTEN.items():
        BackendPackage.write(site, name, code=code)
    whole = Path(str(files("nexus_cpu").joinpath("libnexus_cpu.so"))).read_bytes()
    BackendPackage.write(site, "cut").library.write_bytes(whole[: len(whole) // 2])
    BackendPackage.write(site, "elsewhere").library.write_bytes(
        whole[:18] + b"\x15\x00" + whole[20:]  # the ELF header's machine: ppc64
    )
    BackendPackage.write(site, "cpu", name="acme_claim").library.write_bytes(whole)
    BackendPackage.write(site, "scribbled").library.parent.joinpath("nxs_plugin.json").write_text(
        '{"manifest_version": 1, "name": '
    )
    good = BackendPackage.write(site, "reference", name="nexus_reference")
    build_cpp_plugin(
        "reference", ROOT / "tests/plugins/nexus-reference/nexus_reference.cpp", good.library.parent
    )
    return site


def run(site: Path, *arguments: str, **environment: str) -> str:
    """The output of a fresh Python that finds the packages of the folder beside ours."""
    folders = [str(site), os.environ.get("PYTHONPATH", "")]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("NEXUS_")}
    done = run_python(
        *arguments,
        env=clean
        | {"PYTHONPATH": os.pathsep.join(filter(None, folders)), "NEXUS_PLUGIN_TIMEOUT": "5"}
        | environment,
        timeout=300,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def records(site: Path) -> dict[str, dict[str, Any]]:
    """Returns the state of each distribution's backend, in a process where the good ones worked."""
    found = json.loads(run(site, "-c", PROGRAM))
    # A tree of CMake has a second plug-in with the name reference, which comes later.
    return {record["distribution"]: record for record in reversed(found)}


def test_the_good_ones_work(records: dict[str, dict[str, Any]]) -> None:
    passed = {record["name"] for record in records.values() if record["state"] == "PASS"}
    assert passed == {"cpu", "reference"}


SENTENCES = BUILT | {name: words for name, (_, words) in WRITTEN.items()}
SENTENCES |= {
    "cut": "is cut short",
    "elsewhere": "is for ppc64, and this machine is",
    "claim": "The name 'cpu' belongs to the distribution nexus-cpu",
    "scribbled": "nxs_plugin.json",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_bad_one_has_its_sentence(records: dict[str, dict[str, Any]], name: str) -> None:
    record = records[f"acme-{name}"]
    assert record["state"] in {"FAIL", "ABSENT"}
    assert SENTENCES[name] in record["reason"]
    assert record["reason"].endswith(".")
    assert "\n" not in record["reason"]


def test_nexus_info_shows_every_sentence(site: Path, records: dict[str, dict[str, Any]]) -> None:
    shown = " ".join(run(site, "-m", "nexus.cli", "info").split())
    missing = [name for name, record in records.items() if record["reason"] not in shown]
    assert missing == []


LOADED = """
import sys
import nexus
nexus.get_device("cpu")
print(sorted(name for name in sys.modules if name.startswith("acme_")))
"""


def test_whoever_asks_for_a_device_of_one_backend_meets_no_other(site: Path) -> None:
    assert run(site, "-c", LOADED) == "['acme_claim']\n"


def test_the_order_of_the_list_does_not_depend_on_who_was_asked_first(site: Path) -> None:
    code = "import json, nexus; {}print(json.dumps([b.name for b in nexus.get_backends()]))"
    plain = run(site, "-c", code.format(""))
    assert run(site, "-c", code.format("nexus.get_device('reference'); ")) == plain


DEADLY = {
    "faulting": "Loading it ended the process by SIGSEGV",
    "stuck": "Its process did not end within",
}


@pytest.mark.parametrize("name", DEADLY)
def test_isolate_names_a_backend_that_ends_or_blocks_the_process(tmp_path: Path, name: str) -> None:
    build(name, BackendPackage.write(tmp_path, name).library)
    report = json.loads(run(tmp_path, "-m", "nexus.cli", "info", "--isolate", "--json"))
    found = {record["name"]: record for record in report["backends"]}
    assert found["cpu"]["state"] == "PASS"
    assert found[name]["state"] == "FAIL"
    assert DEADLY[name] in found[name]["reason"]
    assert "cpu:0" in [device["selector"] for device in report["devices"]]


def test_isolate_names_a_module_that_ends_the_process(tmp_path: Path) -> None:
    BackendPackage.write(tmp_path, "exiting", code="import os\nos._exit(4)\n")
    shown = " ".join(run(tmp_path, "-m", "nexus.cli", "info", "--isolate").split())
    assert "Loading it ended the process with exit status 4." in shown
    assert "cpu:0" in shown
