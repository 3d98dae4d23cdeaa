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

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the import time
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any, TypeVar

    from nexus import (
        algorithms,
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
    from nexus._arrays._create import (
        arange,
        empty,
        empty_like,
        full,
        full_like,
        ones,
        ones_like,
        zeros,
        zeros_like,
    )
    from nexus._arrays._dtype import DType
    from nexus._arrays._memory import MemoryResource
    from nexus._catalog._catalog import Catalog
    from nexus._collections import (
        Argument,
        Backend,
        CacheInfo,
        CatalogLibrary,
        Citation,
        DeviceFileProblem,
        KernelAttributes,
        KernelDescription,
        ObjectList,
        Occupancy,
        PropertySource,
    )
    from nexus._compile._linker import Linker
    from nexus._compile._options import ProgramOptions
    from nexus._compile._program import Program
    from nexus._core import DeviceMemoryResource, MemoryPool, ObjectCode
    from nexus._property_view import PropertyView
    from nexus._schedule._call import In, InOut, Out
    from nexus._types import BufferSource, DTypeLike, Inputs, Outputs, Size

    _Found = TypeVar("_Found")

__version__: str = _core.version()

# Loaded when first used, to keep `import nexus` quick.
_MODULES = frozenset(
    {
        "algorithms",
        "buffer_settings",
        "capability",
        "command_type",
        "data_type",
        "distributed",
        "event_status",
        "event_type",
        "execution_settings",
        "hookspecs",
        "property",
        "status",
        "trace",
    }
)
_LAZY = {
    "DType": "_arrays._dtype",
    "arange": "_arrays._create",
    "empty": "_arrays._create",
    "empty_like": "_arrays._create",
    "full": "_arrays._create",
    "full_like": "_arrays._create",
    "ones": "_arrays._create",
    "ones_like": "_arrays._create",
    "zeros": "_arrays._create",
    "zeros_like": "_arrays._create",
    "Argument": "_collections",
    "Backend": "_collections",
    "CacheInfo": "_collections",
    "Catalog": "_catalog._catalog",
    "CatalogLibrary": "_collections",
    "Citation": "_collections",
    "DeviceFileProblem": "_collections",
    "DeviceMemoryResource": "_core",
    "In": "_schedule._call",
    "InOut": "_schedule._call",
    "KernelAttributes": "_collections",
    "KernelDescription": "_collections",
    "Linker": "_compile._linker",
    "MemoryPool": "_core",
    "MemoryResource": "_arrays._memory",
    "ObjectCode": "_core",
    "ObjectList": "_collections",
    "Occupancy": "_collections",
    "Out": "_schedule._call",
    "Program": "_compile._program",
    "ProgramOptions": "_compile._options",
    "PropertySource": "_collections",
    "PropertyView": "_property_view",
}


def get_runtimes() -> ObjectList[Runtime]:
    """Returns the runtimes of all working backends.

    Their order is as in NEXUS_BACKENDS; without it cpu, cuda, hip, metal, then others by name.

    Returns:
        A tuple that also has the methods `get(i)` and `size()`. Backends that can't be used are
        missing; `get_backends()` gives the reason.

    Example:
        >>> runtimes = nexus.get_runtimes()
        >>> runtimes.get(0).get_property_str("Name")
        'cpu'
    """
    _discover()
    return _core.runtimes()


def get_runtime(name: str) -> Runtime:
    """Returns the runtime of the backend of that name, such as 'cpu'.

    Raises:
        NexusError: no backend has that name, or it can't be used; the text gives the reason.
    """
    _check_text("name", name)
    return _of_backend(name, lambda: _core.runtime(name))


def get_devices() -> ObjectList[Device]:
    """Returns the devices of all runtimes."""
    from nexus._collections import ObjectList

    return ObjectList(device for runtime in get_runtimes() for device in runtime.get_devices())


def get_device(selector: str | None = None) -> Device:
    """Returns the device that a selector such as 'cuda:1' or 'cpu' names.

    Args:
        selector: None reads the environment variable NEXUS_DEVICE. If that is not set, the result
            is the first GPU that can run kernels (its backend compiles the portable language, or
            its package has compiled kernels), else 'cpu:0', else the first device.

    Raises:
        NexusError: there is no such device; the text lists the existing ones.
        ValueError: selector is not a valid selector.
    """
    if selector is not None:
        _check_text("selector", selector)
    return _of_backend((selector or "").partition(":")[0], lambda: _core.device(selector or ""))


def get_backends() -> ObjectList[Backend]:
    """Returns each backend that was found, with its state and, if it does not work, the reason."""
    from nexus._collections import ObjectList

    _discover()
    return ObjectList(_core.backends())


def create_buffer(data: BufferSource, dtype: DTypeLike | None = None) -> Buffer:
    """Creates a system buffer: host memory that can be an argument on every device.

    The memory is aligned to pages, and a device uses it in place or refuses it. The buffer's
    `device` is None; otherwise it works like a buffer of `Device.create_buffer`.

    Args:
        data: a number of bytes (of elements if dtype is given), a shape (a tuple; float32 if
            dtype is None), or an array, whose elements are copied with their shape and dtype.
        dtype: the type of the elements; None keeps the type of data, or means plain bytes.

    Raises:
        TypeError: data is a list, a bool, or something else that is not an array.
        ValueError: a size is below 0.
        NexusError: there is not enough memory.

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
    """Returns a buffer that uses the memory of another library's array in place.

    The array stays alive until all work that uses the buffer is done. If it is on a GPU, work
    that its library submitted before this call runs first. The caller must order later work of
    that library.

    Args:
        x: an array with `__dlpack__` (numpy, cupy, torch, jax ...) or
            `__cuda_array_interface__` (numba). The buffer of a read-only array is read-only.
        device: the buffer's device or its selector. None takes the device that holds x; for
            host memory, the CPU, or `get_device()` if there is no CPU backend.
        stream: for an array on a GPU: the stream whose later work waits for the library's
            earlier work, so that the call returns at once. With None the call itself waits.
        writable: whether x may be written, if its DLPack is older than 1.0 and can't say so.

    Raises:
        TypeError: x has no DLPack, or Nexus does not support the type of its elements.
        ValueError: x is not aligned to its dtype, or has a DLPack before 1.0 and writable is
            False.
        BufferError: x is in another device's memory, or its library refuses to export it.
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
    """Returns the database of devices, including devices that this machine does not have.

    It maps the stem of each device file, such as 'nvidia-gpu-sm_90', to the file's tree. A file is
    read when its entry is first read. Devices of this machine without a file have entries too.

    Files come from the folders in the environment variable NEXUS_DEVICE_PATH, from the backends,
    and from Nexus itself; the first file with a stem is used. A file that can't be read is
    skipped, with a warning in the log; `get_device_info_problems()` lists those.

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
    """Returns the device files that can't be used, each with the place of the error and the reason.

    Example:
        >>> nexus.get_device_info_problems()
        []
    """
    from nexus import _device_info

    _discover()
    return _device_info.problems()


def lookup_device_info(name: str | Device) -> Properties:
    """Returns the device file of a kind of device.

    Args:
        name: the file's stem ('nvidia-gpu-sm_90'), the architecture ('sm_90', 'znver4'), or the
            name or an alias of an architecture or a product ('Hopper', 'H200', 'NVIDIA H200'),
            in any case. If several files have a product of that name, 'nvidia-gpu-sm_90/H200' names
            the product of one file. A product's values override those of its architecture. A
            Device stands for its device file, without the values of the driver.

    Raises:
        ValueError: no file matches, or several do; the text names candidates.
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


def load_catalog(path: str | os.PathLike[str]) -> Catalog:
    """Reads a kernel catalog: libraries of kernels, compiled for several architectures.

    `Device.load_library(catalog, name)` loads a library of it. The catalog's other files are read
    then, and compared with their checksums.

    Args:
        path: the catalog's JSON file, such as 'kernels/kernel_catalog.json'. It must belong to this
            user, to root or to the owner of the package nexus, and not be writable by everyone.

    Raises:
        FileNotFoundError: there is no such file (also a NexusError).
        NexusError: the file is not a kernel catalog; the text has the place and the value.
        ValueError: the path is empty, or leads to a folder or to a file of another user.
        TypeError: the path is neither a str nor a path object.

    Example:
        catalog = nexus.load_catalog("kernels/kernel_catalog.json")
        library = nexus.get_device().load_library(catalog, "vector")
    """
    from nexus._catalog import _catalog

    return _catalog.load(path)


def get_catalogs() -> ObjectList[Catalog]:
    """Returns the kernel catalogs that this process has loaded, and those of installed packages.

    A package offers its catalog by an entry point in the group 'nexus.catalogs'. A catalog that
    can't be read is left out, with a warning in the log.

    Example:
        for catalog in nexus.get_catalogs():
            print(catalog.name, catalog.version)
    """
    from nexus._catalog import _catalog

    return _catalog.find()


def set_config(key: str, value: str | int) -> None:
    """Sets a setting of a backend for this process.

    Environment variables take precedence: NEXUS_CPU_THREADS over 'cpu.threads'. A backend reads a
    setting when it first needs it, so call this before the backend is used.

    Args:
        key: the backend's name, a dot and the setting, such as 'cpu.threads' or 'cpu.pin'. The
            README of a backend's package lists its settings.
        value: a text or a number; an empty text removes the setting.

    Raises:
        TypeError: key is not a str, or value is neither a str nor an int.
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
        inputs: arrays and numbers for the kernel's arguments, except those that outputs creates: a
            mapping from argument names, or a list or tuple in the arguments' order. For a local
            memory argument, give the number of bytes for each group. Arrays are copied, so the
            caller's arrays do not change; a nexus.Buffer is used in place.
        outputs: the arguments to return. A name, or a list of names, returns arguments from inputs,
            with the values that the kernel wrote. A mapping creates new arrays, filled with zeros;
            it maps the name to a shape (`{"c": 1000}`, with the kernel's dtype), to a shape and a
            dtype (`{"c": ((10, 10), "float32")}`), or to an array with the shape and dtype to use.
        grid_size: the number of work items: an int, or up to three ints, x first.
        device: a device, its selector, or None for `get_device()`.
        kernel: the kernel's name; None if the program has one kernel.
        group_size: the number of work items in a group; None leaves it to the backend.
        language: the program's language; None is 'nexus', the portable one.
        options: the options for compiling.

    Returns:
        One array if outputs names one argument, else a tuple of arrays in the order of outputs.

    Raises:
        CompileError: the program can't be compiled.
        TypeError: an argument is missing, surplus, or of the wrong kind or dtype.
        ValueError: a name is unknown, or a size is not valid.
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
    """Returns the location, size and hit counts of the caches of compiled programs.

    Example:
        >>> nexus.get_cache_info().compiled >= 0
        True
    """
    from nexus._collections import CacheInfo

    return CacheInfo(*_core.cache_info())


def clear_cache() -> int:
    """Empties the caches of compiled programs, on disk and in this process.

    Libraries that are in use stay usable.

    Returns:
        The number of entries removed from disk.
    """
    return _core.cache_clear()


def get_include() -> str:
    """Returns the folder of the headers, for a compiler's -I.

    <nexus.h> is the C++ API, <nexus_kernel.h> the portable kernel language, <nexus-api/nxs.h> the
    C-API of plug-ins.
    """
    from nexus._resources import package_folder

    return package_folder("include")


def get_cmake_dir() -> str:
    """Returns the folder of nexus-config.cmake, for CMake's nexus_DIR."""
    from nexus._resources import package_folder

    return package_folder("cmake")


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


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"nexus.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(f"nexus.{_LAZY[name]}"), name)
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
    "empty",
    "zeros",
    "ones",
    "full",
    "arange",
    "empty_like",
    "zeros_like",
    "ones_like",
    "full_like",
    "get_device_info",
    "get_device_info_problems",
    "lookup_device_info",
    "load_catalog",
    "get_catalogs",
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
    "Catalog",
    "CatalogLibrary",
    "Citation",
    "DeviceFileProblem",
    "DeviceMemoryResource",
    "DType",
    "In",
    "InOut",
    "KernelAttributes",
    "KernelDescription",
    "MemoryPool",
    "MemoryResource",
    "ObjectList",
    "Occupancy",
    "Out",
    "PropertySource",
    "CompileError",
    "NexusError",
    "NexusFileNotFoundError",
    "NexusTimeoutError",
    "NexusValueError",
    "PropertyNotFoundError",
    "algorithms",
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
