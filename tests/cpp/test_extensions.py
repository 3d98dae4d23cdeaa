# SPDX-License-Identifier: Apache-2.0
"""<nexus/python.hpp>: extensions by pybind11 and nanobind, built on the installed package."""

from __future__ import annotations

import datetime
import importlib.util
import os
import subprocess
import sys
import threading
import zipfile
from _thread import interrupt_main
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nexus

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parents[1] / "examples" / "extension"
KERNEL = "NEXUS_KERNEL(nothing, (int, n)) {}"


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=["pybind11", "nanobind"])
def casters(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """casters.cpp, built with one of the two."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"needs {request.param}: pip install {request.param}")
    option = "--cmakedir" if request.param == "pybind11" else "--cmake_dir"
    folder = tmp_path_factory.mktemp(request.param)
    found = run(sys.executable, "-m", request.param, option, cwd=folder).strip()
    run(
        "cmake", "-S", str(HERE / "casters"), "-B", ".", f"-DBINDING={request.param}",
        f"-D{request.param}_DIR={found}", f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_PREFIX_PATH={nexus.get_cmake_dir()}", "-DCMAKE_BUILD_TYPE=Debug", cwd=folder,
    )  # fmt: skip
    run("cmake", "--build", ".", cwd=folder)
    (library,) = folder.glob("casters*.so")
    spec = importlib.util.spec_from_file_location("casters", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cpu() -> nexus.Device:
    return nexus.get_device("cpu")


@pytest.fixture(scope="module")
def objects(cpu: nexus.Device) -> dict[str, Any]:
    """An object of each class, by the function that takes it."""
    code = nexus.Program(KERNEL, name="nothing.c").compile(cpu)
    library = cpu.load_library(code)
    schedule = cpu.create_schedule()
    return {
        "buffer": cpu.create_buffer(16, dtype="float32"),
        "command": schedule.create_command(library.get_kernel("nothing"), [1], grid_size=1),
        "device": cpu,
        "event": cpu.create_event(),
        "kernel": library.get_kernel("nothing"),
        "library": library,
        "object_code": code,
        "runtime": nexus.get_runtime("cpu"),
        "schedule": schedule,
        "stream": cpu.create_stream(),
    }


def test_an_object_comes_back_as_the_same(casters: ModuleType, objects: dict[str, Any]) -> None:
    for name, value in objects.items():
        assert getattr(casters, name)(value) is value


class Forged:
    """Something that only has the method."""

    def __nexus_object__(self) -> object:
        return vars(datetime)["datetime_CAPI"]


def test_others_are_refused_by_the_name_of_the_class(
    casters: ModuleType, objects: dict[str, Any]
) -> None:
    for name, right in objects.items():
        others = [each for each in objects.values() if each is not right]
        for wrong in (*others, type(right), 1, "cpu", Forged()):
            with pytest.raises(TypeError, match=rf"value: nexus\.{type(right).__name__}"):
                getattr(casters, name)(wrong)


def test_none_is_the_default_stream_and_no_other_object(
    casters: ModuleType, objects: dict[str, Any]
) -> None:
    buffer = objects["buffer"]
    for number, stream in enumerate(((), (None,), (objects["stream"],))):
        casters.fill(buffer, number, *stream)
        assert buffer.numpy().tolist() == [number] * 16
    for name in objects.keys() - {"stream"}:
        with pytest.raises(TypeError):
            getattr(casters, name)(None)
    assert [casters.is_there(), casters.is_there(None), casters.is_there(buffer)] == [0, 0, 1]


def test_a_closed_object_is_an_error_of_nexus(casters: ModuleType, cpu: nexus.Device) -> None:
    buffer = cpu.create_buffer(16)
    buffer.close()
    with pytest.raises(nexus.NexusError, match="is closed; create a new buffer") as caught:
        casters.fill(buffer, 1)
    assert caught.value.status == nexus.status.NXS_InvalidBuffer
    with pytest.raises(nexus.NexusValueError):
        casters.fill(cpu.create_buffer(3), 1)


def test_a_value_keeps_the_object_when_python_has_it_no_more(
    casters: ModuleType, cpu: nexus.Device
) -> None:
    used = cpu.memory_used
    buffer = cpu.create_buffer(1 << 20, dtype="uint8")
    buffer.fill(7)
    casters.keep(buffer)
    del buffer
    assert cpu.memory_used == used + (1 << 20)
    again = casters.give_back()
    assert (again.shape, again.dtype, again[5].item()) == ((1 << 20,), "uint8", 7)
    assert casters.give_back() is None
    del again
    assert cpu.memory_used == used


def test_ctrl_c_ends_a_wait(casters: ModuleType, cpu: nexus.Device) -> None:
    timer = threading.Timer(0.2, interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        casters.wait(cpu.create_event())
    timer.join()


def test_the_example_is_built_as_a_wheel_and_runs(tmp_path: Path) -> None:
    pytest.importorskip("pybind11", reason="needs pybind11: pip install pybind11")
    pytest.importorskip("scikit_build_core", reason="pip install scikit-build-core")
    build = "import sys, scikit_build_core.build as b; b.build_wheel(sys.argv[1])"
    run(sys.executable, "-c", build, str(tmp_path), cwd=EXAMPLE)
    (wheel,) = tmp_path.glob("nexus_saxpy-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    path = os.pathsep.join([str(tmp_path / "installed"), *filter(None, sys.path)])
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, "utf-8")
    environment = {**os.environ, "PYTHONPATH": path}
    subprocess.run([sys.executable, program], env=environment, check=True)


PROGRAM = """
import nexus, nexus_saxpy
device = nexus.get_device("cpu")
saxpy = nexus_saxpy.Saxpy(device)
assert saxpy.device is device
x, y = nexus.arange(5, dtype="float32", device=device), nexus.ones(5, device=device)
assert saxpy(2.0, x, y) is y
saxpy(a=0.5, x=x, y=y, stream=device.create_stream())
assert y.numpy().tolist() == [1, 3.5, 6, 8.5, 11]
for wrong, error in (((2.0, x, None), TypeError), ((2.0, x, y[1:]), ValueError)):
    try:
        saxpy(*wrong)
    except error:
        continue
    raise AssertionError(wrong)
"""
