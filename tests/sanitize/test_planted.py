# SPDX-License-Identifier: Apache-2.0
"""Planted mistakes are reported and end the process: proof that a sanitizer sees our code.

`nox -s sanitize` sets NEXUS_SANITIZE to what it builds with, and preloads the sanitizer.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import nexus

HERE = Path(__file__).parent
SANITIZERS = os.environ.get("NEXUS_SANITIZE", "")
BUILT = [
    "nexus/_core.*.so", "nexus/lib/libnexus.so", "nexus_cpu/libnexus_cpu.so",
    "nexus_cpu/libnexus_cpu_barrier.so", "nexus_cpu/libnexus_cpu_demo_kernels.so",
    "nexus_reference/libnexus_reference.so",
]  # fmt: skip
LIBNEXUS = """
import ctypes, nexus
library = ctypes.CDLL({path!r})
allocate = ctypes.CDLL(None).malloc
allocate.restype = ctypes.c_void_p
"""

pytestmark = pytest.mark.skipif(not SANITIZERS, reason="needs a sanitizer: run nox -s sanitize")
with_threads = pytest.mark.skipif("thread" not in SANITIZERS, reason="is for ThreadSanitizer")
with_addresses = pytest.mark.skipif("address" not in SANITIZERS, reason="is for AddressSanitizer")
with_undefined = pytest.mark.skipif(
    "undefined" not in SANITIZERS, reason="is for UndefinedBehaviorSanitizer"
)


def packages() -> Path:
    """The folder of the packages that this run imports."""
    return Path(nexus.__file__).parents[1]


def report_of(program: str) -> str:
    """Returns the sanitizer's report on the program in a fresh Python, which it must end."""
    environment = dict(os.environ)
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
        environment[name] = f"{environment.get(name, '')}:log_path=stderr"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nprint('went on')"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode != 0, done.stdout) == (True, ""), done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The start of a program: `library` has the functions of planted.c."""
    path = tmp_path_factory.mktemp("planted") / "libplanted.so"
    command = [*shlex.split(os.environ["CC"]), "-shared", "-fPIC", "-g", "-pthread"]
    command += [f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all"]
    subprocess.run([*command, HERE / "planted.c", "-o", path], check=True)
    return f"import ctypes\nlibrary = ctypes.CDLL({str(path)!r})\n"


@pytest.fixture(scope="module")
def libnexus() -> str:
    """The start of a program: `library` has the C functions of libnexus, `allocate` is malloc."""
    return LIBNEXUS.format(path=str(packages() / "nexus/lib/libnexus.so"))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The start of a program: `library` is that of planted_kernels.c on `device`, the CPU."""
    path = tmp_path_factory.mktemp("planted") / "kernels.so"
    # Not a nexus.Program, whose kernels are looked at in this process when it is compiled.
    command = [*shlex.split(os.environ["CC"]), "-shared", "-fPIC", "-O1"]
    command += [f"-I{nexus.get_include()}", str(HERE / "planted_kernels.c"), "-o", str(path)]
    subprocess.run(command, check=True)
    return (
        "import nexus\n"
        "device = nexus.get_device('cpu')\n"
        f"library = device.load_library({str(path)!r})\n"
    )


@pytest.mark.parametrize("pattern", BUILT)
def test_a_library_of_this_build_calls_the_sanitizer(pattern: str) -> None:
    (library,) = packages().glob(pattern)
    listed = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", library], capture_output=True, text=True, check=True
    )
    calls = {
        "address": "__asan_report_load",
        "undefined": "__ubsan_handle",
        "thread": "__tsan_read",
    }
    for sanitizer in SANITIZERS.split(","):
        # The C of two small libraries has nothing that may be undefined.
        if sanitizer != "undefined" or "libnexus_cpu_" not in pattern:
            assert calls[sanitizer] in listed.stdout


@with_addresses
def test_an_overflow_is_reported(mistakes: str) -> None:
    report = report_of(f"{mistakes}library.overflow(8)")
    assert "AddressSanitizer: heap-buffer-overflow" in report


@with_addresses
def test_an_overflow_in_libnexus_is_reported(libnexus: str) -> None:
    report = report_of(f"{libnexus}library.nexus_runtime_count(ctypes.c_void_p(allocate(4)))")
    assert "AddressSanitizer: heap-buffer-overflow" in report
    assert "nexus-core/src/device/system.cpp" in report


@with_addresses
def test_an_overflow_in_the_cpu_plugin_is_reported(kernels: str) -> None:
    report = report_of(f"{kernels}library.get_kernel('miscounted')")
    assert "AddressSanitizer: global-buffer-overflow" in report
    assert "nexus-cpu/src/objects/kernel.cpp" in report


@with_addresses
def test_an_overflow_in_a_kernel_is_reported(kernels: str) -> None:
    program = """
schedule = device.create_schedule()
command = schedule.create_command(library.get_kernel("write_beyond"))
command.set_buffer(0, device.create_buffer(256))
command.set_arg(1, 65)
command.finalize(65, 65)
schedule.run()
"""
    assert "AddressSanitizer: heap-buffer-overflow" in report_of(kernels + program)


@with_undefined
def test_undefined_arithmetic_is_reported(mistakes: str) -> None:
    assert "signed integer overflow" in report_of(f"{mistakes}library.too_large(1)")


@with_undefined
def test_undefined_behaviour_in_libnexus_is_reported(libnexus: str) -> None:
    report = report_of(f"{libnexus}library.nexus_runtime_count(ctypes.c_void_p(allocate(16) + 1))")
    assert "store to misaligned address" in report
    assert "nexus-core/src/device/system.cpp" in report


@with_threads
def test_a_race_is_reported(mistakes: str) -> None:
    assert "ThreadSanitizer: data race" in report_of(f"{mistakes}library.race()")


@with_threads
def test_a_race_in_libnexus_is_reported(libnexus: str) -> None:
    program = """
import threading
count = ctypes.c_void_p(allocate(8))
def ask():
    for _ in range(100_000):
        library.nexus_runtime_count(count)
threads = [threading.Thread(target=ask) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    report = report_of(libnexus + program)
    assert "ThreadSanitizer: data race" in report
    assert "nexus-core/src/device/system.cpp" in report


@with_threads
def test_a_race_of_two_streams_is_reported() -> None:
    program = """
import nexus
device = nexus.get_device("cpu")
buffer = device.create_buffer(1 << 18, dtype="int32")
streams = [device.create_stream() for _ in range(2)]
for value in range(1_000):
    buffer.fill(value, streams[value % 2], blocking=False)
device.synchronize()
"""
    report = report_of(program)
    assert "ThreadSanitizer: data race" in report
    assert "nexus-cpu/src/execution/work.cpp" in report
