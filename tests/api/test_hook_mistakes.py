# SPDX-License-Identifier: Apache-2.0
"""A broken hook of a third party fails only its own backend."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from python_process import run_python

HEAD = "import pluggy\n@pluggy.HookimplMarker('nexus')\n"

MISTAKES = {
    "asks nexus when it is imported": (
        "import nexus\nnexus.get_devices()\n", "asked nexus for backends"),
    "asks nexus when it is called": (
        HEAD + "def nexus_manifest():\n    import nexus\n    return nexus.get_device()\n",
        "asked nexus for backends"),
    "returns no path": (HEAD + "def nexus_manifest():\n    return 5\n", "not int"),
    "returns a path that is not UTF-8": (
        HEAD + "def nexus_manifest():\n    return b'/acme\\xff'\n", "not UTF-8"),
    "returns half a character": (
        HEAD + "def nexus_manifest():\n    return '\\ud800'\n", "not UTF-8"),
    "returns no configuration": (HEAD + "def nexus_config():\n    return 5\n", "not iterable"),
    "configures in numbers": (HEAD + "def nexus_config():\n    return {'acme.cc': 1}\n", "acme.cc"),
    "configures in half a character": (
        HEAD + "def nexus_config():\n    return {'acme.cc': '\\ud800'}\n", "not UTF-8"),
    "configures another backend": (
        HEAD + "def nexus_config():\n    return {'cpu.include': '/acme'}\n",
        "'cpu.include'; a backend's keys begin with its name and a dot, 'acme.'"),
    "raises in half a character": ("raise OSError('\\ud800 is gone')\n", "\\ud800 is gone"),
    "raises what can not be shown": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd\n",
        "raised Odd."),
    "raises a BaseException": ("raise GeneratorExit\n", "GeneratorExit"),
    "ends the process": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "raises in two lines": (
        "raise OSError('the vendor\\n  folder is gone.')\n",
        "raised OSError: the vendor folder is gone."),
    "misspells a hook": (HEAD + "def nexus_manifesto():\n    pass\n", "nexus_manifesto"),
    "takes a parameter that there is not": (
        HEAD + "def nexus_manifest(device):\n    return ''\n", "device"),
}  # fmt: skip

PROGRAM = """
import json, sys
import nexus
from nexus import _discovery
nexus.get_device("cpu").create_buffer(64).fill(0)
records = [backend._asdict() for backend in nexus.get_backends()]
config = {key: _discovery.get_config(key) for key in ("cpu.include", "acme.cc")}
json.dump({"records": records, "config": config}, sys.stdout)
"""


def found_beside(site: Path, module: str, name: str = "acme") -> dict[str, Any]:
    """Returns the findings of a new process in which the distribution `acme` has the module."""
    site.joinpath("nexus_acme.py").write_text(module)
    metadata = site / "acme-1.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    metadata.joinpath("entry_points.txt").write_text(f"[nexus]\n{name} = nexus_acme\n")
    return found_in(site)


def found_in(site: Path) -> dict[str, Any]:
    """Returns the findings of a new process with the folder and the installed backends."""
    folders = [str(site), os.environ.get("PYTHONPATH", "")]
    done = run_python(
        "-c", PROGRAM, more={"PYTHONPATH": os.pathsep.join(filter(None, folders))}, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(("module", "reason"), MISTAKES.values(), ids=list(MISTAKES))
def test_a_mistake_is_a_record(module: str, reason: str, tmp_path: Path) -> None:
    records = {record["name"]: record for record in found_beside(tmp_path, module)["records"]}
    assert records["cpu"]["state"] == "PASS"
    assert records["acme"]["state"] == "FAIL"
    assert records["acme"]["reason"].startswith("The entry point 'acme = nexus_acme' raised ")
    assert records["acme"]["reason"].endswith(".")
    assert reason in records["acme"]["reason"]


@pytest.mark.parametrize(
    "path", ["'/acme/plugin.json'", "__import__('pathlib').Path('/acme/plugin.json')"]
)
def test_a_manifest_is_named_by_text_or_a_path(path: str, tmp_path: Path) -> None:
    config = "@pluggy.HookimplMarker('nexus')\ndef nexus_config():\n    return {'acme.cc': '/cc'}\n"
    found = found_beside(tmp_path, HEAD + f"def nexus_manifest():\n    return {path}\n" + config)
    (record,) = [each for each in found["records"] if each["distribution"] == "acme"]
    assert "/acme/plugin.json" in record["reason"]
    assert found["config"]["acme.cc"] == "/cc"


def test_a_package_without_a_backend_for_this_platform_is_no_record(tmp_path: Path) -> None:
    found = found_beside(tmp_path, HEAD + "def nexus_manifest():\n    return None\n")
    assert "acme" not in [record["distribution"] for record in found["records"]]


CONFIGURES_CPU = HEAD + "def nexus_config():\n    return {'cpu.include': '/acme'}\n"


@pytest.mark.parametrize("name", ["acme", "cpu"])
@pytest.mark.parametrize("manifest", ["", HEAD + "def nexus_manifest():\n    return '/acme'\n"])
def test_a_stranger_does_not_configure_the_cpu(tmp_path: Path, name: str, manifest: str) -> None:
    found = found_beside(tmp_path, CONFIGURES_CPU + manifest, name)
    assert found["config"]["cpu.include"] == ""
    assert [r["state"] for r in found["records"] if r["distribution"] == "nexus-cpu"] == ["PASS"]


def test_a_package_that_calls_itself_ours_and_has_no_plug_in_configures_nothing(
    tmp_path: Path,
) -> None:
    metadata = tmp_path / "nexus_cpu-9.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: nexus-cpu\n")
    metadata.joinpath("entry_points.txt").write_text("[nexus]\ncpu = nexus_acme\n")
    tmp_path.joinpath("nexus_acme.py").write_text(CONFIGURES_CPU)
    assert found_in(tmp_path)["config"]["cpu.include"] != "/acme"


OPENS_NOTHING = HEAD + "def nexus_manifest():\n    raise OSError('acme is broken')\n"


def test_two_distributions_with_the_same_entry_point_are_two_records(tmp_path: Path) -> None:
    for name in ("acme", "beta"):
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        metadata.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n")
        metadata.joinpath("entry_points.txt").write_text("[nexus]\nfpga = nexus_fpga\n")
    tmp_path.joinpath("nexus_fpga.py").write_text(OPENS_NOTHING)
    records = found_in(tmp_path)["records"]
    assert [r["distribution"] for r in records if r["name"] == "fpga"] == ["acme", "beta"]
