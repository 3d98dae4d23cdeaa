# SPDX-License-Identifier: Apache-2.0
"""Each function of NVRTC and nvJitLink fails: error, state and leaks."""

from __future__ import annotations

import ctypes
import itertools
import os
import time
from collections.abc import Callable
from functools import cache

import pytest
from cuda_bench import Bench, run_alone
from driver_functions import NVJITLINK, NVRTC

import nexus
from nexus.status import Status

INTERNAL = 11  # of nvrtcResult
LINK_INTERNAL = 6  # of nvJitLinkResult
_numbers = itertools.count()  # makes programs that no cache has
PIECE = nexus.ProgramOptions(relocatable=True)

# A failure loses only a message, or can't be handled.
NO_ERROR = {
    "nvrtcDestroyProgram": "NVRTC keeps the program",
    "nvrtcGetProgramLogSize": "there is no log",
    "nvrtcGetProgramLog": "there is no log",
    "nvrtcSetFlowCallback": "a compilation can't be ended early",
    "nvJitLinkDestroy": "nvJitLink keeps the link",
    "nvJitLinkGetErrorLogSize": "there is no log",
    "nvJitLinkGetErrorLog": "there is no log",
    "nvJitLinkGetInfoLogSize": "there is no log",
    "nvJitLinkGetInfoLog": "there is no log",
}
# Called once, when the library is opened.
OPENING = {
    "nvrtcVersion", "nvrtcGetNumSupportedArchs", "nvrtcGetSupportedArchs", "nvJitLinkVersion",
}  # fmt: skip


def _number() -> int:
    return next(_numbers) * 1000 + os.getpid() % 1000


def machine_code() -> nexus.ObjectCode:
    text = f"template <class T> __global__ void k(T *x) {{ *x = {_number()}; }}"
    options = nexus.ProgramOptions(name_expressions=["k<int>"])
    code = nexus.Program(text, "cuda", "k.cu", options).compile("cuda:sm_90")
    assert [kernel.name for kernel in code.kernels] == ["k<int>"]
    return code


def plain(target: str, options: nexus.ProgramOptions | None = None) -> nexus.ObjectCode:
    text = f'extern "C" __global__ void k{_number()}(int *x) {{ *x = 1; }}'
    return nexus.Program(text, "cuda", "k.cu", options).compile(target)


@cache
def same_piece() -> nexus.ObjectCode:
    return plain("cuda:sm_90", PIECE)


def linked(target: str) -> nexus.ObjectCode:
    return nexus.Linker(same_piece(), plain("cuda:sm_90", PIECE), target=target).link()


COMPILERS: list[Callable[[], nexus.ObjectCode]] = [
    machine_code,
    lambda: plain("cuda:compute_90"),
    lambda: plain("cuda:lto_90"),
]
LINKERS: list[Callable[[], nexus.ObjectCode]] = [
    lambda: linked("cuda:sm_90"),
    lambda: linked("cuda:compute_90"),
]


@pytest.fixture
def compilers(bench: Bench, machine: dict[str, str]) -> dict[str, str]:
    """Returns the simulated compilers in this process, with empty caches."""
    del bench
    if os.environ["NEXUS_CUDA_NVRTC"] != machine["NEXUS_CUDA_NVRTC"]:
        pytest.skip("needs a process of its own: another NVRTC is here")
    machine_code()
    return machine


def live(compilers: dict[str, str], jit_link: bool) -> int:
    """Counts programs and links that are not destroyed after the jobs' threads have ended."""
    path = compilers["NEXUS_CUDA_NVJITLINK" if jit_link else "NEXUS_CUDA_NVRTC"]
    count = ctypes.CDLL(path)["nvJitLinkSimulatedLive" if jit_link else "nvrtcSimulatedLive"]
    least = int(count())
    for _ in range(20):
        time.sleep(0.002)
        least = min(least, int(count()))
    return least


def error_of(work: Callable[[], object]) -> nexus.NexusError | None:
    """Returns the error that the call raises, or None."""
    try:
        work()
    except nexus.NexusError as error:
        return error
    return None


def errors_of(works: list[Callable[[], nexus.ObjectCode]]) -> list[nexus.NexusError]:
    """Returns the errors of the calls that raise one."""
    return [error for error in map(error_of, works) if error is not None]


@pytest.mark.parametrize("function", [each for each in NVRTC + NVJITLINK if each not in OPENING])
def test_a_failing_compiler_is_told_and_leaves_nothing(
    compilers: dict[str, str], monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    linker = function.startswith("nvJitLink")
    variable = "NEXUS_SIMULATED_NVJITLINK_FAIL" if linker else "NEXUS_SIMULATED_NVRTC_FAIL"
    code = LINK_INTERNAL if linker else INTERNAL
    works = LINKERS if linker else COMPILERS
    before = live(compilers, linker)
    with monkeypatch.context() as planned:
        planned.setenv(variable, f"{function}:{code}")
        errors = errors_of(works[:1] if function in NO_ERROR else works)
    assert bool(errors) == (function not in NO_ERROR)
    for error in errors:
        assert f"{function} returned {code}" in str(error)
        assert error.native_code == code
        assert error.status == (
            Status.NXS_LinkProgramFailure if linker else Status.NXS_CompilerNotAvailable
        )
    assert live(compilers, linker) == before or "Destroy" in function
    assert errors_of(works[:1]) == []


OPEN = """
import nexus, sys
device = nexus.get_device("cuda:0")
def piece(name):
    text = 'extern "C" __global__ void %s(int *x) { *x = 1; }' % name
    options = nexus.ProgramOptions(relocatable=True)
    return nexus.Program(text, "cuda", "k.cu", options).compile("cuda:sm_90")
try:
    nexus.Linker(piece("f"), piece("g"), target="cuda:sm_90").link()
    print("works")
except nexus.NexusError as error:
    print(error.status.name, error)
print(device.create_buffer(64).numpy().size)
"""


@pytest.mark.parametrize("function", sorted(OPENING))
def test_a_compiler_that_tells_no_version_is_not_used(
    machine: dict[str, str], tmp_path_factory: pytest.TempPathFactory, function: str
) -> None:
    variable = "NEXUS_SIMULATED_NVRTC_FAIL"
    if function.startswith("nvJitLink"):
        variable = "NEXUS_SIMULATED_NVJITLINK_FAIL"
    cache = str(tmp_path_factory.mktemp("cache"))
    run = run_alone(machine, OPEN, NEXUS_CACHE_DIR=cache, **{variable: f"{function}:5"})
    assert "does not report its" in run.stdout
    assert "install another" in run.stdout
    assert run.stdout.splitlines()[-1] == "64"
