# SPDX-License-Identifier: Apache-2.0
"""One API for running kernels on CPUs and GPUs.

    import nexus

    device = nexus.get_device()
    buffer = device.create_buffer((1024,), dtype="float32")
    kernel = device.load_library("kernel.so").get_kernel("add_vectors")
    schedule = device.create_schedule()
    command = schedule.create_command(kernel)
    command.set_buffer(0, buffer)
    command.finalize(32, 1024)
    schedule.run()

Importing nexus loads no backend, touches no driver and does not import numpy.
"""

from __future__ import annotations

from nexus import _core
from nexus._core import (
    Buffer,
    Command,
    Device,
    Event,
    Kernel,
    Library,
    Properties,
    Runtime,
    Schedule,
    Stream,
)
from nexus._errors import (
    CompileError,
    NexusError,
    NexusFileNotFoundError,
    NexusTimeoutError,
    NexusValueError,
    PropertyNotFoundError,
)

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the time
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any, TypeVar

    from nexus import (
        buffer_settings,
        capability,
        command_type,
        data_type,
        event_status,
        event_type,
        execution_settings,
        hookspecs,
        property,  # noqa: A004
        status,
        trace,
    )
    from nexus._collections import (
        Argument,
        Backend,
        CacheInfo,
        Citation,
        DeviceFileProblem,
        KernelAttributes,
        KernelDescription,
        ObjectList,
        Occupancy,
        PropertySource,
    )
    from nexus._core import ObjectCode
    from nexus._linker import Linker
    from nexus._options import ProgramOptions
    from nexus._program import Program
    from nexus._property_view import PropertyView
    from nexus._types import BufferSource, DTypeLike, Inputs, Outputs, Size

    _Found = TypeVar("_Found")

__version__: str = _core.version()

# Loaded when first used, which keeps `import nexus` quick.
_MODULES = frozenset(
    {
        "buffer_settings",
        "capability",
        "command_type",
        "data_type",
        "event_status",
        "event_type",
        "execution_settings",
        "hookspecs",
        "property",
        "status",
        "trace",
    }
)
_CLASSES = {
    "Argument": "_collections",
    "Backend": "_collections",
    "CacheInfo": "_collections",
    "Citation": "_collections",
    "DeviceFileProblem": "_collections",
    "KernelAttributes": "_collections",
    "KernelDescription": "_collections",
    "Linker": "_linker",
    "ObjectCode": "_core",
    "ObjectList": "_collections",
    "Occupancy": "_collections",
    "Program": "_program",
    "ProgramOptions": "_options",
    "PropertySource": "_collections",
    "PropertyView": "_property_view",
}


def get_runtimes() -> ObjectList[Runtime]:
    """The runtimes of the backends that work.

    Their order is that of NEXUS_BACKENDS, else cpu, cuda, hip, metal, then third parties' by name.

    Returns:
        A tuple with the methods `get(i)` and `size()` besides. Backends that could not be used
        are not in it; `get_backends()` says why.

    Example:
        >>> runtimes = nexus.get_runtimes()
        >>> runtimes.get(0).get_property_str("Name")
        'cpu'
    """
    _discover()
    return _core.runtimes()


def get_runtime(name: str) -> Runtime:
    """The runtime of a backend's name, such as 'cpu'.

    Raises:
        NexusError: there is none of that name, or it could not be used; the text says why.
    """
    _check_text("name", name)
    return _of_backend(name, lambda: _core.runtime(name))


def get_devices() -> ObjectList[Device]:
    """The devices of all runtimes."""
    from nexus._collections import ObjectList

    return ObjectList(device for runtime in get_runtimes() for device in runtime.get_devices())


def get_device(selector: str | None = None) -> Device:
    """The device of a selector such as 'cuda:1' or 'cpu'.

    Args:
        selector: None takes what the environment variable NEXUS_DEVICE says, else the first GPU
            that can run kernels: it compiles the portable language, or its package carries
            compiled ones; else 'cpu:0', and without the CPU's backend the first device.

    Raises:
        NexusError: there is no such device; the text says which there are.
        ValueError: the text is no selector.
    """
    if selector is not None:
        _check_text("selector", selector)
    return _of_backend((selector or "").partition(":")[0], lambda: _core.device(selector or ""))


def get_backends() -> ObjectList[Backend]:
    """What became of each backend that was found: it works, or one sentence says why not."""
    from nexus._collections import ObjectList

    _discover()
    return ObjectList(_core.backends())


def create_buffer(data: BufferSource, dtype: DTypeLike | None = None) -> Buffer:
    """Makes a system buffer: host memory that is an argument on every device.

    Its memory begins at a page, and each device uses it in place. Its `device` is None; otherwise
    it is as the buffers of `Device.create_buffer`.

    Args:
        data: a number of bytes (with a dtype, of elements), a shape (a tuple; float32 unless
            dtype says otherwise), or an array whose elements are copied with their shape and dtype.
        dtype: the type of the elements; None for plain bytes, or for what data has.

    Raises:
        TypeError: data is a list, a bool or no array.
        ValueError: a size is below 1.
        NexusError: there is no such memory.

    Example:
        >>> buffer = nexus.create_buffer((16,))
        >>> buffer.shape, buffer.dtype, buffer.device
        ((16,), 'float32', None)
    """
    return _core.create_system_buffer(data, dtype)


