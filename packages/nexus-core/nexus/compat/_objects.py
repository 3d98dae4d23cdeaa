# SPDX-License-Identifier: Apache-2.0
"""The classes of the original: the members that differ from ours."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

import nexus
from nexus import _core
from nexus._checks import boolean, integer, shown, text, wrong_type, wrong_value
from nexus.buffer_settings import OnHost
from nexus.compat._wrapping import Value, Wrapped, members_of, or_empty, unwrap, value_of, wrap
from nexus.data_type import DataType, Undefined
from nexus.status import NXS_InvalidProperty, NXS_Success, Status


def data_type_of(dtype: Any) -> DataType:
    """Returns the member of nexus.data_type for a dtype; None is undefined."""
    if dtype is None:
        return Undefined
    return _by_name()[_core.dtype_name(dtype, "dtype")]


def bits_of(of: DataType) -> int:
    """Returns the size of an element in bits; 0 if its type is undefined."""
    found = re.search("[0-9]+", _core.dtype_name(of, "dtype"))  # "bfloat16", "float8_e4m3fn"
    return 0 if of == Undefined else int(found[0]) if found else 8


@functools.lru_cache(maxsize=1)
def _by_name() -> dict[str, DataType]:
    return {_core.dtype_name(each, "dtype"): each for each in DataType}


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


def lengths(parameter: str, value: Any, least: int) -> list[int]:
    """Returns up to three lengths, filled up with 1."""
    found = [integer(parameter, each) for each in (value if _is_list(value) else [value])]
    if len(found) > 3:
        raise wrong_value(parameter, value, "give at most three lengths")
    if any(each < least for each in found):
        raise wrong_value(parameter, value, f"a length is below {least}")
    return found + [1] * (3 - len(found))


def source(data: Any, dtype: Any) -> tuple[Any, Any]:
    """Returns the first arguments of our create_buffer; a list is a shape, of bytes."""
    if isinstance(data, list):
        return tuple(data), Undefined if dtype is None else dtype
    return unwrap(data), dtype


@members_of(nexus.Properties)
class info(Wrapped):
    __slots__ = ()

    def get(self, path: Any = (), *default: Any) -> Any:
        """Returns the value at a path, of any type; without a path, the whole tree.

        Raises:
            PropertyNotFoundError: there is none, and no default is given.
        """
        if not isinstance(path, str) and not path:
            return self.plain.to_dict()
        return self.plain.get(path, *default) if default else self.plain[path]

    def get_property(self, path: Any) -> Value | None:
        """Returns the value at a path; None if there is none."""
        return value_of(lambda: self.plain[path])

    get_property_keys = None  # type: ignore[assignment]  # ours has get_keys()


@members_of(nexus.Catalog)
class catalog(Wrapped):
    __slots__ = ()

    def get(self, path: Any = (), *default: Any) -> Any:
        """Returns the value at a path in the catalog's file, of names and indices; without a path,
        the whole file.

        Raises:
            PropertyNotFoundError: there is none, and no default is given.
        """
        if not _is_list(path) and not isinstance(path, str):
            raise wrong_type("path", "a list of names", path)
        found: Any = self.plain.to_dict()
        try:
            for key in [path] if isinstance(path, str) else path:
                found = found[int(key) if isinstance(found, list) else key]
        except (LookupError, TypeError, ValueError):
            if default:
                return default[0]
            raise nexus.PropertyNotFoundError(
                f"path is {path!r}, which '{self.plain.path}' does not have; get() returns all.",
                NXS_InvalidProperty,
            ) from None
        return found


@members_of(nexus.Runtime)
class runtime(Wrapped):
    __slots__ = ()

    def get_device(self, id: int = 0) -> Any:
        """Returns the device at an index, from 0 on; an empty one if there is none."""
        return or_empty(nexus.Device, lambda: self.plain.get_device(id))

    def create_buffer(self, data: Any, dtype: Any = None) -> Any:
        """Creates a system buffer: nexus.create_buffer()."""
        return wrap(nexus.create_buffer(*source(data, dtype)))

    def copy_buffer(self, buffer: Any, device: Any) -> Any:
        """Copies a buffer to a device: device.copy_buffer()."""
        return wrap(unwrap(device).copy_buffer(unwrap(buffer)))


@members_of(nexus.Device)
class device(Wrapped):
    __slots__ = ()

    def create_buffer(
        self,
        data: Any = None,
        settings: Any = None,
        *,
        shape: Any = None,
        dtype: Any = None,
        memory: Any = None,
    ) -> Any:
        """Creates a buffer from an array, a number of bytes, or a shape.

        Args:
            data: an array or a number of bytes; or give shape instead.
            settings: members of nexus.buffer_settings, of which OnHost has an effect; or a dtype.
            shape: a list or tuple of lengths. A list without a dtype has elements of one byte.
            dtype, memory: as in plain Nexus.

        Raises:
            TypeError: data and shape are both given, or neither is.
        """
        if (data is None) == (shape is None):
            raise TypeError(f"data is {shown(data)} and shape is {shown(shape)}: give one of them.")
        if isinstance(settings, DataType) or not isinstance(settings, int):
            dtype = settings if dtype is None else dtype
        elif settings & OnHost and memory is None:
            memory = "host"
        given, dtype = source(shape if data is None else data, dtype)
        return wrap(self.plain.create_buffer(given, dtype, memory))

    def load_library(self, source: Any, size: Any = None, *rest: Any, **named: Any) -> Any:
        """Loads a library of kernels: a path, object code, a catalog and a name, or bytes, of which
        the first size are used. Other values are passed to plain Nexus."""
        sized = size is not None and isinstance(source, (bytes, bytearray, memoryview))
        if not sized or rest or named:
            more = (size, *rest) if rest or size is not None else ()
            return wrap(self.plain.load_library(unwrap(source), *unwrap(more), **named))
        if not 0 < integer("size", size) <= len(source):
            raise wrong_value("size", size, f"data has {len(source)} bytes")
        return wrap(self.plain.load_library(source[:size]))

    def load_library_file(self, path: Any) -> Any:
        """Loads the library of a file."""
        return self.load_library(path)


class Layout:
    """The dtype and shape of a buffer.

    Attributes:
        dtype: a member of nexus.data_type.
        rank: the number of dimensions.
        numel: the number of elements.
    """

    __module__ = "nexus.compat"

    def __init__(self, of: nexus.Buffer) -> None:
        self.dtype = data_type_of(of.dtype)
        self.rank = of.ndim
        self.numel = of.size
        self._shape = of.shape
        self._buffer = of

    def data_type(self) -> DataType:
        """Returns dtype."""
        return self.dtype

    def dim(self, index: int) -> int:
        """Returns the length of a dimension, from 0 on; 0 if there is no such dimension."""
        return self._shape[index] if 0 <= integer("index", index) < self.rank else 0

    def stride(self, index: int) -> int:
        """Returns the distance in elements between neighbours along a dimension; 0 if there is no
        such dimension."""
        if not 0 <= integer("index", index) < self.rank:
            return 0
        return self._buffer.strides[index] // self._buffer.itemsize

    def __bool__(self) -> bool:
        return self.rank != 0

    def __repr__(self) -> str:
        return f"<nexus.layout {self.dtype.name} {self._shape}>"


@members_of(nexus.Buffer)
class buffer(Wrapped):
    __slots__ = ()

    def layout(self) -> Layout:
        """Returns the buffer's dtype, shape and strides."""
        return Layout(self.plain)

    shape = layout

    def numel(self) -> int:
        """Returns the number of elements."""
        return int(self.plain.size)

    def element_size(self) -> int:
        """Returns the size of an element in bits; 0 if the buffer has no dtype."""
        return bits_of(self.dtype)

    @property
    def dtype(self) -> DataType:
        """The type of the elements, a member of nexus.data_type."""
        return data_type_of(self.plain.dtype)

    def data_type(self) -> DataType:
        """Returns the type of the elements, a member of nexus.data_type."""
        return self.dtype

    @property
    def size_bytes(self) -> int:
        """The number of bytes."""
        return int(self.plain.nbytes)

    def data_ptr(self) -> int:
        """Returns the address of the memory, or the driver's handle of it."""
        return int(self.plain.native_handle)

    def get_size(self) -> int:
        """Returns the number of bytes."""
        return self.size_bytes

    def get_data(self) -> bytes:
        """Returns a copy of the bytes."""
        return bytes(self.plain.numpy().tobytes())

    def copy(self, host: Any, *rest: Any, **named: Any) -> Status:
        """Copies the buffer to an array in host memory, as in plain Nexus."""
        self.plain.copy(unwrap(host), *unwrap(rest), **unwrap(named))
        return NXS_Success


