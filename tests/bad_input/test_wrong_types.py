# SPDX-License-Identifier: Apache-2.0
"""Nonsense for every parameter of every public function, by their own signatures: it works where it
is legal, and else is a TypeError, a ValueError or a NexusError that names the parameter."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from example_catalog import library_of, object_of, write_catalog
from workbench import COUNT, GROUP, REACHED, Workbench, check_unharmed

import nexus

Make = Callable[[Workbench], Any]


class Parameter(NamedTuple):
    """A parameter of a public function."""

    owner: str  # the class, or "nexus"
    function: str
    name: str
    kind: str  # its annotation

    def __str__(self) -> str:
        return f"{self.owner}.{self.function}({self.name})"


def closed_buffer(bench: Workbench) -> nexus.Buffer:
    buffer = bench.floats()
    buffer.close()
    return buffer


def endless_list(bench: Workbench) -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def catalog(bench: Workbench) -> nexus.Catalog:
    """A kernel catalog with the bench's library, as 'vector'."""
    code = bench.backend.source
    data = code if isinstance(code, bytes) else code.read_bytes()
    entry = object_of(Path.cwd(), data, bench.device.architecture, bench.device.backend)
    return nexus.load_catalog(write_catalog(Path.cwd(), library_of(Objects=[entry])))


NONSENSE: dict[str, Make] = {
    "None": lambda b: None,
    "an object": lambda b: object(),
    "a class": lambda b: object,
    "a function": lambda b: lambda *_: None,
    "a module": lambda b: np,
    "-1": lambda b: -1,
    "2**63": lambda b: 2**63,
    "2**70": lambda b: 2**70,
    "-2**70": lambda b: -(2**70),
    "1.5": lambda b: 1.5,
    "nan": lambda b: float("nan"),
    "1j": lambda b: 1j,
    "True": lambda b: True,
    "...": lambda b: ...,
    "text": lambda b: "x",
    "no text": lambda b: "",
    "a zero byte": lambda b: "\0",
    "a lone surrogate": lambda b: "\ud800",
    "bytes": lambda b: b"x",
    "an empty list": lambda b: [],
    "an empty tuple": lambda b: (),
    "an empty dict": lambda b: {},
    "a list of None": lambda b: [None],
    "a list in itself": endless_list,
    "an exhausted iterator": lambda b: iter(()),
    "an array of text": lambda b: np.array(["x"]),
    "an array of a fraction": lambda b: np.array([1.5]),
    "numpy's 1.5": lambda b: np.float32(1.5),
    "a closed buffer": closed_buffer,
}

FLOATS = {"-1", "2**63", "2**70", "-2**70", "1.5", "nan", "numpy's 1.5"}
TEXTS = {"text", "no text", "a zero byte", "a lone surrogate"}
EMPTY = {"no text", "an empty list", "an empty tuple", "an empty dict", "an exhausted iterator"}

# nexus.zeros and its like, and the legal values of their parameters.
MAKERS = ("empty", "zeros", "ones", "full", "arange", "empty_like", "zeros_like", "ones_like",
          "full_like")  # fmt: skip
NUMBERS = {"-1", "1.5", "True", "numpy's 1.5"}
MADE = {
    "shape": {"an empty tuple", "an empty list"},
    "value": {*FLOATS, "True"} - {"2**63", "2**70", "-2**70"},
    "x": {"an array of a fraction", "numpy's 1.5"},
    "device": {"None", "no text"},
}

