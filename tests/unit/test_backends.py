# SPDX-License-Identifier: Apache-2.0
"""Each backend is loaded on its own: a bad one leaves one sentence, and the others work."""

from __future__ import annotations

from pathlib import Path

import pytest
from native import MakePlugin, libnexus, write_manifest
from system import Report, System


@pytest.fixture
def good(build_plugin: MakePlugin, tmp_path: Path) -> Path:
    """The manifest of a plug-in that works."""
    library = build_plugin("plain.c", '-DNAME="good"')
    return write_manifest(tmp_path / "good", "good", library)


def report_beside(system: System, good: Path, bad: Path) -> Report:
    """The report on a bad plug-in that was added before the good one, which works."""
    system.add(bad)
    system.add(good)
    report = system.report()
    assert report["good"]["state"] == "PASS"
    assert report.runtimes == ["good"]
    return report


def test_a_backend_that_passes_tells_where_it_came_from(system: System, good: Path) -> None:
    system.add(good, "acme-good")
    record = system.report()["good"]
    assert record["state"] == "PASS"
    assert record["distribution"] == "acme-good"
    assert record["version"] == "1.2.3"
    assert record["manifest"] == str(good)
    assert Path(record["library"]).is_file()
    assert record["reason"] == ""


BROKEN = [
    (
        "lacking",
        "FAIL",
        "It lacks nxsCreateStream and nxsRunSchedule, which are required; "
        "report it to the plug-in's authors.",
    ),
    (
        "newer",
        "FAIL",
        "It refused to start: it needs the plug-in interface 1.7; update nexus-core.",
    ),
    (
        "ahead",
        "FAIL",
        "It serves version 1.1 of the plug-in interface, and this nexus-core speaks 1.0; "
        "install versions of both that fit.",
    ),
    (
        "behind",
        "FAIL",
        "It serves version 0.1 of the plug-in interface, and this nexus-core speaks 1.0; "
        "install versions of both that fit.",
    ),
    (
        "refusing",
        "ABSENT",
        "It refused to start: the driver libacme.so.1 is not installed.",
    ),
    (
        "silent",
        "FAIL",
        "It refused to start with NXS_OutOfResources and did not say why.",
    ),
    (
        "odd",
        "FAIL",
        "It declares thread model 42, which this nexus-core does not know; update nexus-core.",
    ),
    ("empty", "ABSENT", "It finds no device on this machine."),
    (
        "renamed",
        "FAIL",
        "It calls itself 'alias', and its manifest 'renamed'; the two must be equal.",
    ),
    (
        "foreign",
        "FAIL",
        "Its runtime id is not one of a runtime with the tag that it was given; "
        "report it to the plug-in's authors.",
    ),
]


