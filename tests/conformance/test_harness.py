# SPDX-License-Identifier: Apache-2.0
"""The harness of the conformance suite: options, settings, expected failures, the report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from suite_run import RunSuite

import nexus.conformance
from nexus.conformance import _identity, _settings

SUITE = Path(nexus.conformance.__file__).parent
PASSES = "capi/test_properties.py::test_the_runtime_counts_its_devices"
FAILS = "capi/test_properties.py::test_a_kernel_counts_its_arguments"  # without kernels
# without ForeignStream
LACKS = "capi/memory/test_foreign.py::test_two_streams_of_one_handle_have_one_order"
CASES = "capi/test_properties.py::test_a_buffer_tells_its_size"  # four of them
FEW = "counts_its or streams_of_one_handle or tells_its_size"


def expected(test: str, reason: str = "a driver's mistake", more: str = "") -> str:
    return f'[[expected_failure]]\ntest = "{test}"\nreason = "{reason}"\n{more}'


def test_each_test_has_an_outcome_under_its_own_name(run_suite: RunSuite) -> None:
    done = run_suite("-k", FEW)
    assert done.status == 1
    assert done.outcomes() == {
        PASSES: "passed",
        FAILS: "failed",
        LACKS: "not applicable",
        "capi/test_properties.py::test_a_schedule_counts_its_commands": "failed",
        **{f"{CASES}[{size}]": "passed" for size in (1, 3, 64, 4097)},
    }
    reasons = {each["test"]: each["reason"] for each in done.report["tests"]}
    assert reasons[LACKS] == "the backend does not claim ForeignStream"
    assert "no folder of prebuilt kernels is named" in reasons[FAILS]


def test_the_report_holds_what_ran_in_other_processes(run_suite: RunSuite) -> None:
    done = run_suite("-p", "xdist", "-n", "2", "-k", FEW)
    assert len(done.outcomes()) == done.report["counts"]["passed"] + 3 == 8
    assert done.outcomes()[LACKS] == "not applicable"


def test_a_test_whose_process_crashed_has_failed() -> None:
    assert _identity.test_of_node(f"../lib/nexus/conformance/{CASES}[3]") == f"{CASES}[3]"
    assert _identity.test_of_node("api/test_other.py::test_one") is None


def test_the_report_says_what_ran(run_suite: RunSuite) -> None:
    report = run_suite("-k", "runtime_counts").report
    assert report["report_version"] == 1
    assert report["backend"]["name"] == "reference"
    assert report["device"]["selector"] == "reference:0"
    assert report["device"]["Architecture"] == "reference"
    assert report["abi"] == "1.0"
    assert "Timing" in report["capabilities"]
    assert report["counts"]["passed"] == len(report["tests"]) == 1
    assert report["tests"][0]["group"] == "C-API: properties"
    assert report["tests"][0]["duration"] >= 0


def test_the_summary_counts_groups_and_gives_reasons(run_suite: RunSuite) -> None:
    output = run_suite("-k", FEW).output
    assert "C-API: properties" in output
    assert "the backend does not claim ForeignStream" in output
    assert "reference does not conform: 2 of 8 tests failed." in output
    assert "1 not applicable" in output
    assert "skipped" not in output


def test_an_expected_failure_that_fails_is_none(run_suite: RunSuite) -> None:
    done = run_suite("-k", "kernel_counts_its", settings=expected(FAILS))
    assert done.status == 0
    assert done.report["tests"][0]["outcome"] == "expected failure"
    assert done.report["tests"][0]["reason"] == "a driver's mistake"
    assert "except for 1 expected failure" in done.output


def test_an_expected_failure_that_passes_is_a_failure(run_suite: RunSuite) -> None:
    done = run_suite("-k", "runtime_counts", settings=expected(PASSES))
    assert done.status == 1
    assert done.outcomes() == {PASSES: "failed"}


def test_an_expected_failure_can_name_one_case_or_all(run_suite: RunSuite) -> None:
    one = run_suite("-k", "tells_its_size", settings=expected(f"{CASES}[64]"))
    assert [name for name, outcome in one.outcomes().items() if outcome == "failed"] == [
        f"{CASES}[64]"
    ]
    every = run_suite("-k", "tells_its_size", settings=expected(CASES))
    assert set(every.outcomes().values()) == {"failed"}


def test_an_expected_failure_that_would_end_the_process_is_not_run(run_suite: RunSuite) -> None:
    done = run_suite("-k", "runtime_counts", settings=expected(PASSES, more="run = false\n"))
    assert done.status == 0
    assert done.report["tests"][0]["outcome"] == "expected failure"


@pytest.mark.parametrize(
    "name",
    ["capi/test_properties.py::test_none", "capi/test_none.py::test_a", "test_a", f"{CASES}[65]",
     "../conftest.py::test_a"],
)  # fmt: skip
def test_an_expected_failure_that_is_no_test_is_refused(run_suite: RunSuite, name: str) -> None:
    done = run_suite("-k", "runtime_counts", settings=expected(name))
    assert done.status == pytest.ExitCode.USAGE_ERROR
    assert f"'{name}', and the suite has none of that name" in done.output


def test_an_expected_failure_may_be_of_a_file_that_does_not_run(run_suite: RunSuite) -> None:
    other = "capi/test_ids.py::test_an_id_is_never_valid_again[Buffer]"
    done = run_suite("-k", "runtime_counts", settings=expected(other))
    assert done.status == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('kernel = "x"', "the file has the key 'kernel'; known are kernels"),
        ('kernels = "none"', "there is no folder"),
        ("kernels = 3", "kernels is 3; it has to be a str"),
        ("[limits]\nmax_byte = 3", "[limits] has the key 'max_byte'"),
        ("[limits]\nmax_bytes = 0", "it has to be above 0"),
        ("[limits]\nmax_bytes = true", "max_bytes is True"),
        ("[[expected_failure]]\nreason = 'x'", "has no test"),
        (f"[[expected_failure]]\ntest = '{PASSES}'", "has no reason"),
        (f"[[expected_failure]]\ntest = '{PASSES}'\nreason = ' '", "has no reason"),
        (expected(PASSES, more="when = 3"), "has the key 'when'"),
        ("expected_failure = [3]", "list of tables"),
        ("= 3", "can't be read"),
    ],
)
def test_a_mistake_in_the_settings_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pytest.UsageError) as error:
        _settings.read(path)
    assert words in str(error.value)


def test_a_mistake_in_the_settings_ends_the_run_in_words(run_suite: RunSuite) -> None:
    done = run_suite("-k", "runtime_counts", settings="kernels = 3")
    assert done.status == pytest.ExitCode.USAGE_ERROR
    assert "kernels is 3; it has to be a str" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--nexus-backend", "none"), "There is no backend 'none'"),
        (("--nexus-device", "reference:7"), "--nexus-device reference:7"),
        (("--nexus-device", "cpu:0"), "a device of cpu; give one of --nexus-backend reference"),
        (("--nexus-kernels", "none"), "--nexus-kernels is 'none': there is no such folder"),
    ],
)
def test_a_mistake_on_the_command_line_is_told(
    run_suite: RunSuite, arguments: tuple[str, ...], words: str
) -> None:
    done = run_suite(*arguments)
    assert done.status == pytest.ExitCode.USAGE_ERROR
    assert words in done.output
    assert "Traceback" not in done.output


def test_settings_are_found_beside_the_manifest_and_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("built", "acme_package"):
        (tmp_path / folder).mkdir()
    (tmp_path / "acme_package" / "__init__.py").touch()
    in_package = tmp_path / "acme_package" / _settings.FILE_NAME
    in_package.touch()
    monkeypatch.syspath_prepend(tmp_path)
    manifest = tmp_path / "built" / "nxs_plugin.json"
    assert _settings.find(str(manifest), "acme_package") == in_package
    beside = tmp_path / "built" / _settings.FILE_NAME
    beside.touch()
    assert _settings.find(str(manifest), "acme_package") == beside
    assert _settings.find("", "") is None


def pytest_here(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest in a folder."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_without_a_backend_the_suite_says_what_to_add(tmp_path: Path) -> None:
    done = pytest_here(tmp_path, "--pyargs", "nexus.conformance")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "add --nexus-backend NAME" in done.stdout + done.stderr


def test_the_options_do_not_need_the_entry_point_where_a_path_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    path = str(SUITE / "capi" / "test_properties.py")
    done = pytest_here(tmp_path, path, "--nexus-backend", "cpu", "-k", "runtime_counts")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cpu conforms in the 1 test of this run." in done.stdout


def test_other_suites_run_as_before(tmp_path: Path) -> None:
    """The entry point is loaded by each pytest of the environment, and imports nothing of Nexus."""
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_it():\n    assert 'nexus' not in sys.modules\n", encoding="utf-8"
    )
    done = pytest_here(tmp_path, "-q", f"--rootdir={tmp_path}")
    assert done.returncode == 0, done.stdout
    assert "conformance" not in done.stdout


def test_nothing_is_left_in_the_folder_or_the_cache(run_suite: RunSuite, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"], before = str(temporary), os.environ.get("TMPDIR")
    try:
        run_suite("-k", "runtime_counts")
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before
    assert list((tmp_path / "here").iterdir()) == []
    assert list(temporary.glob("nexus-conformance-*")) == []