# Legal values of a parameter, by its full name, its name, or its annotation.
LEGAL: dict[str, set[str]] = {
    "Device.create_buffer(data)": {"bytes", "an array of a fraction", "an empty tuple"},
    "Device.create_buffer_from_handle(data)": {"an empty tuple"},
    "Device.create_buffer_from_handle(owner)": set(NONSENSE),
    "nexus.create_buffer(data)": {"bytes", "an array of a fraction", "an empty tuple"},
    "Buffer.__getitem__(key)": {"None", "...", "an empty tuple", "-1"},
    "Buffer.__setitem__(key)": {"None", "...", "an empty tuple", "-1"},
    "Buffer.__setitem__(value)": {
        *(*FLOATS, "None", "True", "an array of a fraction", "a list of None"),
    },
    **{f"nexus.{name}({each})": MADE[each] for each in MADE for name in MAKERS},
    "nexus.full_like(value)": FLOATS,
    "nexus.arange(start)": NUMBERS,
    "nexus.arange(stop)": {"None", *NUMBERS},
    "nexus.arange(step)": NUMBERS,
    "algorithms.matmul(blas)": {"None"},  # the devices here have none
    "Schedule.create_buffer(shape)": {"an empty tuple"},
    "Schedule.create_command(grid_size)": {"None"},
    "Command.finalize(grid_size)": set(),
    "Command.finalize(group_count)": set(),
    "cooperative_launch": set(),  # the backends here have none
    "programmatic_launch": set(),
    "Device.create_event(shareable)": set(),
    "Kernel.get_occupancy(group_size)": set(),
    "Kernel.get_occupancy(cluster_size)": set(),
    "nexus.get_device(selector)": {"None", "no text"},
    "nexus.from_dlpack(x)": {"an array of a fraction"},
    "nexus.from_dlpack(device)": {"None", "no text"},
    "nexus.run(device)": {"None", "no text"},
    "Device.load_library(name)": set(),  # with a catalog, as here
    "Device.compile(name)": {"None", "text"},
    "Device.compile(defines)": {"None", "an empty dict"},
    "Device.compile(extra)": {"None", "an empty dict"},
    "Device.compile(include_paths)": {"None", "an empty list", "an empty tuple"},
    "Device.compile(name_expressions)": {"None", "an empty list", "an empty tuple"},
    "Device.compile(relocatable)": {"None"},
    "ObjectCode.save(path)": {"text"},
    "Command.set_buffer(index)": {"text"},  # the name of the argument
    "Command.get_buffer(index)": {"text"},
    "nexus.set_config(key)": {"text"},
    "Properties.get(key)": {"text", "no text", "a zero byte", "-1"},
    "Properties.get(default)": set(NONSENSE),
    "nexus.set_config(value)": {"text", "no text", "-1", "2**63", "2**70", "-2**70"},
    "trace.read(path)": set(),
    **{f"trace.{name}(name)": TEXTS for name in ("mark", "range")},
    "function": {"a function"},
    "args": EMPTY,
    "priority": {"-1"},
    "Number": FLOATS,
    "Number | None": {*FLOATS, "None", "True"},
    "algorithms.reduce(map)": {"None", "text"},
    "algorithms.random(shape)": {"an empty list", "an empty tuple"},
    "algorithms.random(seed)": {"2**63", "2**70"},
    "algorithms.random(counter)": {"2**63", "2**70"},
    "Buffer | Number": FLOATS,
    "Iterable[Command] | None": {"None", *EMPTY},
    "Iterable[Schedule]": EMPTY,
    "bool": {"True"},
    "bool | None": {"True", "None"},
    "float | None": {"None", "1.5", "2**63", "2**70"},
}

# The word for a parameter in errors, where it is not its name.
ALIASES = {
    "args": "argument", "inputs": "argument", "value": "argument 1", "key": "Property",
    "source": "library", "device": "selector", "src": "source", "dst": "destination",
    "sizes": "grid",
}  # fmt: skip