@pytest.mark.parametrize(("name", "state", "reason"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_broken_plugin_says_what_is_wrong(
    system: System,
    good: Path,
    build_plugin: MakePlugin,
    tmp_path: Path,
    name: str,
    state: str,
    reason: str,
) -> None:
    calls_itself = "alias" if name == "renamed" else name
    library = build_plugin("broken.c", f'-DNAME="{calls_itself}"')
    bad = write_manifest(tmp_path / name, name, library)
    record = report_beside(system, good, bad)[name]
    assert record["state"] == state
    assert record["reason"] == reason


def test_a_missing_library_is_named(system: System, good: Path, tmp_path: Path) -> None:
    bad = write_manifest(tmp_path / "gone", "gone", "libgone.so")
    record = report_beside(system, good, bad)["gone"]
    assert record["state"] == "FAIL"
    assert f"'{tmp_path / 'gone' / 'libgone.so'}' can't be read" in record["reason"]


def test_a_plug_in_that_is_text_fails(system: System, good: Path, tmp_path: Path) -> None:
    (tmp_path / "prose.so").write_text("Once upon a time there was a library.\n")
    bad = write_manifest(tmp_path / "prose", "prose", "../prose.so")
    record = report_beside(system, good, bad)["prose"]
    assert record["state"] == "FAIL"
    assert "is not a shared library" in record["reason"]


def test_a_library_cut_short_anywhere_ends_no_process(
    system: System, good: Path, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    whole = build_plugin("plain.c", '-DNAME="cut"').read_bytes()
    for cut in range(50):
        folder = tmp_path / f"cut{cut}"
        manifest = write_manifest(folder, f"cut{cut}", "libcut.so")
        (folder / "libcut.so").write_bytes(whole[: len(whole) * cut // 50])
        system.add(manifest)
    system.add(good)
    report = system.report()
    assert report.runtimes == ["good"]
    cut_records = [record for record in report.backends if record["name"] != "good"]
    assert [record["state"] for record in cut_records] == ["FAIL"] * 50
    assert all(record["reason"].endswith(".") for record in cut_records)


def test_a_library_without_the_entry_is_no_plugin(
    system: System, good: Path, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    bad = write_manifest(tmp_path / "plain", "plain", build_plugin("not_a_plugin.c"))
    record = report_beside(system, good, bad)["plain"]
    assert record["state"] == "FAIL"
    assert record["reason"].endswith("is no plug-in: it does not export nxsQueryPlugin.")


NEEDS_NEWER = (
    "It needs version {} of the plug-in interface or a newer one, and this nexus-core has 1.0; "
    "update nexus-core."
)
OF_OTHER_VERSIONS = {
    ("1.1", "1.2"): NEEDS_NEWER.format("1.1"),
    ("2.0", "2.0"): NEEDS_NEWER.format("2.0"),
    ("0.1", "0.1"): (
        "It was built for version 0.1 of the plug-in interface, and this nexus-core needs 1.0 or "
        "newer; update the plug-in."
    ),
}


@pytest.mark.parametrize("versions", OF_OTHER_VERSIONS)
def test_a_plugin_of_other_versions_is_refused_without_being_opened(
    system: System, good: Path, tmp_path: Path, versions: tuple[str, str]
) -> None:
    abi = dict(zip(("min", "max"), versions, strict=True))
    bad = write_manifest(tmp_path / "other", "other", "libnever_looked_for.so", abi=abi)
    record = report_beside(system, good, bad)["other"]
    assert (record["state"], record["reason"]) == ("FAIL", OF_OTHER_VERSIONS[versions])


def test_a_failure_that_was_added_is_a_record(system: System, good: Path) -> None:
    system.failures = [("acme", "acme-nexus", "its hook raised OSError: no folder")]
    system.add(good)
    record = system.report()["acme"]
    assert record["state"] == "FAIL"
    assert record["distribution"] == "acme-nexus"
    assert record["reason"] == "its hook raised OSError: no folder."


@pytest.mark.parametrize("own_first", [True, False])
def test_a_name_belongs_to_the_distribution_that_is_named_so(
    system: System, build_plugin: MakePlugin, tmp_path: Path, own_first: bool
) -> None:
    library = build_plugin("plain.c", '-DNAME="cpu"')
    own = (write_manifest(tmp_path / "own", "cpu", library), "Nexus_CPU")
    impostor = (write_manifest(tmp_path / "impostor", "cpu", library), "acme-cpu")
    for manifest, distribution in [own, impostor] if own_first else [impostor, own]:
        system.add(manifest, distribution)
    records = {record["distribution"]: record for record in system.report().backends}
    assert records["Nexus_CPU"]["state"] == "PASS"
    assert records["acme-cpu"]["state"] == "FAIL"
    assert records["acme-cpu"]["reason"] == (
        f"The name 'cpu' is that of the distribution Nexus_CPU ('{own[0]}'), so this plug-in was "
        "not opened; remove one of the two."
    )


def test_two_distributions_of_one_name_are_told_apart_by_their_manifests(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("plain.c", '-DNAME="cpu"')
    for folder in ("first", "second"):
        system.add(write_manifest(tmp_path / folder, "cpu", library), "nexus-cpu")
    first, second = system.report().backends
    assert first["manifest"] == str(tmp_path / "first" / "nxs_plugin.json")
    assert first["manifest"] in second["reason"]


def test_a_library_that_works_under_one_name_is_not_queried_under_another(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("plain.c", '-DNAME="good"')
    system.add(write_manifest(tmp_path / "good", "good", library))
    other = write_manifest(tmp_path / "other", "other", library)
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
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("plain.c", '-DNAME="good"')
    system.add(write_manifest(tmp_path / "alias", "alias", library))
    system.add(write_manifest(tmp_path / "good", "good", library))
    system.calls = [["create_stream", "good"]]
    report = system.report()
    assert report.results == [{"status": "NXS_Success"}]
    assert report["alias"]["state"] == "FAIL"


def test_runtimes_are_ours_in_a_fixed_order_and_then_others_by_name(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    names = ["zeta", "hip", "acme", "cuda", "cpu"]
    for name in names:
        library = build_plugin("plain.c", f'-DNAME="{name}"')
        system.add(write_manifest(tmp_path / name, name, library), f"nexus-{name}")
    assert system.report().runtimes == ["cpu", "cuda", "hip", "acme", "zeta"]


def test_a_strangers_backend_that_bears_our_name_comes_with_the_others(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    for name, distribution in [("cpu", "acme-cpu"), ("alpha", "alpha"), ("cuda", "nexus-cuda")]:
        library = build_plugin("plain.c", f'-DNAME="{name}"')
        system.add(write_manifest(tmp_path / name, name, library), distribution)
    assert system.report().runtimes == ["cuda", "alpha", "cpu"]


def test_of_two_strangers_with_one_name_the_first_is_taken(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("plain.c", '-DNAME="twin"')
    for folder in ("first", "second"):
        system.add(write_manifest(tmp_path / folder, "twin", library))
    first, second = system.report().backends
    assert first["state"] == "PASS"
    assert second["state"] == "FAIL"
    assert str(tmp_path / "first") in second["reason"]


def test_a_stranger_does_not_replace_a_backend_that_fails(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "own", "cpu", "libgone.so"), "nexus-cpu")
    system.add(write_manifest(tmp_path / "other", "cpu", build_plugin("plain.c", '-DNAME="cpu"')))
    report = system.report()
    assert report.runtimes == []
    assert [record["state"] for record in report.backends] == ["FAIL", "FAIL"]


def test_a_stranger_does_not_replace_a_backend_whose_hook_fails(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.failures = [("cpu", "nexus-cpu", "its hook raised OSError")]
    library = build_plugin("plain.c", '-DNAME="cpu"')
    system.add(write_manifest(tmp_path / "other", "cpu", library), "acme-cpu")
    own, stranger = system.report().backends
    assert own["reason"] == "its hook raised OSError."
    assert "is that of the distribution nexus-cpu, so this" in stranger["reason"]


def test_a_manifest_that_is_added_twice_is_one_record(system: System, good: Path) -> None:
    system.add(good)
    system.add(good.parent / ".." / "good" / good.name, "acme-good")
    (record,) = system.report().backends
    assert record["distribution"] == "acme-good"


def test_a_manifest_may_be_added_after_others_were_loaded(
    system: System, good: Path, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    late = write_manifest(tmp_path / "late", "late", build_plugin("plain.c", '-DNAME="late"'))
    system.add(good)
    system.calls = [["states"], ["add_manifest", str(late)]]
    report = system.report()
    assert report.results[0]["states"] == {"good": "PASS"}
    assert report.runtimes == ["good", "late"]


def test_finding_one_runtime_loads_no_other(
    system: System, good: Path, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.environment = {"NEXUS_LOG": "debug"}
    other = write_manifest(tmp_path / "loud", "loud", build_plugin("plain.c", '-DNAME="loud"'))
    system.add(other)
    system.add(good)
    system.calls = [["find", "good"]]
    loaded = [line for line in system.report().stderr.splitlines() if "loaded from" in line]
    assert [line.split(":")[0] for line in loaded] == ["nexus.good", "nexus.loud"]


def test_a_runtime_that_failed_says_why(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    library = build_plugin("broken.c", '-DNAME="refusing"')
    system.add(write_manifest(tmp_path / "refusing", "refusing", library))
    result = system.call("find", "refusing")
    assert result["status"] == "NXS_InvalidRuntime"
    assert result["backend"] == "refusing"
    assert result["text"] == (
        "The backend 'refusing' can't be used. It refused to start: the driver libacme.so.1 is "
        "not installed."
    )


def test_an_unknown_runtime_names_those_that_there_are(system: System, good: Path) -> None:
    system.add(good)
    result = system.call("find", "goood")
    assert result["status"] == "NXS_InvalidRuntime"
    assert result["text"] == ("There is no backend 'goood'; there is good. Did you mean 'good'?")


def test_an_index_beyond_the_runtimes_is_an_error(system: System, good: Path) -> None:
    system.add(good)
    result = system.call("get_runtime", "1")
    assert result["status"] == "NXS_InvalidRuntime"
    assert "index is 1, and the number of runtimes is 1;" in result["text"]


def test_an_index_beyond_the_records_is_an_error(system: System, good: Path) -> None:
    system.add(good)
    result = system.call("get_backend", "1")
    assert result["status"] == "NXS_InvalidValue"
    assert "index is 1, and the number of records is 1." in result["text"]


def test_nexus_backends_filters_and_orders(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        library = build_plugin("plain.c", f'-DNAME="{name}"')
        system.add(write_manifest(tmp_path / name, name, library))
    system.environment = {"NEXUS_BACKENDS": "three, one,fpga"}
    report = system.report()
    assert report.runtimes == ["three", "one"]
    assert [(record["name"], record["state"]) for record in report.backends] == [
        ("three", "PASS"),
        ("one", "PASS"),
        ("fpga", "FAIL"),
        ("two", "OFF"),
    ]
    assert report["two"]["reason"] == (
        "NEXUS_BACKENDS leaves it out: it names three, one and fpga only."
    )
    assert "no plug-in of that name" in report["fpga"]["reason"]


def test_a_plugin_uses_the_hosts_services_while_it_is_loaded(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "talking", "talking", build_plugin("talks.c")))
    system.config = {"tool": "any tool", "talking.tool": "my tool"}
    report = system.report()
    assert report["talking"]["state"] == "PASS"
    assert report.stderr == "nexus.talking: warning: my tool\n"


def test_the_environment_overrides_configuration(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "talking", "talking", build_plugin("talks.c")))
    system.config = {"talking.tool": "my tool"}
    system.environment = {"NEXUS_TALKING_TOOL": "the user's tool"}
    assert system.report().stderr == "nexus.talking: warning: the user's tool\n"


def test_lines_below_the_level_of_nexus_log_are_not_sent(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "talking", "talking", build_plugin("talks.c")))
    system.environment = {"NEXUS_LOG": "error"}
    assert system.report().stderr == ""


def test_a_plugin_that_takes_one_call_at_a_time_gets_one_at_a_time(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "serial", "serial", build_plugin("serialized.c")))
    result = system.call("create_streams_from_threads", "serial")
    assert result["results"] == ["NXS_Success"] * 20


def test_a_log_function_with_a_lock_of_its_own_blocks_no_loading(
    system: System, build_plugin: MakePlugin, tmp_path: Path
) -> None:
    system.add(write_manifest(tmp_path / "slow", "slow", build_plugin("talks_slowly.c")))
    result = system.call("load_from_two_threads", str(libnexus()))
    assert result["lines"] == ["here at last"]


def test_no_backend_at_all_is_no_error(system: System) -> None:
    report = system.report()
    assert report.backends == []
    assert report.runtimes == []