@members_of(nexus.Library)
class library(Wrapped):
    __slots__ = ()

    def get_kernel(self, name: str) -> Any:
        """Returns the kernel of that name; an empty one if there is none."""
        return or_empty(nexus.Kernel, lambda: self.plain.get_kernel(name))


@members_of(nexus.Event)
class event(Wrapped):
    __slots__ = ()

    def signal(self, signal_value: int = 1) -> Any:
        """Signals the event."""
        return self.plain.signal(signal_value)

    def wait(self, wait_value: int = 1, timeout: float | None = None) -> Any:
        """Waits until the event reaches a value."""
        return self.plain.wait(wait_value, timeout)


# For a kernel that does not describe its arguments.
_NUMBERS = {bool: "bool", int: "int32", float: "float32"}


@members_of(nexus.Command)
class command(Wrapped):
    __slots__ = ()

    def set_arg(self, index: Any, value: Any, name: str = "", data_type: Any = None) -> Status:
        """Sets an argument to a buffer, a number, or an array in host memory that the device can
        use in place.

        Args:
            index: the argument's index or name.
            value: the value. For a kernel that does not describe its arguments, an int is an
                int32, a float a float32, and a bool one byte.
            name: has no effect.
            data_type: the type of the value; None or undefined leaves it to the kernel.
        """
        text("name", name)
        ours, value = self.plain, unwrap(value)
        dtype = None if data_type is None or data_type == Undefined else data_type
        if dtype is None and type(value) in _NUMBERS and ours.get_kernel().arguments is None:
            dtype = _NUMBERS[type(value)]
        if hasattr(value, "__dlpack__") and not isinstance(value, nexus.Buffer):
            value = nexus.from_dlpack(value, ours.get_kernel().device, writable=True)
        ours.set_arg(index, value, dtype)
        return NXS_Success

    set_const = set_arg

    def finalize(self, grid: Any, block: Any = (), shared_memory_size: int = 0) -> Status:
        """Checks the arguments and fixes the launch.

        Args:
            grid: the number of groups, an int or up to three.
            block: the work items of a group, an int or up to three; 1 if there is none.
            shared_memory_size: the bytes of local memory of a group.

        Example:
            >>> command.finalize([32], [256])  # plain Nexus: finalize(256, group_count=32)
        """
        if integer("shared_memory_size", shared_memory_size) < 0:
            raise wrong_value("shared_memory_size", shared_memory_size, "it is below 0")
        self.plain.finalize(
            lengths("block", block, 1),
            group_count=lengths("grid", grid, 0),
            local_memory=shared_memory_size,
        )
        return NXS_Success