# Arguments that have no default, or no default that would work; by function.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "copy": {"host": lambda b: np.empty(COUNT, np.float32)},
    "copy_from": {"array": lambda b: b.numbers},
    "fill": {"value": lambda b: 1.0},
    "set_buffer": {"index": lambda b: 0, "buffer": lambda b: b.data},
    "get_buffer": {"index": lambda b: 0},
    "set_arg": {"index": lambda b: 1, "value": lambda b: 2.0},
    "set_local_memory": {"index": lambda b: 1, "size": lambda b: 64},
    "set_value": {"value": lambda b: 1000},
    "finalize": {"group_size": lambda b: GROUP, "grid_size": lambda b: COUNT},
    "create_command": {"kernel": lambda b: b.kernel},
    "__call__": {"grid": lambda b: COUNT},
    "create_copy_command": {"dst": lambda b: b.out, "src": lambda b: b.data},
    "create_fill_command": {"buffer": lambda b: b.out, "value": lambda b: 1.0},
    "create_signal_command": {"event": lambda b: b.event, "value": lambda b: REACHED},
    "create_wait_command": {"event": lambda b: b.event, "value": lambda b: REACHED},
    "create_schedule_command": {"nested": lambda b: b.device.create_schedule()},
    "create_if_command": {
        "condition": lambda b: b.device.create_buffer(np.ones(4, np.int32)),
        "then": lambda b: b.device.create_schedule(),
        "otherwise": lambda b: b.device.create_schedule(),
    },
    "create_while_command": {
        "condition": lambda b: b.device.create_buffer(np.ones(4, np.int32)),
        "body": lambda b: b.device.create_schedule(),
        "max_count": lambda b: 1,
    },
    "create_switch_command": {
        "selector": lambda b: b.device.create_buffer(np.ones(4, np.int32)),
        "cases": lambda b: [b.device.create_schedule()],
    },
    "create_host_command": {"function": lambda b: abs, "args": lambda b: 1},
    "from_description": {
        "device": lambda b: b.device, "description": lambda b: b.schedule.describe(),
    },
    "signal": {"event": lambda b: b.event, "value": lambda b: REACHED},
    "wait": {
        "event": lambda b: b.event, "event_or_stream": lambda b: b.event,
        "value": lambda b: REACHED,
    },
    "elapsed_ms": {"start": lambda b: b.event},
    "add_callback": {"function": lambda b: lambda error: None},
    "copy_buffer": {"buffer": lambda b: b.data},
    "load_library": {"source": catalog, "name": lambda b: "vector"},
    "create_buffer": {"data": lambda b: b.numbers, "shape": lambda b: COUNT},
    "create_buffer_from_handle": {
        "handle": lambda b: b.data.native_handle, "data": lambda b: COUNT,
    },
    "allocate": {"size": lambda b: 64},
    "deallocate": {"address": lambda b: 4096, "size": lambda b: 64},
    "__setitem__": {"key": lambda b: ..., "value": lambda b: 1.0},
    "astype": {"dtype": lambda b: "int32"},
    "get_global": {"name": lambda b: "table"},
    "view": {"dtype": lambda b: "int32"},
    **{name: {"shape": lambda b: COUNT} for name in ("empty", "zeros", "ones")},
    "full": {"shape": lambda b: COUNT, "value": lambda b: 1.0},
    "arange": {"start": lambda b: COUNT},
    **{name: {"x": lambda b: b.data} for name in ("empty_like", "zeros_like", "ones_like")},
    "full_like": {"x": lambda b: b.data, "value": lambda b: 1.0},
    "from_dlpack": {"x": lambda b: np.zeros(COUNT, np.float32)},
    "compile": {"source": lambda b: FILL},
    "run": {
        "source": lambda b: FILL, "inputs": lambda b: {"value": 1}, "outputs": lambda b: {"out": 4},
        "grid_size": lambda b: 4, "device": lambda b: "cpu",
    },
    "get": {"key": lambda b: "Colour"},
    "set_config": {"key": lambda b: "test.unused", "value": lambda b: "x"},
}  # fmt: skip


def vector(bench: Workbench) -> nexus.Buffer:
    """A buffer of the CPU, since the reference backend compiles no algorithms."""
    return nexus.get_device("cpu").create_buffer(bench.numbers)


def matrix(bench: Workbench) -> nexus.Buffer:
    return vector(bench).reshape(4, 4)