def from_dlpack(
    x: Any,
    device: Device | str | None = None,
    *,
    stream: Stream | None = None,
    writable: bool = False,
) -> Buffer:
    """A buffer that uses the memory of another library's array in place.

    The array lives until the work that uses the buffer is done. What its library does with an
    array on a GPU before the call comes first; what it does later is yours to order.

    Args:
        x: an array with `__dlpack__` (numpy, cupy, torch, jax ...) or `__cuda_array_interface__`
            (numba): C-contiguous. The buffer of a read-only array is read-only.
        device: the buffer's device or its selector; None is the one that x lies on, and for host
            memory the CPU, or `get_device()` where there is none.
        stream: for an array on a GPU, what is to come after its library's work; that returns at
            once. None is everything: the call waits.
        writable: x may be written, though its library can't say so: its DLPack is older than 1.0.

    Raises:
        TypeError: x has no DLPack, or elements of a type that Nexus has none for.
        ValueError: x is strided or not aligned to its dtype, or comes by a DLPack before 1.0
            without writable=True.
        BufferError: x lies in another device's memory, or its library refuses.
        NexusError: the device can't use the memory in place.

    Example:
        >>> import numpy
        >>> array = numpy.zeros(4, numpy.float32)
        >>> nexus.from_dlpack(array).fill(1.5)
        >>> array.tolist()
        [1.5, 1.5, 1.5, 1.5]
    """
    if isinstance(device, str):
        device = get_device(device)
    return _core.from_dlpack(x, device, stream, writable)


def get_device_info() -> Properties:
    """What is known of devices, present or not: the database of device files.

    A mapping of each file's stem, such as 'nvidia-gpu-sm_90', to its tree; a file is read when its
    entry is asked for. Devices of this machine that no file describes are entries too.

    The files are those of the folders in the environment variable NEXUS_DEVICE_PATH, of the
    backends, and of Nexus itself; the first of a stem counts. One that can't be read is left out,
    with a warning in the log; `get_device_info_problems()` tells which.

    Example:
        >>> database = nexus.get_device_info()
        >>> "amd-cpu-znver4" in database
        True
        >>> database["amd-cpu-znver4"]["Vendor"]
        'AMD'
    """
    _discover()
    return _core.device_info()


def get_device_info_problems() -> list[DeviceFileProblem]:
    """The device files that can't be used, each with the place and the reason.

    Example:
        >>> nexus.get_device_info_problems()
        []
    """
    from nexus import _device_info

    _discover()
    return _device_info.problems()


def lookup_device_info(name: str | Device) -> Properties:
    """What is known of a kind of device: its device file.

    Args:
        name: the file's stem ('nvidia-gpu-sm_90'), the architecture ('sm_90', 'znver4'), or the
            name or an alias of an architecture or a product ('Hopper', 'H200', 'NVIDIA H200'); case
            does not matter. 'nvidia-gpu-sm_90/H200' names a product of a file where its name alone
            is that of several. A product's values are laid over those of its architecture. A
            Device stands for its own file, without what the device itself says.

    Raises:
        ValueError: there is none, or more than one; the text names candidates.
        TypeError: name is neither a str nor a Device.

    Example:
        >>> info = nexus.lookup_device_info("H200")
        >>> info.get_str("Architecture")
        'sm_90'
        >>> info.source("Architecture").kind
        'device file'
    """
    _discover()
    return _core.lookup_device_info(name)


def set_config(key: str, value: str | int) -> None:
    """Sets what a backend reads as its configuration, for this process.

    The environment goes before it: NEXUS_CPU_THREADS before 'cpu.threads'. A backend reads a key
    when it first needs it, so set it before the backend is used.

    Args:
        key: the backend's name, a dot and the setting, such as 'cpu.threads' or 'cpu.pin'. What
            settings a backend has stands in its package's README.
        value: text or a number; an empty text removes the key.

    Raises:
        TypeError: key is no str, or value neither a str nor an int.
        ValueError: key is empty.

    Example:
        >>> nexus.set_config("cpu.threads", 4)
    """
    _check_text("key", key)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError(f"value has to be a str or an int, not {type(value).__name__} ({value!r}).")
    _core.set_config(key, str(value))


