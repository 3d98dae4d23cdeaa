# SPDX-License-Identifier: Apache-2.0
"""A third party's broken backend, installed beside the CPU, costs one sentence and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from backend_package import BackendPackage

import nexus

HERE = Path(__file__).parent


def run_beside(site: Path, *arguments: str) -> str:
    """The output of a fresh Python that finds the packages of the folder beside ours."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env={k: v for k, v in os.environ.items() if not k.startswith("NEXUS_")}
        | {
            "PYTHONPATH": os.pathsep.join(
                [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
            )
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def backends_beside(site: Path) -> dict[str, dict[str, Any]]:
    """What `nexus info --json` says of each distribution's backend, after the CPU ran a kernel."""
    run_beside(site, "-c", "import nexus; nexus.get_device('cpu').create_buffer(64).fill(0)")
    found = json.loads(run_beside(site, "-m", "nexus.cli", "info", "--json"))["backends"]
    return {backend["distribution"]: backend for backend in found}


def sentence_about(package: BackendPackage) -> str:
    """The reason that is given for the one broken backend; the CPU passed."""
    backends = backends_beside(package.site)
    assert backends["nexus-cpu"]["state"] == "PASS"
    broken = backends[package.name.replace("_", "-")]
    assert broken["state"] in {"FAIL", "ABSENT"}
    reason: str = broken["reason"]
    assert reason.endswith(".")
    assert "\n" not in reason
    shown = run_beside(package.site, "-m", "nexus.cli", "info")
    assert reason in " ".join(shown.split())
    return reason


def compile_bad_plugin(library: Path, behaviour: str) -> None:
    """Builds bad_plugin.c with one of its behaviours as the library."""
    options = nexus.ProgramOptions(
        defines={"BEHAVIOUR": behaviour}, include_paths=[nexus.get_include()]
    )
    code = nexus.Program(HERE / "bad_plugin.c", "c", options=options).compile("cpu")
    library.write_bytes(code.code)


def test_a_missing_library(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "gone")
    assert package.library.name in sentence_about(package)


def test_a_text_file(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "text")
    package.library.write_text("I am not a library.\n")
    assert package.library.name in sentence_about(package)


def test_a_library_cut_short_at_fifty_places(tmp_path: Path) -> None:
    whole = Path(str(files("nexus_cpu").joinpath("libnexus_cpu.so"))).read_bytes()
    lengths = [len(whole) * cut // 50 for cut in range(50)]
    for cut, length in enumerate(lengths):
        package = BackendPackage.write(tmp_path, f"cut{cut}")
        package.library.write_bytes(whole[:length])

    backends = backends_beside(tmp_path)

    states = [backends[f"acme-cut{cut}"]["state"] for cut in range(50)]
    assert states == ["FAIL"] * 50
    assert all(backends[f"acme-cut{cut}"]["reason"].endswith(".") for cut in range(50))
    assert backends["nexus-cpu"]["state"] == "PASS"


def test_a_library_that_lacks_required_functions(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "lacking")
    compile_bad_plugin(package.library, "LACKS_FUNCTIONS")
    assert "nxsCreateBuffer" in sentence_about(package)


def test_a_manifest_that_wants_a_newer_abi_is_refused_without_being_opened(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "newer", abi_min="9.0")
    package.library.write_text("never read")
    assert "9.0" in sentence_about(package)


def test_a_library_that_wants_a_newer_abi(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "newer")
    compile_bad_plugin(package.library, "WANTS_NEWER")
    assert "This backend needs nexus-core 9.0 or later" in sentence_about(package)


def test_a_library_that_refuses(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "refusing")
    compile_bad_plugin(package.library, "REFUSES")
    assert "The driver of this machine is too old" in sentence_about(package)


def test_a_hook_that_throws(tmp_path: Path) -> None:
    code = (
        "import pluggy\n"
        "@pluggy.HookimplMarker('nexus')\n"
        "def nexus_manifest():\n"
        "    raise OSError('the vendor folder is gone')\n"
    )
    package = BackendPackage.write(tmp_path, "throwing", code=code)
    assert "the vendor folder is gone" in sentence_about(package)


def test_a_module_that_cannot_be_imported(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "unimportable", code="import no_such_module\n")
    assert "no_such_module" in sentence_about(package)


def test_a_backend_that_claims_the_name_cpu(tmp_path: Path) -> None:
    package = BackendPackage.write(tmp_path, "cpu", name="acme_claim")
    package.library.write_bytes(
        Path(str(files("nexus_cpu").joinpath("libnexus_cpu.so"))).read_bytes()
    )
    assert "nexus-cpu" in sentence_about(package)