ARGUMENTS |= {
    **{name: {"x": vector} for name in ("argmax", "argmin", "max", "min", "scan", "sort", "sum")},
    "compact": {"x": vector, "mask": vector},
    "elementwise": {"expression": lambda b: "z = x"},
    "histogram": {"x": vector, "bins": lambda b: 4, "range": lambda b: (0, 1)},
    "matmul": {"a": matrix, "b": matrix},
    "random": {
        "device": lambda b: nexus.get_device("cpu"),
        "shape": lambda b: 4,
        "seed": lambda b: 1,
    },
    "reduce": {"expression": lambda b: "a + b"},
    "sort_by_key": {"keys": vector, "values": vector},
    "transpose": {"x": matrix},
}

FILL = """
NEXUS_KERNEL(fill, (NEXUS_GLOBAL int *, out), (int, value)) { out[nexus_global_id(0)] = value; }
"""

TABLE = "NEXUS_SETTABLE_DATA int table[4] = {1, 2, 3, 4};"

OBJECTS: dict[str, Make] = {
    "Library.get_global": lambda b: nexus.get_device("cpu").compile(TABLE + FILL),
    "Runtime": lambda b: b.device.runtime,
    "Device": lambda b: b.device,
    "Properties": lambda b: b.device.get_info(),
    "Buffer": lambda b: b.floats(),
    "Device.compile": lambda b: nexus.get_device("cpu"),
    "ObjectCode": lambda b: nexus.Program(FILL).compile("cpu"),
    "Library": lambda b: b.library,
    "Kernel": lambda b: b.kernel,
    "Stream": lambda b: b.device.create_stream(),
    "Event": lambda b: b.event,
    "Schedule": lambda b: b.device.create_schedule(),
    "Command": lambda b: b.unfinalized(),
    "Command.finalize": lambda b: b.bound(),
    "Command.get_buffer": lambda b: b.bound(),
    "Command.set_value": lambda b: b.device.create_schedule().create_signal_command(b.event, 9),
    "DeviceMemoryResource": lambda b: b.device.memory_resource,
    "MemoryPool": lambda b: b.device.create_memory_pool(),
    "nexus": lambda b: nexus,
    "algorithms": lambda b: nexus.algorithms,
    "trace": lambda b: nexus.trace,
}

MODULES: dict[str, Any] = {
    "nexus": nexus, "algorithms": nexus.algorithms, "trace": nexus.trace,
}  # fmt: skip

# Functions whose parameters are Python's or numpy's own, where anything goes.
OPEN = {"__eq__", "__exit__", "__array__", "__reduce_ex__", "__deepcopy__"}


def parameters() -> Iterator[Parameter]:
    """Every parameter of every public function, by the typed signatures of the docstrings."""
    for owner in OBJECTS:
        if owner in MODULES:
            module = MODULES[owner]
            for name in module.__all__:
                if inspect.isfunction(function := getattr(module, name)):
                    for each in inspect.signature(function).parameters.values():
                        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                            yield Parameter(owner, name, each.name, str(each.annotation))
        elif "." not in owner:
            for name, method in vars(getattr(nexus, owner)).items():
                if inspect.ismethoddescriptor(method) and name not in OPEN:
                    yield from parameters_of(owner, name, method.__doc__ or "")


def parameters_of(owner: str, name: str, doc: str) -> Iterator[Parameter]:
    """Those of a method, whose docstring begins with its signature."""
    signature = doc.partition("\n")[0]
    if not signature.startswith(f"{name}("):
        return  # Python's own
    (defined,) = ast.parse(f"def {signature}: ...").body
    assert isinstance(defined, ast.FunctionDef)
    arguments = defined.args
    for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        if each.annotation is not None:
            yield Parameter(owner, name, each.arg, ast.unparse(each.annotation))


PARAMETERS = list(parameters())


def test_every_class_has_parameters_that_are_tested() -> None:
    assert {each.owner for each in PARAMETERS} == {each for each in OBJECTS if "." not in each}
    assert len(PARAMETERS) > 100