def run(
    source: str | os.PathLike[str] | Program,
    inputs: Inputs,
    outputs: Outputs,
    grid_size: Size,
    device: Device | str | None = None,
    *,
    kernel: str | None = None,
    group_size: Size | None = None,
    language: str | None = None,
    options: ProgramOptions | None = None,
) -> Any:
    """Compiles a kernel, runs it once on arrays, and returns arrays.

    Args:
        source: the text of a program, a path object (pathlib.Path) of its file, or a Program.
        inputs: arrays and numbers: a mapping by the names of the kernel's arguments, or a list or
            tuple in their order without those that outputs makes. For local memory, the bytes of
            a group. The arrays are copied and stay as they are; a nexus.Buffer is used in place.
        outputs: which arguments come back. A name is that of an array in inputs, which the kernel
            changes; for a new array, of zeros at first, a mapping of the name to a shape
            (`{"c": 1000}`, in the kernel's dtype), to a shape and a dtype
            (`{"c": ((10, 10), "float32")}`), or to an array that it is to be like.
        grid_size: the work items: an int or up to three, x first.
        device: a device, its selector, or None for `get_device()`.
        kernel: the kernel's name; None where the program has one.
        group_size: the work items of a group; None leaves it to the backend.
        language: the program's; None is 'nexus', the portable one.
        options: how it is compiled.

    Returns:
        The array where outputs has one, else a tuple of them in the order of outputs.

    Raises:
        CompileError: the program is refused.
        TypeError: an argument is missing, surplus, or of the wrong kind or dtype.
        ValueError: a name or a size that is none.
        NexusError: the device can't compile, or the kernel fails.

    Example:
        >>> import numpy
        >>> source = '''
        ... NEXUS_KERNEL_BOUNDED(square, (n), (NEXUS_GLOBAL const float *, x),
        ...                      (NEXUS_GLOBAL float *, y), (int, n)) {
        ...   int i = nexus_global_id(0);
        ...   y[i] = x[i] * x[i];
        ... }
        ... '''
        >>> x = numpy.arange(5, dtype=numpy.float32)
        >>> nexus.run(source, {"x": x, "n": 5}, {"y": 5}, grid_size=5, device="cpu").tolist()
        [0.0, 1.0, 4.0, 9.0, 16.0]
    """
    from nexus import _run

    if device is None or isinstance(device, str):
        device = get_device(device)
    return _run.run(
        source, inputs, outputs, grid_size, device, kernel, group_size, language, options
    )


def get_cache_info() -> CacheInfo:
    """The caches of compiled programs: where they are, what they hold, what they saved.

    Example:
        >>> nexus.get_cache_info().compiled >= 0
        True
    """
    from nexus._collections import CacheInfo

    return CacheInfo(*_core.cache_info())


def clear_cache() -> int:
    """Empties the caches of compiled programs, on disk and in this process.

    What is in use stays usable.

    Returns:
        How many entries were removed from disk.
    """
    return _core.cache_clear()


def get_include() -> str:
    """The folder of the headers, for a compiler's -I.

    <nexus.h> is the C++ API, <nexus_kernel.h> the language of kernels, <nexus-api/nxs.h> the
    C-API of plug-ins.
    """
    return _resource("include")


def get_cmake_dir() -> str:
    """The folder of nexus-config.cmake, for CMake's nexus_DIR."""
    return _resource("cmake")


def _check_text(parameter: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{parameter} has to be a str, not {type(value).__name__} ({value!r}).")


def _host_device() -> Device:
    try:
        return get_device("cpu")
    except NexusError:
        return get_device()


def _discover() -> None:
    from nexus import _discovery

    _discovery.discover()


def _of_backend(name: str, find: Callable[[], _Found]) -> _Found:
    from nexus import _discovery

    return _discovery.of_backend(name, find)


def _resource(name: str) -> str:
    import importlib.resources
    import pathlib

    # In an editable install what was built is not beside this file; in a build tree, the headers
    # are beside the sources that the package's files link to.
    installed = pathlib.Path(str(importlib.resources.files(__name__).joinpath(name)))
    if installed.is_dir():
        return str(installed)
    return str(pathlib.Path(__file__).resolve().parent.parent / name)


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"nexus.{name}")
    if name in _CLASSES:
        return getattr(importlib.import_module(f"nexus.{_CLASSES[name]}"), name)
    raise AttributeError(f"module 'nexus' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("_"))})


__all__ = [
    "get_runtimes",
    "get_runtime",
    "get_devices",
    "get_device",
    "get_backends",
    "create_buffer",
    "from_dlpack",
    "get_device_info",
    "get_device_info_problems",
    "lookup_device_info",
    "set_config",
    "run",
    "get_cache_info",
    "clear_cache",
    "get_include",
    "get_cmake_dir",
    "Runtime",
    "Device",
    "Buffer",
    "Program",
    "ProgramOptions",
    "ObjectCode",
    "Linker",
    "Library",
    "Kernel",
    "Stream",
    "Event",
    "Schedule",
    "Command",
    "Properties",
    "PropertyView",
    "Argument",
    "Backend",
    "CacheInfo",
    "Citation",
    "DeviceFileProblem",
    "KernelAttributes",
    "KernelDescription",
    "ObjectList",
    "Occupancy",
    "PropertySource",
    "CompileError",
    "NexusError",
    "NexusFileNotFoundError",
    "NexusTimeoutError",
    "NexusValueError",
    "PropertyNotFoundError",
    "buffer_settings",
    "capability",
    "command_type",
    "data_type",
    "event_status",
    "event_type",
    "execution_settings",
    "hookspecs",
    "property",
    "status",
    "trace",
]
