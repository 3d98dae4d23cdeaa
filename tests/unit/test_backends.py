# SPDX-License-Identifier: Apache-2.0
"""Each backend is loaded on its own: a bad one leaves one sentence, and the others work."""

from __future__ import annotations

from pathlib import Path

import pytest
from native import Install, MakePlugin, libnexus
from system import Report, System


@pytest.fixture
def good(install: Install) -> Path:
    """The manifest of a plug-in that works."""
    return install("good")


def report_beside_good(system: System, install: Install) -> Report:
    """The report on bad plug-ins that were added before a good one, which works."""
    install("good")
    report = system.report()
    assert report["good"]["state"] == "PASS"
    assert report.runtimes == ["good"]
    return report


def test_a_backend_that_passes_tells_where_it_came_from(system: System, install: Install) -> None:
    manifest = install("good", distribution="acme-good")
    record = system.report()["good"]
    assert (record["state"], record["reason"]) == ("PASS", "")
    assert (record["distribution"], record["version"]) == ("acme-good", "1.2.3")
    assert record["manifest"] == str(manifest)
    assert Path(record["library"]).is_file()


AUTHORS = "report it to the plug-in's authors."
FIT = "and this nexus-core speaks 1.0; install versions of both that fit."
REFUSED = "It refused to start"
BROKEN = [
    ("lacking", "FAIL",
     f"It lacks nxsCreateStream and nxsRunSchedule, which are required; {AUTHORS}"),
    ("newer", "FAIL",
     f"{REFUSED}: it needs the plug-in interface 1.7; update nexus-core."),
    ("ahead", "FAIL",
     f"It serves version 1.1 of the plug-in interface, {FIT}"),
    ("behind", "FAIL",
     f"It serves version 0.1 of the plug-in interface, {FIT}"),
    ("refusing", "ABSENT",
     f"{REFUSED}: the driver libacme.so.1 is not installed."),
    ("silent", "FAIL",
     f"{REFUSED} with NXS_OutOfResources and did not say why."),
    ("odd", "FAIL",
     "It declares thread model 42, which this nexus-core does not know; update nexus-core."),
    ("empty", "ABSENT", "It finds no device on this machine."),
    ("renamed", "FAIL",
     "It calls itself 'alias', but its manifest says 'renamed'; give both the same name."),
    ("foreign", "FAIL",
     f"It returned a runtime id without the type of a runtime or without its own tag; {AUTHORS}"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "state", "reason"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_broken_plugin_says_what_is_wrong(
    system: System, install: Install, name: str, state: str, reason: str
) -> None:
    install(name, "broken.c")
    record = report_beside_good(system, install)[name]
    assert (record["state"], record["reason"]) == (state, reason)


def test_a_missing_library_is_named(system: System, install: Install, tmp_path: Path) -> None:
    install("gone", "libgone.so")
    record = report_beside_good(system, install)["gone"]
    assert record["state"] == "FAIL"
    assert f"'{tmp_path / 'gone' / 'libgone.so'}' can't be read" in record["reason"]


def test_a_plug_in_that_is_text_fails(system: System, install: Install, tmp_path: Path) -> None:
    (tmp_path / "prose.so").write_text("Once upon a time there was a library.\n")
    install("prose", "../prose.so")
    record = report_beside_good(system, install)["prose"]
    assert record["state"] == "FAIL"
    assert "is not a shared library" in record["reason"]


def test_a_library_cut_short_anywhere_ends_no_process(
    system: System, install: Install, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    whole = build_plugin("plain.c", '-DNAME="cut"').read_bytes()
    for cut in range(50):
        install(f"cut{cut}", "libcut.so")
        (tmp_path / f"cut{cut}" / "libcut.so").write_bytes(whole[: len(whole) * cut // 50])
    report = report_beside_good(system, install)
    cut_records = [record for record in report.backends if record["name"] != "good"]
    assert [record["state"] for record in cut_records] == ["FAIL"] * 50
    assert all(record["reason"].endswith(".") for record in cut_records)


def test_a_library_without_the_entry_is_no_plugin(system: System, install: Install) -> None:
    install("plain", "not_a_plugin.c")
    record = report_beside_good(system, install)["plain"]
    assert record["state"] == "FAIL"
    assert record["reason"].endswith("is not a plug-in: it does not export nxsQueryPlugin.")


NEEDS = (
    "It needs version {} of the plug-in interface or a newer one, and this nexus-core has 1.0; "
    "update nexus-core."
)
TOO_OLD = (
    "It was built for version 0.1 of the plug-in interface, and this nexus-core needs 1.0 or "
    "newer; update the plug-in."
)


@pytest.mark.parametrize(
    ("least", "most", "reason"),
    [
        ("1.1", "1.2", NEEDS.format("1.1")),
        ("2.0", "2.0", NEEDS.format("2.0")),
        ("0.1", "0.1", TOO_OLD),
    ],
)
def test_a_plugin_of_another_version_is_refused_without_being_opened(
    system: System, install: Install, least: str, most: str, reason: str
) -> None:
    install("other", "libnever_looked_for.so", abi={"min": least, "max": most})
    record = report_beside_good(system, install)["other"]
    assert (record["state"], record["reason"]) == ("FAIL", reason)


def test_a_failure_that_was_added_is_a_record(system: System) -> None:
    system.failures = [("acme", "acme-nexus", "its hook raised OSError: no folder")]
    record = system.report()["acme"]
    assert (record["state"], record["distribution"]) == ("FAIL", "acme-nexus")
    assert record["reason"] == "its hook raised OSError: no folder."


@pytest.mark.parametrize("own_first", [True, False])
def test_a_name_belongs_to_the_distribution_that_is_named_so(
    system: System, install: Install, tmp_path: Path, own_first: bool
) -> None:
    both = [("own", "Nexus_CPU"), ("impostor", "acme-cpu")]
    for folder, distribution in both if own_first else reversed(both):
        install("cpu", folder=folder, distribution=distribution)
    records = {record["distribution"]: record for record in system.report().backends}
    assert records["Nexus_CPU"]["state"] == "PASS"
    assert records["acme-cpu"]["state"] == "FAIL"
    assert records["acme-cpu"]["reason"] == (
        f"The name 'cpu' belongs to the distribution Nexus_CPU "
        f"('{tmp_path / 'own' / 'nxs_plugin.json'}'), so this plug-in was not opened; remove one "
        "of the two."
    )


def test_two_distributions_of_one_name_are_told_apart_by_their_manifests(
    system: System, install: Install
) -> None:
    own = install("cpu", folder="first", distribution="nexus-cpu")
    install("cpu", folder="second", distribution="nexus-cpu")
    first, second = system.report().backends
    assert first["manifest"] == str(own)
    assert first["manifest"] in second["reason"]


def test_a_library_that_works_under_one_name_is_not_queried_under_another(
    system: System, install: Install, build_plugin: MakePlugin
) -> None:
    library = build_plugin("plain.c", '-DNAME="good"')
    install("good")
    other = install("other", str(library))
    system.manifests.pop()
    system.calls = [
        ["create_stream", "good"],
        ["add_manifest", str(other)],
        ["find", "other"],
        ["create_stream", "good"],
    ]
    report = system.report()
    assert [report.results[i]["status"] for i in (0, 3)] == ["NXS_Success"] * 2
    assert report["good"]["state"] == "PASS"
    assert report["other"]["reason"] == (
        f"The backend 'good' already uses its library '{library}'; remove this manifest, or build "
        "a library of its own."
    )


def test_a_false_name_that_was_tried_first_does_not_keep_a_library_from_its_backend(
    system: System, install: Install, build_plugin: MakePlugin
) -> None:
    install("alias", str(build_plugin("plain.c", '-DNAME="good"')))
    install("good")
    system.calls = [["create_stream", "good"]]
    report = system.report()
    assert report.results == [{"status": "NXS_Success"}]
    assert report["alias"]["state"] == "FAIL"


def test_runtimes_are_ours_in_a_fixed_order_and_then_others_by_name(
    system: System, install: Install
) -> None:
    for name in ("zeta", "hip", "acme", "cuda", "cpu"):
        install(name, distribution=f"nexus-{name}")
    assert system.report().runtimes == ["cpu", "cuda", "hip", "acme", "zeta"]


def test_a_strangers_backend_that_bears_our_name_comes_with_the_others(
    system: System, install: Install
) -> None:
    for name, distribution in [("cpu", "acme-cpu"), ("alpha", "alpha"), ("cuda", "nexus-cuda")]:
        install(name, distribution=distribution)
    assert system.report().runtimes == ["cuda", "alpha", "cpu"]


def test_of_two_strangers_with_one_name_the_first_is_taken(
    system: System, install: Install
) -> None:
    taken = install("twin", folder="first")
    install("twin", folder="second")
    first, second = system.report().backends
    assert (first["state"], second["state"]) == ("PASS", "FAIL")
    assert str(taken.parent) in second["reason"]


def test_a_stranger_does_not_replace_a_backend_that_fails(system: System, install: Install) -> None:
    install("cpu", "libgone.so", folder="own", distribution="nexus-cpu")
    install("cpu", folder="other")
    report = system.report()
    assert report.runtimes == []
    assert [record["state"] for record in report.backends] == ["FAIL", "FAIL"]


def test_a_stranger_does_not_replace_a_backend_whose_hook_fails(
    system: System, install: Install
) -> None:
    system.failures = [("cpu", "nexus-cpu", "its hook raised OSError")]
    install("cpu", distribution="acme-cpu")
    own, stranger = system.report().backends
    assert own["reason"] == "its hook raised OSError."
    assert "belongs to the distribution nexus-cpu, so this" in stranger["reason"]


def test_a_manifest_that_is_added_twice_is_one_record(system: System, good: Path) -> None:
    system.add(good.parent / ".." / "good" / good.name, "acme-good")
    (record,) = system.report().backends
    assert record["distribution"] == "acme-good"


def test_a_manifest_may_be_added_after_others_were_loaded(
    system: System, good: Path, install: Install
) -> None:
    late = install("late")
    system.manifests.pop()
    system.calls = [["states"], ["add_manifest", str(late)]]
    report = system.report()
    assert report.results[0]["states"] == {"good": "PASS"}
    assert report.runtimes == ["good", "late"]


def test_finding_one_runtime_loads_no_other(system: System, install: Install) -> None:
    system.environment = {"NEXUS_LOG": "debug"}
    install("loud")
    install("good")
    system.calls = [["find", "good"]]
    loaded = [line for line in system.report().stderr.splitlines() if "loaded from" in line]
    assert [line.split(":")[0] for line in loaded] == ["nexus.good", "nexus.loud"]


def test_a_runtime_that_failed_says_why(system: System, install: Install) -> None:
    install("refusing", "broken.c")
    result = system.call("find", "refusing")
    assert (result["status"], result["backend"]) == ("NXS_InvalidRuntime", "refusing")
    assert result["text"] == (
        "The backend 'refusing' can't be used. It refused to start: the driver libacme.so.1 is "
        "not installed."
    )


@pytest.mark.parametrize(
    ("call", "status", "text"),
    [
        (
            ("find", "goood"),
            "NXS_InvalidRuntime",
            "There is no backend 'goood'; there is good. Did you mean 'good'?",
        ),
        (("get_runtime", "1"), "NXS_InvalidRuntime", "index is 1, and the number of runtimes is 1"),
        (("get_backend", "1"), "NXS_InvalidValue", "index is 1, and the number of records is 1."),
    ],
)
def test_what_is_not_there_is_told(
    system: System, good: Path, call: tuple[str, str], status: str, text: str
) -> None:
    result = system.call(*call)
    assert result["status"] == status
    assert text in result["text"]


def test_nexus_backends_filters_and_orders(system: System, install: Install) -> None:
    for name in ("one", "two", "three"):
        install(name)
    system.environment = {"NEXUS_BACKENDS": "three, one,fpga"}
    report = system.report()
    assert report.runtimes == ["three", "one"]
    assert [(record["name"], record["state"]) for record in report.backends] == [
        ("three", "PASS"), ("one", "PASS"), ("fpga", "FAIL"), ("two", "OFF"),
    ]  # fmt: skip
    assert report["two"]["reason"] == (
        "NEXUS_BACKENDS leaves it out: it names three, one and fpga only."
    )
    assert "no plug-in with that name" in report["fpga"]["reason"]


@pytest.mark.parametrize(
    ("environment", "written"),
    [
        ({}, "nexus.talking: warning: my tool\n"),
        ({"NEXUS_TALKING_TOOL": "the user's"}, "nexus.talking: warning: the user's\n"),
        ({"NEXUS_LOG": "error"}, ""),
    ],
)
def test_a_plugin_reads_settings_and_logs_while_it_is_loaded(
    system: System, install: Install, environment: dict[str, str], written: str
) -> None:
    install("talking", "talks.c")
    system.config = {"tool": "any tool", "talking.tool": "my tool"}
    system.environment = environment
    report = system.report()
    assert report["talking"]["state"] == "PASS"
    assert report.stderr == written


def test_a_plugin_that_takes_one_call_at_a_time_gets_one_at_a_time(
    system: System, install: Install
) -> None:
    install("serial", "serialized.c")
    result = system.call("create_streams_from_threads", "serial")
    assert result["results"] == ["NXS_Success"] * 20


def test_a_log_function_with_a_lock_of_its_own_blocks_no_loading(
    system: System, install: Install
) -> None:
    install("slow", "talks_slowly.c")
    result = system.call("load_from_two_threads", str(libnexus()))
    assert result["lines"] == ["here at last"]


def test_no_backend_at_all_is_no_error(system: System) -> None:
    report = system.report()
    assert (report.backends, report.runtimes) == ([], [])