def legal(parameter: Parameter) -> set[str]:
    """The nonsense that is none for this parameter."""
    for key in (str(parameter), parameter.name, parameter.kind):
        if key in LEGAL:
            return LEGAL[key]
    return {"None"} if parameter.kind.endswith("None") else set()


def call(bench: Workbench, parameter: Parameter, value: Any) -> object:
    """Calls the function with the value for the parameter, and all else sound."""
    owner = OBJECTS.get(f"{parameter.owner}.{parameter.function}", OBJECTS[parameter.owner])
    known = [each.name for each in PARAMETERS if each[:2] == parameter[:2]]
    given = {
        name: make(bench)
        for name, make in ARGUMENTS.get(parameter.function, {}).items()
        if name in known
    }
    given[parameter.name] = value
    items = ("key", "sizes", "value")
    by_place = items if parameter.function in ("__getitem__", "__setitem__") else ()
    positional = [given.pop(name) for name in by_place if name in given]
    if parameter.function == "__call__":
        positional = [bench.data, 2.0, bench.out]
    if parameter.function == "reduce":
        given["x"] = vector(bench)
    if parameter.function == "load_library" and parameter.name == "source":
        given.pop("name")
    if parameter.name == "group_count":
        given.pop("grid_size", None)
    if f"{parameter.owner}.{parameter}".endswith("create_command(group_size)"):
        given |= {"args": (bench.data, 2.0, bench.out), "grid_size": COUNT}
    result: object = getattr(owner(bench), parameter.function)(*positional, **given)
    return result


def refusal_of(bench: Workbench, parameter: Parameter, value: Any) -> Exception | None:
    """Returns the error that the call raises, without its traceback and context."""
    try:
        call(bench, parameter, value)
    except Exception as error:
        return error.with_traceback(None)
    return None


def check_named(error: Exception, parameter: Parameter, what: str, value: Any) -> None:
    """The error is of a documented kind, and names the parameter."""
    told = f"{parameter} given {what}: {type(error).__name__}: {error}"
    if isinstance(error, BufferError) and parameter.function == "from_dlpack":
        return  # the array's library refuses
    kinds: tuple[type[Exception], ...] = (TypeError, ValueError, nexus.NexusError)
    if parameter.name == "key":
        kinds = (*kinds, IndexError)
    assert isinstance(error, kinds), told
    names = {parameter.name, ALIASES.get(parameter.name, parameter.name), f"'{value}'"}
    if parameter.owner == "Buffer" and parameter.function in ("__getitem__", "__setitem__"):
        names = {"index", "buffer[", "slice"}
    if (parameter.function, parameter.name) == ("__setitem__", "value"):
        return  # numpy converts it
    if parameter.function == "elapsed_ms" or isinstance(error, nexus.PropertyNotFoundError):
        names |= {"event", "Property"}
    if isinstance(error, nexus.CompileError):
        names.add("The program 'program'")
    if parameter.function == "get_occupancy":
        names.add("NXS_Capability_Occupancy")
    if what == "a zero byte":
        names.add("'\\0'")
    if what == "a closed buffer":
        names.add("is closed; create a new buffer.")
    assert any(name in str(error) for name in names), told
    assert "C++" not in told
    assert "incompatible function arguments" not in told


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the calls write files, if they do."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=str)
def test_nonsense_is_refused(bench: Workbench, parameter: Parameter) -> None:
    before = bench.live()
    for what, make in NONSENSE.items():
        if what == "a class" and parameter.name == "function":
            continue  # one may call it
        value = make(bench)
        allowed = what in legal(parameter)
        refusal = refusal_of(bench, parameter, value)
        if refusal is not None:
            check_named(refusal, parameter, what, value)
            assert not allowed or what == "-1", f"{parameter} given {what}: {refusal}"
        else:
            assert allowed, f"{parameter} took {what}"
        del value, refusal
    if parameter.owner != "algorithms":  # which keep their kernels
        check_unharmed(bench, before)