@members_of(nexus.Schedule)
class schedule(Wrapped):
    __slots__ = ()

    def create_command(self, kernel: Any, buffers: Any = (), dims: Any = (), **named: Any) -> Any:
        """Adds a command that runs the kernel.

        Args:
            buffers: the first arguments, in order: see command.set_arg().
            dims: [grid, block], to finalize the command too: see command.finalize().
            named: the other options of plain Nexus.
        """
        if not isinstance(dims, (list, tuple)):
            raise wrong_type("dims", "a list [grid, block]", dims)
        if len(dims) not in (0, 2):
            raise wrong_value("dims", dims, "give [grid, block]")
        if isinstance(buffers, Mapping):  # of plain Nexus
            made = wrap(self.plain.create_command(unwrap(kernel), unwrap(buffers), **unwrap(named)))
        else:
            made = wrap(self.plain.create_command(unwrap(kernel), **unwrap(named)))
            try:
                for index, each in enumerate(buffers):
                    made.set_arg(index, each)
            except BaseException:
                made.remove()
                raise
        if dims:
            made.finalize(*dims)
        return made

    def create_signal(self, event: Any = None, signal_value: int = 1) -> Any:
        """Adds a command that signals an event; without one, a new shared event."""
        ours = self.plain
        of = ours.device.create_event() if event is None else unwrap(event)
        return wrap(ours.create_signal_command(of, signal_value))

    def create_wait(self, event: Any, wait_value: int = 1) -> Any:
        """Adds a command that waits for an event."""
        return wrap(self.plain.create_wait_command(unwrap(event), wait_value))

    def run(self, stream: Any = None, blocking: bool = True, *rest: Any, **named: Any) -> Status:
        """Submits a run of the commands to a stream, as in plain Nexus."""
        self.plain.run(unwrap(stream), boolean("blocking", blocking), *rest, **named)
        return NXS_Success


@members_of(nexus.Kernel)
class kernel(Wrapped):
    __slots__ = ()


@members_of(nexus.Stream)
class stream(Wrapped):
    __slots__ = ()


@members_of(nexus.ObjectCode)
class ObjectCode(Wrapped):
    __slots__ = ()
