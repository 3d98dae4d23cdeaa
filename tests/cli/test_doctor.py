# SPDX-License-Identifier: Apache-2.0
"""`nexus doctor`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from python_process import run_python

import nexus
from nexus.cli import _diagnosis, _probe, _requirements
from nexus.cli._requirements import KNOWN
from nexus.cli._trial import try_device

Nexus = Callable[..., tuple[int, str, str]]
Found = Callable[..., dict[str, dict[str, str]]]

RIGHT = {"compiler": "a compiler", "driver": "1.2", "compiled": True, "ran": True, "problem": ""}


def backend(name: str, state: str, reason: str = "") -> dict[str, str]:
    return {"name": name, "state": state, "reason": reason, "version": "0.1.0",
            "distribution": f"nexus-{name}", "manifest": "", "library": ""}  # fmt: skip


def device(selector: str, **trial: Any) -> dict[str, Any]:
    return {"selector": selector, "Name": "A chip", "trial": RIGHT | trial}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Found:
    """Makes the doctor see these backends and devices; returns its checks by name."""
    monkeypatch.setattr(_requirements, "PCI", tmp_path)

    def checks(*found: dict[str, Any]) -> dict[str, dict[str, str]]:
        report = {
            "version": "0.1.0",
            "python": "3.13.0",
            "backends": [each for each in found if "state" in each],
            "devices": [each for each in found if "selector" in each],
        }
        monkeypatch.setattr(_probe, "describe_isolated", lambda trying: report)
        return {check["name"]: check for check in _diagnosis.diagnose()["checks"]}

    return checks


@pytest.mark.smoke
def test_the_doctor_runs_a_kernel_on_the_cpu() -> None:
    result = run_python(
        "-m", "nexus.cli", "doctor", "--json", more={"NEXUS_BACKENDS": "cpu", "CC": ""}
    )
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    (cpu,) = (check for check in report["checks"] if check["name"] == "cpu:0")
    assert cpu["state"] == "ok"
    assert "the result is right" in cpu["text"]
    assert report["problems"] == 0
    assert report["packages"]["nexus-core"] == nexus.__version__


def test_a_compiler_that_is_not_there_is_a_problem_with_its_command() -> None:
    more = {"NEXUS_BACKENDS": "cpu", "CC": "no-such-compiler", "COLUMNS": "60"}
    result = run_python("-m", "nexus.cli", "doctor", more=more)
    assert result.returncode == 1
    assert 'pip install "nexus-cpu[compiler]"' in result.stdout
    assert "1 problem: cpu:0." in result.stdout
    assert "Traceback" not in result.stderr


def test_what_is_not_installed_is_no_problem_and_has_its_command(
    machine: Found, tmp_path: Path
) -> None:
    add_nvidia_gpu(tmp_path)
    checks = machine(backend("cpu", "PASS"), device("cpu:0"))
    assert checks["cuda"]["state"] == checks["hip"]["state"] == "missing"
    assert checks["cuda"]["fix"] == "pip install nexus-cuda"


def test_a_backend_without_a_gpu_has_no_command(machine: Found) -> None:
    check = machine(backend("cpu", "PASS"), device("cpu:0"))["hip"]
    assert (check["state"], check["fix"]) == ("missing", "")
    assert "no AMD GPU" in check["text"]


def add_nvidia_gpu(bus: Path) -> None:
    for number, kind in enumerate(["0x030000", "0x040300"]):  # the second is the card's sound
        folder = bus / str(number)
        folder.mkdir()
        (folder / "vendor").write_text("0x10de\n")
        (folder / "class").write_text(f"{kind}\n")


def test_a_gpu_on_the_bus_is_counted(machine: Found, tmp_path: Path) -> None:
    add_nvidia_gpu(tmp_path)
    assert machine()["cuda"]["text"].startswith("This machine has 1 NVIDIA GPU. ")


def test_a_missing_driver_has_the_command_of_this_distribution(
    machine: Found, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add_nvidia_gpu(tmp_path)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    absent = backend("cuda", "ABSENT", "It refused to start: there is no driver.")
    commands = {
        "debian": "sudo apt install nvidia-driver",
        "ubuntu": "sudo ubuntu-drivers install",
        "arch": "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",
    }
    for distribution, command in commands.items():
        release = {"ID": "own", "ID_LIKE": distribution}
        monkeypatch.setattr("platform.freedesktop_os_release", lambda release=release: release)
        check = machine(absent)["cuda"]
        assert (check["state"], check["fix"]) == ("missing", command)
        assert check["text"].endswith(". There is no driver.")


def test_without_a_gpu_there_is_no_advice_to_install_a_driver(
    machine: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    absent = backend("cuda", "ABSENT", "It refused to start: there is no driver.")
    assert machine(absent)["cuda"]["fix"] == ""


def test_a_backend_that_does_not_load_is_broken(machine: Found) -> None:
    assert machine(backend("hip", "FAIL", "It crashed."))["hip"]["state"] == "broken"


def test_a_backend_that_the_user_left_out_is_no_problem(machine: Found) -> None:
    check = machine(backend("cuda", "OFF", "NEXUS_BACKENDS leaves it out."))["cuda"]
    assert (check["state"], check["text"]) == ("off", "NEXUS_BACKENDS leaves it out.")


def test_device_files_without_permission_name_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev/dri").mkdir(parents=True)
    render = tmp_path / "dev/dri/renderD128"
    render.touch()
    assert list(_requirements.closed_files(KNOWN["hip"], tmp_path)) == []  # no /dev/kfd
    (tmp_path / "dev/kfd").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: path != render)
    ((closed, group),) = _requirements.closed_files(KNOWN["hip"], tmp_path)
    assert (closed, group) == (render, render.group())


def test_without_permission_the_command_adds_the_user_to_the_group(
    machine: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = [(Path("/dev/kfd"), "render")]
    monkeypatch.setattr(_diagnosis, "closed_files", lambda requirement: closed)
    check = machine(backend("hip", "ABSENT", "There is no device."))["hip"]
    assert check["state"] == "broken"
    assert "/dev/kfd" in check["text"]
    assert "sudo usermod -aG render $USER" in check["fix"]


def test_a_wrong_result_is_broken_and_reinstalling_the_compiler_is_not_advised(
    machine: Found,
) -> None:
    wrong = device("cpu:0", ran=False, problem="7 pixels differ")
    check = machine(backend("cpu", "PASS"), wrong)["cpu:0"]
    assert (check["state"], check["fix"]) == ("broken", "")
    assert "did not run a kernel: 7 pixels differ" in check["text"]


def test_a_device_that_can_not_be_read_is_broken(machine: Found) -> None:
    unread = {"selector": "acme:0", "problem": "It has gone."}
    check = machine(backend("acme", "PASS"), unread)["acme:0"]
    assert (check["state"], check["text"]) == ("broken", "It has gone.")


def test_a_device_without_the_portable_language_runs_no_kernel_and_is_right(
    machine: Found,
) -> None:
    check = machine(backend("acme", "PASS"), device("acme:0", compiled=None, ran=None))["acme:0"]
    assert check["state"] == "ok"
    assert "no kernel was run" in check["text"]


def test_a_cache_that_can_not_be_written_is_broken() -> None:
    more = {"NEXUS_BACKENDS": "cpu", "NEXUS_CACHE_DIR": "/proc/no-cache"}
    result = run_python("-m", "nexus.cli", "doctor", more=more)
    assert result.returncode == 1
    assert "/proc/no-cache can't be written" in result.stdout
    assert "export NEXUS_CACHE_DIR=FOLDER" in result.stdout


def test_a_cache_that_is_turned_off_is_no_problem() -> None:
    more = {"NEXUS_BACKENDS": "cpu", "NEXUS_CACHE": "0"}
    result = run_python("-m", "nexus.cli", "doctor", more=more)
    assert result.returncode == 0
    assert "NEXUS_CACHE is 0." in result.stdout


def test_the_report_is_a_block_for_an_issue_without_the_home_folder(
    machine: Found, run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(backend("cpu", "PASS"), device("cpu:0"))
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("NEXUS_EXAMPLE", "/home/somebody/place")
    status, out, _ = run_nexus("doctor", "--report")
    assert status == 0
    assert out.startswith("```text\nNexus ")
    assert out.endswith("\nEverything that is installed works.\n```\n")
    assert "~/place" in out
    assert "somebody" not in out


def test_the_trial_of_a_device_says_what_it_did() -> None:
    trial = try_device(nexus.get_device("cpu"))
    assert (trial["compiled"], trial["ran"], trial["problem"]) == (True, True, "")
    assert trial["compiler"]
    assert "(" not in trial["compiler"]  # its files' sizes and times are for caches


def test_a_device_that_does_not_compile_is_not_tried(faulty_device: nexus.Device) -> None:
    trial = try_device(faulty_device)
    assert (trial["compiled"], trial["ran"], trial["problem"]) == (None, None, "")


def test_a_backend_that_ends_its_process_is_broken_and_the_others_are_checked(
    tmp_path: Path,
) -> None:
    (tmp_path / "crashing.py").write_text("import os\nos.abort()\n")
    folder = tmp_path / "nexus_crashing-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: nexus-crashing\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[nexus]\ncrashing = crashing\n")
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    result = run_python("-m", "nexus.cli", "doctor", "--json", more={"PYTHONPATH": path})
    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert result.returncode == 1
    assert checks["crashing"]["state"] == "broken"
    assert "SIGABRT" in checks["crashing"]["text"]
    assert checks["cpu:0"]["state"] == "ok"
