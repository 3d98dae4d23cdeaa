# SPDX-License-Identifier: Apache-2.0
"""Programs in the portable language, if the backend compiles it."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, attempted, refused, values

pytestmark = pytest.mark.needs("Compile")

NOT_SUPPORTED = nexus.status.NXS_NotSupported
NO_SUCH_OPTION = nexus.status.NXS_InvalidCompilerOptions
FILL = """
#ifndef FACTOR
#define FACTOR 1
#endif
NEXUS_KERNEL_BOUNDED(fill, (nexus_grid_size(0)), (NEXUS_GLOBAL int *, out), (int, value)) {
  out[nexus_global_id(0)] = value * FACTOR;
}
"""
MISTAKE = FILL.replace("value * FACTOR", "value * undeclared_thing")


@pytest.fixture(autouse=True)
def portable(device: nexus.Device) -> None:
    """Ends the test if the device does not compile the portable language."""
    if "nexus" not in device.get_property_str_vec("Languages"):
        not_applicable("the backend compiles, but not the portable language ('nexus')")


def result(work: Workbench, library: nexus.Library, value: int = 3) -> set[int]:
    """Returns the value that the kernel `fill` stores."""
    out, schedule = work.ints(), work.device.create_schedule()
    schedule.create_command(library.get_kernel("fill"), (out, np.int32(value)), None, COUNT)
    schedule.run(timeout=LONG)
    return values(out)


def refusal(device: nexus.Device, *args: Any, **options: Any) -> nexus.CompileError:
    with pytest.raises(nexus.CompileError) as error:
        device.compile(*args, **options)
    return error.value


def test_a_text_and_a_file_are_compiled(work: Workbench, tmp_path: Path) -> None:
    assert result(work, work.device.compile(FILL)) == {3}
    path = tmp_path / "a file é.c"
    path.write_text(FILL, "utf-8")
    assert result(work, work.device.compile(path)) == {3}
    assert result(work, work.device.compile(nexus.Program(FILL, name="named.c"))) == {3}


@pytest.mark.promise("program-place")
def test_a_mistake_is_told_with_its_place(work: Workbench, tmp_path: Path) -> None:
    error = refusal(work.device, MISTAKE, name="mine.c")
    assert error.status == nexus.status.NXS_CompileProgramFailure
    assert "mine.c:6" in str(error)
    assert "undeclared_thing" in str(error)
    (tmp_path / "part.h").write_text("#define PART 1\nint f(void) { return undeclared_thing; }\n")
    (tmp_path / "whole.c").write_text('#include "part.h"\n' + FILL)
    assert "part.h:2" in str(refusal(work.device, tmp_path / "whole.c"))
    assert result(work, work.device.compile(FILL)) == {3}


@pytest.mark.promise("program-place")
def test_what_is_refused_leaves_nothing_and_is_refused_again(work: Workbench) -> None:
    before = work.live("libraries")
    texts = {str(refusal(work.device, MISTAKE, name="again.c")) for _ in range(3)}
    assert all("again.c:6" in text for text in texts)
    for text in ("NEXUS_KERNEL(", "}", "no kernel here", "#error never\n" + FILL):
        refusal(work.device, text)
    assert work.live("libraries") == before


def test_defines_reach_the_program(work: Workbench) -> None:
    assert result(work, work.device.compile(FILL, defines={"FACTOR": 5})) == {15}
    assert result(work, work.device.compile(FILL, defines={"FACTOR": "(2 + 2)"})) == {12}
    options = nexus.ProgramOptions(defines={"FACTOR": -1})
    assert result(work, work.device.compile(FILL, options=options)) == {-3}


def test_include_paths_are_searched(work: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    (folder / "factor.h").write_text("#define FACTOR 7\n")
    text = '#include "factor.h"\n' + FILL
    assert result(work, work.device.compile(text, include_paths=[folder])) == {21}
    assert "factor.h" in str(refusal(work.device, text))


@pytest.mark.promise("program-once")
def test_a_file_that_changed_is_compiled_anew(work: Workbench, tmp_path: Path) -> None:
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    text = '#include "factor.h"\n' + FILL
    assert result(work, work.device.compile(text, include_paths=[tmp_path])) == {6}
    (tmp_path / "factor.h").write_text("#define FACTOR 11\n")
    assert result(work, work.device.compile(text, include_paths=[tmp_path])) == {33}


@pytest.mark.parametrize(
    "options",
    [{"optimization": level} for level in range(4)]
    + [{"debug": True}, {"line_info": True}, {"fast_math": True}],
)
def test_each_option_gives_code_that_runs(work: Workbench, options: dict[str, Any]) -> None:
    library = attempted(lambda: work.device.compile(FILL, **options))
    if isinstance(library, nexus.NexusError):
        assert library.status in (NOT_SUPPORTED, NO_SUCH_OPTION)
    else:
        assert isinstance(library, nexus.Library)
        assert result(work, library) == {3}


def test_flags_that_there_are_not_are_refused(work: Workbench, backend: str) -> None:
    with pytest.raises((nexus.NexusError, ValueError), match="no-such-flag-of-any-compiler"):
        work.device.compile(FILL, extra={backend: ["-no-such-flag-of-any-compiler=1"]})


def test_a_language_that_there_is_not_names_those_that_there_are(work: Workbench) -> None:
    error = refused(lambda: work.device.compile(FILL, language="no-such-language"))
    assert "nexus" in str(error)
    assert "no-such-language" in str(error)


@pytest.mark.promise("program-once")
def test_the_second_time_comes_from_the_cache(work: Workbench) -> None:
    program = nexus.Program(FILL, name="twice.c")
    first, second = program.compile(work.device), program.compile(work.device)
    assert second.origin == "memory"
    assert first.code == second.code


@pytest.mark.promise("program-once")
def test_threads_compile_the_same_and_different_programs(work: Workbench) -> None:
    found: list[set[int]] = []

    def compile_one(number: int) -> None:
        factor = number % 3 + 1
        found.append(result(work, work.device.compile(FILL, defines={"FACTOR": factor}), 10))

    threads = [threading.Thread(target=compile_one, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert sorted(map(tuple, found)) == [(10,), (10,), (20,), (20,), (30,), (30,)]


@pytest.mark.promise("program-travels")
def test_object_code_goes_through_files_and_pickles(work: Workbench, tmp_path: Path) -> None:
    code = nexus.Program(FILL, name="travels.c").compile(work.device)
    assert code.runtime == work.device.runtime.name
    assert "fill" in [kernel.name for kernel in code.kernels] or not code.kernels
    path = tmp_path / "travels.nexus"
    code.save(path)
    for again in (nexus.ObjectCode.load(path), pickle.loads(pickle.dumps(code))):
        assert (again.code, again.target, again.name) == (code.code, code.target, "travels.c")
        assert result(work, work.device.load_library(again)) == {3}
    assert result(work, work.device.load_library(path)) == {3}


@pytest.mark.promise("program-travels")
def test_object_code_that_was_cut_or_changed_is_refused(work: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "broken.nexus"
    nexus.Program(FILL).compile(work.device).save(path)
    whole = path.read_bytes()
    for part in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:part])
        with pytest.raises((nexus.NexusError, ValueError)):
            nexus.ObjectCode.load(path)
    for at in (0, len(whole) // 3, len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x40]) + whole[at + 1 :])
        with pytest.raises((nexus.NexusError, ValueError)):
            nexus.ObjectCode.load(path)


@pytest.mark.promise("program-place")
def test_warnings_are_in_the_log_and_nowhere_else(
    work: Workbench, capfd: pytest.CaptureFixture[str]
) -> None:
    code = nexus.Program("#warning mind the gap\n" + FILL, name="gap.c").compile(work.device)
    assert "mind the gap" in code.log
    assert "gap.c:1" in code.log
    assert pickle.loads(pickle.dumps(code)).log == code.log
    assert capfd.readouterr() == ("", "")


@pytest.mark.promise("program-inputs")
def test_run_takes_arrays_and_gives_arrays(work: Workbench) -> None:
    given = np.arange(COUNT, dtype=np.int32)
    made = nexus.run(
        FILL, [given, np.int32(4)], 0, COUNT, device=work.device.selector, kernel="fill"
    )
    assert set(made.tolist()) == {4}
    assert given.tolist() == list(range(COUNT))


def test_a_kernel_that_says_its_group_size_keeps_it(work: Workbench) -> None:
    text = """
NEXUS_PHASED_KERNEL(twice_the_mirror, (8, 1, 1), (NEXUS_GLOBAL int *, x),
                    (NEXUS_LOCAL int, tile, 8)) {
  NEXUS_PHASE { tile[nexus_local_id(0)] = x[nexus_global_id(0)]; }
  NEXUS_PHASE { x[nexus_global_id(0)] = 2 * tile[7 - nexus_local_id(0)]; }
}
"""
    kernel = work.device.compile(text).get_kernel("twice_the_mirror")
    x = work.device.create_buffer(np.arange(16, dtype=np.int32))
    schedule = work.device.create_schedule()
    with pytest.raises((nexus.NexusError, ValueError)):
        schedule.create_command(kernel, (x,), 4, 16)
    command = schedule.create_command(kernel, (x,), None, 16)
    assert command.group_size == (8, 1, 1)
    schedule.run(timeout=LONG)
    expected = 2 * np.arange(16).reshape(2, 8)[:, ::-1].ravel()
    assert np.array_equal(x.numpy(), expected)
