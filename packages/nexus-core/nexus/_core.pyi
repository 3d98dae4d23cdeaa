# SPDX-License-Identifier: Apache-2.0
# Generated from the docstrings in bindings/*/*.cpp by `nox -s gen`. Do not edit.
"""The objects of libnexus as Python classes."""

from __future__ import annotations

import os
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from typing import Any, SupportsIndex, final

from numpy import ndarray
from typing_extensions import Self

from nexus._collections import (
    Argument,
    Backend,
    KernelAttributes,
    KernelDescription,
    ObjectList,
    Occupancy,
    PropertySource,
)
from nexus._errors import NexusError
from nexus._options import ProgramOptions, Settings
from nexus._program import Program
from nexus._property_view import PropertyView
from nexus._types import (
    Array,
    BufferSource,
    CudaStream,
    Define,
    DTypeLike,
    Memory,
    Number,
    Path,
    PropertyKey,
    Size,
    SliceKey,
    WritableArray,
)
from nexus.command_type import CommandType
from nexus.event_type import EventType
from nexus.status import Status

@final
class Properties:
    """A tree of properties, such as what a device says of itself laid over its device file. It
    never changes. A mapping of names to values.

    Made by Device.get_info(), nexus.get_device_info() and nexus.lookup_device_info(name).
    """

    def get_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    def __getitem__(self, key: PropertyKey, /) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts. Raises PropertyNotFoundError, which is a
        KeyError and a RuntimeError.
        """

    def __contains__(self, key: object, /) -> bool:
        """Whether there is such a property; a key may be a path."""

    def __iter__(self) -> Iterator[str]:
        """The names at the top of the tree."""

    def __len__(self) -> int:
        """How many names there are at the top of the tree."""

    def keys(self) -> KeysView[PropertyKey]:
        """The names at the top of the tree."""

    def values(self) -> ValuesView[Any]:
        """The values at the top of the tree."""

    def items(self) -> ItemsView[PropertyKey, Any]:
        """The names with their values."""

    def get(self, key: PropertyKey, default: Any = None) -> Any:
        """Reads a property in the type that it has, as properties[key] does; default where there
        is none.
        """

    def to_dict(self) -> dict[str, Any]:
        """The whole tree, of Python's own types."""

    def to_json(self, indent: int | None = None) -> str:
        """The whole tree as the text of a JSON object; indent as json.dumps has it."""

    def source(self, key: PropertyKey) -> PropertySource:
        """Where a value comes from: the driver, a device file with the documents that it was
        read in, or other values.

        key is as for get_str; a part of the tree has the sources of all its values. Raises
        PropertyNotFoundError where there is no such value.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

@final
class Runtime:
    """A backend that was loaded and has a device.

    Made by nexus.get_runtimes() and nexus.get_runtime(name).
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def name(self) -> str:
        """The backend's name, such as 'cpu'."""

    def get_devices(self) -> ObjectList[Device]:
        """The backend's devices."""

    def get_device(self, id: int = 0) -> Device:
        """The device of an index, from 0 on. Raises NexusError where there is no such device."""

@final
class Device:
    """A device, and what makes everything on it.

    Made by nexus.get_device(selector) and Runtime.get_devices().
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def selector(self) -> str:
        """What names the device everywhere, such as 'cpu:0'."""

    @property
    def runtime(self) -> Runtime:
        """The device's runtime."""

    @property
    def default_stream(self) -> Stream:
        """The stream that functions without one use."""

    def get_info(self) -> Properties:
        """What the device says of itself, laid over its device file."""

    def synchronize(self, timeout: float | None = None) -> None:
        """Waits for all work submitted to the device, timeout seconds at most, None being
        forever. Raises TimeoutError (also a NexusError), or, when all streams are done,
        NexusError with the first failure.
        """

    def create_buffer(
        self,
        data: BufferSource,
        dtype: DTypeLike | None = None,
        memory: Memory | None = None,
        *,
        shareable: bool = False,
    ) -> Buffer:
        """Makes a buffer.

        data is a number of bytes (with a dtype, of elements), a shape (a tuple; float32
        unless dtype says otherwise), or an array whose elements are copied with their shape
        and dtype (numpy, the buffer protocol, an array interface, DLPack; also of another
        device). memory is 'device', 'host' or 'managed'; None takes the device's own. With
        shareable=True the buffer can be pickled for other processes, which use the same
        memory (nexus.capability.ShareableMemory).

        Raises TypeError for a list or a bool, ValueError for sizes below 0, NexusError where
        the memory can't be had.
        """

    def create_buffer_from_handle(
        self,
        handle: int,
        data: SupportsIndex | tuple[SupportsIndex, ...],
        dtype: DTypeLike | None = None,
        *,
        offset: int = 0,
        owner: object = None,
    ) -> Buffer:
        """A buffer of memory that another library got for the device, used in place.

        handle is the driver's own name of it: an address, or an object of the driver. data is
        a number of bytes or a shape, as in create_buffer; offset is where it begins, in
        bytes. owner is kept as long as the memory is used. What others do with the memory is
        theirs to order. Raises NexusError where the backend can't
        (nexus.capability.ForeignMemory), or the driver knows no such memory.
        """

    def copy_buffer(self, buffer: Buffer) -> Buffer:
        """A buffer on this device with a copy of another's contents, shape and dtype. The other
        may be on any device.
        """

    def load_library(
        self,
        source: ObjectCode | str | os.PathLike[str] | bytes | bytearray | memoryview,
    ) -> Library:
        """Loads a library of kernels: a compiled program, a file, or the bytes of one. What
        ObjectCode.save wrote is such a file too. Raises FileNotFoundError (also a NexusError)
        for a missing file, NexusError for what is no library for the device.

        The tables of a library are checked before the system loads it, but not its code: load
        one that you don't trust in a process of its own, as `nexus run --isolate` does.
        Object code has a checksum over all of it.
        """

    def compile(
        self,
        source: str | os.PathLike[str] | Program,
        language: str | None = None,
        name: str | None = None,
        options: ProgramOptions | None = None,
        *,
        defines: Mapping[str, Define] | None = None,
        include_paths: Sequence[Path] | None = None,
        optimization: int | None = None,
        fast_math: bool | None = None,
        debug: bool | None = None,
        line_info: bool | None = None,
        standard: str | None = None,
        extra: Mapping[str, Sequence[str]] | None = None,
        relocatable: bool | None = None,
        name_expressions: Sequence[str] | None = None,
    ) -> Library:
        """Compiles a program for the device and loads it, in one step.

        source, language and name are those of nexus.Program, or source is one; how it is
        compiled is told by options, or by its fields: device.compile(source, fast_math=True).
        A program that was compiled before is taken from the caches.

        Raises CompileError where the program is refused, and what else Program and
        Program.compile raise.
        """

    def create_schedule(self) -> Schedule:
        """Makes an empty schedule."""

    def create_stream(
        self,
        priority: int = 0,
        *,
        foreign: CudaStream | int | None = None,
    ) -> Stream:
        """Makes a stream. Lower priorities go first; 0 is normal.

        foreign is another library's stream, which is used and kept: an object with
        __cuda_stream__ (CuPy, numba, torch, cuda.core), or a native handle. Work of both
        libraries in it is in one order. Raises ValueError for priorities where the backend
        has none (nexus.capability.StreamPriority), NexusError where it takes no foreign
        streams (nexus.capability.ForeignStream).
        """

    def create_event(
        self,
        event_type: int = 0,
        timing: bool = False,
        *,
        shareable: bool = False,
    ) -> Event:
        """Makes an event of a type of nexus.event_type; Shared unless given.

        With timing its signals in streams are timed, for Event.elapsed_ms(). With shareable a
        Signal or Fence event can be pickled to other processes, which wait for what this one
        signals in streams of the device (nexus.capability.ShareableEvents). NexusError with
        status NXS_NotSupported where the backend lacks either.
        """

    def get_buffers(self) -> ObjectList[Buffer]:
        """The buffers that were made on the device, live, and are not closed, in the order of
        their making.
        """

    def get_libraries(self) -> ObjectList[Library]:
        """The libraries that were loaded on the device, live, and are not closed, in the order
        of their loading.
        """

    def get_streams(self) -> ObjectList[Stream]:
        """The streams that were made on the device, live, and are not closed, in the order of
        their making; not the default one.
        """

    def get_events(self) -> ObjectList[Event]:
        """The events that were made on the device, live, and are not closed, in the order of
        their making.
        """

    def get_schedules(self) -> ObjectList[Schedule]:
        """The schedules that were made on the device, live, and are not closed, in the order of
        their making.
        """

    @property
    def memory_used(self) -> int:
        """The bytes of this process's buffers on the device."""

    @property
    def memory_peak(self) -> int:
        """The most that memory_used was, since the process began or reset_memory_peak()."""

    @property
    def memory_reserved(self) -> int:
        """The bytes that the backend has of the driver for buffers, those that it keeps for new
        ones included.
        """

    def trim_memory(self, keep: int = 0) -> None:
        """Gives memory that the backend keeps for new buffers back to the driver, until it keeps
        at most so many bytes.
        """

    @property
    def release_threshold(self) -> int | None:
        """What set_release_threshold() was told; None, at first: all memory is kept."""

    def set_release_threshold(self, bytes: int | None) -> None:
        """While the backend has more memory of the driver for buffers than so many bytes, those
        in use included, it gives what no buffer uses back whenever work is waited for or an
        idle buffer is released.

        0 keeps nothing; None, as at first, keeps all until trim_memory().
        """

    def reset_memory_peak(self) -> None:
        """memory_peak is memory_used from now on."""

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

@final
class Buffer:
    """Memory of a device, with a dtype and a shape.

    Made by Device.create_buffer(), and as a system buffer by nexus.create_buffer().
    numpy.asarray(buffer), memoryview(buffer) and from_dlpack(buffer) of numpy, torch and jax
    share its memory where the host sees it.
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    def close(self) -> None:
        """Closes this buffer: any later use of it is an error. The memory stays in use for
        slices, and for schedules that hold the buffer, which run on with it; it is freed
        after the last of them and the work that uses it. Raises BufferError while views of it
        live. Closing twice does nothing.
        """

    def __enter__(self) -> Self:
        """Returns the object; the end of the with statement closes it."""

    def __exit__(
        self,
        exc_type: object = None,
        exc: object = None,
        traceback: object = None,
        /,
    ) -> None:
        """Closes the object."""

    @property
    def device(self) -> Device | None:
        """The buffer's device; None for a system buffer."""

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension, outermost first; of plain bytes their number."""

    @property
    def dtype(self) -> str | None:
        """The name of the elements' type, such as 'float32'; None for plain bytes."""

    @property
    def readonly(self) -> bool:
        """Whether nothing may write to it, as to an array of jax that was shared by
        from_dlpack().

        A kernel takes it where the parameter is a pointer to const, such as 'const float *'.
        """

    def copy(
        self,
        host: WritableArray,
        stream: Stream | None = None,
        blocking: bool = True,
    ) -> None:
        """Copies the buffer's contents into a host array of equal dtype and bytes.

        Without a stream the copy starts after all submitted work that uses the buffer. With
        blocking=False it returns at once; the array is kept, and holds the contents once the
        stream has passed the copy. Raises TypeError for another dtype, ValueError for another
        size or an array that is read-only or not C-contiguous.
        """

    def copy_from(
        self,
        array: Array | Buffer,
        stream: Stream | None = None,
        blocking: bool = True,
    ) -> None:
        """Copies a host array, or another buffer, of equal dtype and bytes into the buffer.

        With blocking=False it returns at once; the array is kept, and must not change until
        the stream has passed the copy. A buffer may be of another device: stream is then of
        either, and None means the default streams of both. Raises as copy does.
        """

    def fill(self, value: Number, stream: Stream | None = None, blocking: bool = True) -> None:
        """Sets every element to value; every byte where the buffer has no dtype.

        Raises ValueError where value does not fit the dtype.
        """

    def __getitem__(self, key: SliceKey, /) -> Buffer:
        """A part of the buffer, which shares its memory and keeps it alive: buffer[2:10].

        A slice is contiguous: its steps are 1, and behind the first dimension that keeps
        several elements all are taken whole. It may be empty. Raises TypeError for an int,
        IndexError for more slices than dimensions, ValueError for a part that is not
        contiguous.
        """

    def view(self, dtype: DTypeLike) -> Buffer:
        """The same memory with elements of another data type, as numpy's view().

        The length of the last dimension changes with the size of an element. Raises
        ValueError where the last dimension's bytes are no multiple of the new size.
        """

    __iter__: None

    __reversed__: None

    __contains__: None

    def numpy(self) -> ndarray[Any, Any]:
        """A new numpy array with a copy of the contents, after all submitted work that uses the
        buffer.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]:
        """An array that shares the memory where the host sees it, after waiting for pending
        work.
        """

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The array interface, version 3, after waiting for pending work. Its pointer is valid
        while the buffer is held and not closed. Raises AttributeError for a dtype that the
        interface has no form for, such as bfloat16, and where the host does not see the
        memory.
        """

    @property
    def __array_struct__(self) -> Any:
        """Not there: raises AttributeError."""

    def __dlpack__(
        self,
        *,
        stream: Stream | int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Exports the memory as a DLPack capsule, for from_dlpack of numpy, cupy, torch, jax and
        others.

        The capsule shares the memory and keeps it alive; it is versioned where max_version is
        (1, 0) or more. Host memory is given when all submitted work that uses it is done. For
        a device's, stream is the consumer's, a number as DLPack says (None is the default
        one, -1 orders nothing), and what is given to it later comes after that work. With
        copy=True the capsule holds a copy. dl_device is (1, 0), the host, where the buffer
        lies, or None. Raises BufferError for a dtype that DLPack has no form for, for another
        device, and where the host does not see the memory and no copy was allowed.
        """

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's type and number of the device that the memory lies on: (1, 0), the host; (2,
        n), CUDA's number n; and so on. Raises BufferError where there is no name for it.
        """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory for libraries of CUDA, such as numba: version 3 of the protocol. It names
        the stream behind which the submitted work is done. Raises AttributeError on devices
        of another kind.
        """

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    def __buffer__(self, flags: int, /) -> memoryview:
        """memoryview(buffer): shares the memory where the host sees it."""

def buffer_bytes(buffer: Buffer) -> memoryview:
    """A view of the buffer's memory as plain bytes, for dtypes that the buffer protocol has no
    format for.
    """

def dtype_name(dtype: DTypeLike, parameter: str) -> str:
    """The one name of a dtype, such as 'float32'. TypeError and ValueError name the parameter."""

def create_system_buffer(data: BufferSource, dtype: DTypeLike | None = None) -> Buffer:
    """A buffer in host memory that begins at a page and is an argument on every device."""

def from_dlpack(x: Any, device: Device | None, stream: Stream | None, writable: bool) -> Buffer:
    """A buffer that uses the memory of another library's array in place."""

def import_buffer(
    device: Device,
    handle: bytes,
    offset: int,
    nbytes: int,
    data_type: int,
    shape: tuple[int, ...],
) -> Buffer:
    """A buffer of memory that another process shares."""

@final
class ObjectCode:
    """A compiled program, with the descriptions of its kernels. Can be pickled.

    Made by Program.compile(target) and ObjectCode.load(path); Device.load_library(code) makes
    a library of it.
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def code(self) -> bytes:
        """The code itself, as Device.load_library takes it."""

    @property
    def name(self) -> str:
        """The program's name."""

    @property
    def runtime(self) -> str:
        """The name of the backend that compiled it and can load it, such as 'cpu'."""

    @property
    def target(self) -> str:
        """The architecture that it is for, spelled out."""

    @property
    def format(self) -> str:
        """Of the code, such as 'elf'."""

    @property
    def log(self) -> str:
        """What the compiler said, such as warnings; often empty."""

    @property
    def flags(self) -> tuple[str, ...]:
        """What the compiler was given, without the names of files."""

    @property
    def origin(self) -> str:
        """Where it came from: 'compiled' in this call, 'memory' and 'disk' for the caches,
        'file' where it was loaded or unpickled.
        """

    @property
    def kernels(self) -> tuple[KernelDescription, ...]:
        """The kernels; empty where this machine can't look into the code, as of another
        architecture.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes all of it to a file, which appears whole or not at all. Raises
        FileNotFoundError where the folder is not there.
        """

    @staticmethod
    def load(path: str | os.PathLike[str]) -> ObjectCode:
        """Reads what save() wrote, in another process or version too. Raises FileNotFoundError
        (also a NexusError) where there is no such file, NexusError where it is no object
        code, cut short or changed, a pipe or a device, or larger than 1 GiB.
        """

@final
class Library:
    """A loaded library of kernels.

    Made by Device.load_library(source).
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    def close(self) -> None:
        """Lets the library go; its kernels and the work that uses them live on. Twice does
        nothing.
        """

    def __enter__(self) -> Self:
        """Returns the object; the end of the with statement closes it."""

    def __exit__(
        self,
        exc_type: object = None,
        exc: object = None,
        traceback: object = None,
        /,
    ) -> None:
        """Closes the object."""

    @property
    def device(self) -> Device:
        """The device that the library was loaded for."""

    def get_kernel(self, name: str) -> Kernel:
        """The kernel of that name. Raises NexusError where the library has none; the text names
        near ones.
        """

    def get_kernels(self) -> ObjectList[Kernel]:
        """The library's kernels, in the order of their names. Raises PropertyNotFoundError where
        the backend can't list them.
        """

@final
class Kernel:
    """A function that runs on a device; keeps its library.

    Made by Library.get_kernel(name) and Library.get_kernels().
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    @property
    def name(self) -> str:
        """The kernel's name."""

    @property
    def arguments(self) -> tuple[Argument, ...] | None:
        """What the kernel says of its arguments, in order: name, kind, dtype, type and size.
        None where it does not describe itself.
        """

    @property
    def attributes(self) -> KernelAttributes:
        """The group size that the kernel requires, the most work items of a group, the local
        memory that it takes, and what else the driver tells.
        """

    def get_occupancy(
        self,
        group_size: Size | None = None,
        local_memory: int = 0,
        *,
        cluster_size: Size | None = None,
    ) -> Occupancy:
        """How many groups of the kernel the device runs at the same time.

        group_size is the work items of a group, an int or up to three; None is the size that
        keeps the device busiest, which the result names. local_memory is the bytes of a
        group's memory beyond what the kernel declares, with that of arguments; cluster_size
        the groups of a cluster, None being no clusters, or those that the kernel was written
        for. Nothing is started.

        Raises NexusError: NXS_NotSupported where the backend does not tell, or has no
        clusters; NXS_OutOfResources for more local memory than the device has. ValueError for
        a group that the kernel can't have.
        """

@final
class Stream:
    """An ordered queue of a device's work. Work in one stream runs in order; across streams it
    does not, unless events order it.

    Made by Device.create_stream(); Device.default_stream is what functions without one use.
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    def close(self) -> None:
        """Ends the stream; its work finishes. Twice does nothing. Raises NexusError for a
        device's default stream.
        """

    def __enter__(self) -> Self:
        """Returns the object; the end of the with statement closes it."""

    def __exit__(
        self,
        exc_type: object = None,
        exc: object = None,
        traceback: object = None,
        /,
    ) -> None:
        """Closes the object."""

    @property
    def device(self) -> Device:
        """The stream's device."""

    @property
    def is_idle(self) -> bool:
        """Whether all work submitted so far is done."""

    def synchronize(self, timeout: float | None = None) -> None:
        """Waits for all work submitted so far, timeout seconds at most, None being forever.
        Raises TimeoutError (also a NexusError), or NexusError with the cause where the
        stream's work failed.
        """

    def signal(self, event: Event, value: int = 1) -> None:
        """Sets the event to value once the stream's earlier work is done. Returns at once.
        Raises ValueError where value is below the event's; where the event grows beyond it
        before that, nothing changes.
        """

    def wait(self, event_or_stream: Event | Stream, value: int = 1) -> None:
        """Holds the stream's later work until the event reaches value, or until all work
        submitted to the other stream so far is done. Returns at once. Where what is waited
        for fails, so does this stream.
        """

    def record(self) -> Event:
        """A new Signal event that is signalled once the stream's earlier work is done; timed
        where the backend can, for Event.elapsed_ms().
        """

    def add_callback(self, function: Callable[[NexusError | None], object]) -> None:
        """Calls function(error) once the stream's earlier work is done.

        error is None, or the NexusError of the work that failed. The calls come in order, on
        one thread of Nexus' own, and the stream's later work does not wait for them; what
        function raises goes to sys.unraisablehook. Callbacks that have not begun when the
        interpreter ends are dropped.
        """

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    def __cuda_stream__(self) -> tuple[int, int]:
        """The version of the protocol, 0, and the native handle, for libraries of CUDA. Raises
        TypeError on devices of another kind.
        """

@final
class Event:
    """A 64-bit counter that only grows: work and the host raise it, and wait for it to reach a
    value.

    Made by Device.create_event() and Stream.record().
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    def close(self) -> None:
        """Ends the event; work that waits for it fails with NXS_Cancelled. Twice does nothing."""

    def __enter__(self) -> Self:
        """Returns the object; the end of the with statement closes it."""

    def __exit__(
        self,
        exc_type: object = None,
        exc: object = None,
        traceback: object = None,
        /,
    ) -> None:
        """Closes the object."""

    @property
    def device(self) -> Device:
        """The event's device."""

    @property
    def value(self) -> int:
        """The value reached by now."""

    @property
    def is_done(self) -> bool:
        """Whether every signal submitted so far has happened, and there was one. Raises
        NexusError with the cause where one has failed.
        """

    @property
    def type(self) -> EventType:
        """A member of nexus.event_type."""

    def signal(self, value: int = 1) -> Status:
        """Sets the value from the host. Raises ValueError where it is below the event's. Returns
        NXS_Success.
        """

    def wait(self, value: int = 1, timeout: float | None = None) -> Status:
        """Waits until the event reaches value, timeout seconds at most, None being forever.
        Returns NXS_Success; raises TimeoutError (also a NexusError), or NexusError with the
        cause where the work that would have signalled it failed.
        """

    def elapsed_ms(self, start: Event) -> float:
        """The milliseconds of the device's clock from the newest signal of start to this
        event's.

        Both are of one device and were signalled in streams: by Stream.record(), or made with
        timing=True. Raises NexusError, with status NXS_ProfilingInfoNotAvailable where one
        has no timing, and NXS_InvalidOperation where one was not signalled in a stream, or
        its newest signal has not happened yet; the text tells which. Raises ValueError where
        start was signalled after this event.
        """

def import_event(device: Device, handle: bytes) -> Event:
    """An event that another process shares."""

@final
class Command:
    """One step of a schedule. A kernel command needs its arguments and finalize() before the
    schedule runs.

    Made by Schedule.create_command() and its kin.
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    def set_buffer(self, index: int, buffer: Buffer) -> None:
        """Binds a buffer to the kernel's argument of that index; after the first run, for later
        runs. Raises ValueError where the buffer's dtype is not the parameter's; see
        set_arg().
        """

    def set_arg(self, index: int, value: Buffer | Number, dtype: DTypeLike | None = None) -> None:
        """Binds a buffer, or passes a value; after the first run, for later runs.

        Where the kernel describes itself, a buffer's dtype is the parameter's: Buffer.view()
        casts, and a buffer without a dtype fits any. Python and numpy numbers are taken by
        their value and converted to the parameter's type: a float is rounded, and what does
        not fit is refused. For other kernels a numpy or ctypes scalar or dtype tells the
        width.

        A vector is a tuple or list of its components or an array of them: (1, 2, 3, 4) for
        nexus_float4. Vectors, structs and numbers are also bytes of exactly their size:
        bytes, a ctypes structure, a structured numpy scalar.

        Raises TypeError where the width is not told, dtype or a ctypes scalar is of another
        type, or a value is of the wrong kind, such as a float for an integer; ValueError
        where a number is out of range, or a size or a buffer's dtype is another.
        """

    def set_local_memory(self, index: int, size: int) -> None:
        """Gives each group size bytes of local memory as the argument."""

    def finalize(
        self,
        group_size: Size | None = None,
        grid_size: Size | None = None,
        local_memory: int = 0,
        *,
        group_count: Size | None = None,
        cluster_size: Size | None = None,
        cooperative_launch: bool = False,
        programmatic_launch: bool = False,
    ) -> None:
        """Checks the arguments and fixes the launch.

        group_size is the work items of a group, None leaving it to the backend; grid_size is
        the work items in all, or group_count the groups. Each is an int or up to three, x
        first. local_memory is the bytes of a group's memory beyond the arguments'.

        cluster_size is the groups of a cluster, which run at the same time and reach each
        other's local memory; whole clusters are launched. None: no clusters, or those that
        the kernel was written for. With cooperative_launch all groups run at the same time,
        so that they can wait for each other; Kernel.get_occupancy() tells how many can. With
        programmatic_launch the kernel may begin before the kernel before it in the stream has
        ended, and waits for that one itself, before it touches what both use and before it
        ends (on CUDA: programmatic dependent launch, cudaGridDependencySynchronize()). The
        device's properties ClusterLaunch, CooperativeLaunch and ProgrammaticLaunch tell what
        it has.

        A grid of 0 work items is empty: the command then does nothing.

        Raises ValueError for a group below 1, a grid below 0 or sizes beyond the device's
        limits, NexusError or TypeError for arguments that are missing, surplus or of the
        wrong kind, and NexusError (NXS_NotSupported) for launches that the backend or the
        device lacks.
        """

    @property
    def group_size(self) -> tuple[int, int, int] | None:
        """The work items of a group in x, y and z, also where the backend chose them; None
        before finalize().
        """

    @property
    def grid_size(self) -> tuple[int, int, int] | None:
        """The work items asked for in x, y and z; None before finalize()."""

    @property
    def group_count(self) -> tuple[int, int, int] | None:
        """The groups launched in x, y and z; None before finalize()."""

    def set_value(self, value: int, step: int | None = None) -> None:
        """Of a signal or wait command: the schedule's next run uses value, the one after it
        value + step, and so on; step None is 1. Runs in flight keep what they had. Raises
        NexusError for other commands.
        """

    def get_kernel(self) -> Kernel:
        """The kernel of a kernel command; NexusError for others."""

    def get_event(self) -> Event:
        """The event of a signal or wait command; NexusError for others."""

    @property
    def type(self) -> CommandType:
        """A member of nexus.command_type."""

@final
class Schedule:
    """Commands that run in order, recorded once and run many times; keeps all that they use.

    Made by Device.create_schedule(). One thread at a time records it, any may run it.
    """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in the type that it has: str, int, float, a list of them, or for
        structured ones a dict or a list of dicts.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float].

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, in
        which an int is an index where the value is a list. Raises PropertyNotFoundError, a
        RuntimeError, where there is no such property; the text names near keys.
        """

    def get_property_keys(self) -> list[str]:
        """The names of the properties that the object answers."""

    @property
    def properties(self) -> PropertyView:
        """The properties as a mapping of their names to their values, which are read when they
        are asked for.
        """

    def __eq__(self, other: object, /) -> bool:
        """Whether both are the same object of nexus."""

    def __hash__(self) -> int:
        """Goes by the object, as == does."""

    def __repr__(self) -> str:
        """What the object is, for people."""

    @property
    def native_handle(self) -> int:
        """What the driver's own interface calls the object, for other libraries that use it: an
        address or a number, which stays the object's. NexusError with status NXS_NotSupported
        where the backend has none.
        """

    def close(self) -> None:
        """Ends the schedule; runs in flight finish. Twice does nothing."""

    def __enter__(self) -> Self:
        """Returns the object; the end of the with statement closes it."""

    def __exit__(
        self,
        exc_type: object = None,
        exc: object = None,
        traceback: object = None,
        /,
    ) -> None:
        """Closes the object."""

    @property
    def device(self) -> Device:
        """The schedule's device."""

    def create_command(
        self,
        kernel: Kernel,
        args: Iterable[Buffer | Number] = (),
        group_size: Size | None = None,
        grid_size: Size | None = None,
        *,
        local_memory: int = 0,
        group_count: Size | None = None,
        cluster_size: Size | None = None,
        cooperative_launch: bool = False,
        programmatic_launch: bool = False,
    ) -> Command:
        """Adds a command that runs the kernel.

        args are set as Command.set_arg does; with a size the command is finalized too, as
        Command.finalize() does, which says what the other options are. Where that fails,
        nothing is added. Raises TypeError where an option is given and no size.
        """

    def create_copy_command(self, dst: Buffer, src: Buffer) -> Command:
        """Adds a copy of src into dst, buffers of one size. One of them may be of another
        device.
        """

    def create_fill_command(self, buffer: Buffer, value: Number) -> Command:
        """Adds a command that sets every element of the buffer to value; every byte where it has
        no dtype.
        """

    def create_signal_command(self, event: Event, value: int = 1, step: int = 1) -> Command:
        """Adds a command that signals the event: run n sets value + (n - 1) * step."""

    def create_wait_command(self, event: Event, value: int = 1, step: int = 1) -> Command:
        """Adds a command that waits for the event: run n waits for value + (n - 1) * step."""

    def get_commands(self) -> ObjectList[Command]:
        """The commands in the order in which they run."""

    def prepare(self, stream: Stream | None = None) -> None:
        """Makes ready what a first run in the stream would, so that the first is as fast as the
        next; None is the device's default stream. Raises NexusError where a command is not
        finalized.
        """

    def run(
        self,
        stream: Stream | None = None,
        blocking: bool = True,
        timeout: float | None = None,
        timing: bool = False,
    ) -> None:
        """Submits a run of the commands in order; stream None is the device's default stream.

        A blocking run waits for its end, timeout seconds at most, None being forever;
        blocking=False returns at once. With timing the time that the run takes on the device
        is measured, which elapsed_ms tells. Raises TimeoutError (also a NexusError), which
        leaves it running, or NexusError with the cause of a failure.
        """

    @property
    def elapsed_ms(self) -> float:
        """How many milliseconds of the device's clock the newest run with timing=True took.
        Raises NexusError where there was none (NXS_ProfilingInfoNotAvailable), where it has
        not finished (NXS_InvalidOperation), and with the cause where it failed.
        """

def add_manifest(path: str, distribution: str) -> None:
    """Adds a backend by its manifest, without loading it."""

def add_failure(name: str, distribution: str, reason: str) -> None:
    """Adds the record of a backend that could not name a manifest."""

def discover() -> None:
    """Adds what NEXUS_PLUGIN_PATH names and what lies beside libnexus."""

def plugin_timeout() -> float:
    """The seconds that a backend may take to start: NEXUS_PLUGIN_TIMEOUT, else 5."""

def check_backend_name(name: str, parameter: str) -> None:
    """Raises ValueError where no backend has the name, found or ours."""

def set_config(key: str, value: str) -> None:
    """Sets what plug-ins read as configuration."""

def runtimes() -> ObjectList[Runtime]:
    """The runtimes of the backends that work."""

def runtime(name: str) -> Runtime:
    """The runtime of that name."""

def device(selector: str) -> Device:
    """The device of a selector; empty: the default."""

def backends() -> list[Backend]:
    """The record of each backend that was found."""

def device_info() -> Properties:
    """The device info database."""

def lookup_device_info(name: str | Device) -> Properties:
    """One entry of the database."""

def device_info_problems() -> str:
    """The device files that can't be used, as JSON."""

def version() -> str:
    """The version of libnexus."""

def write_pending_log() -> None:
    """Writes the log lines that other threads left."""

def trace_is_on() -> bool:
    """Whether this process is traced."""

def trace_time() -> int:
    """The time of the trace's clock, in nanoseconds."""

def trace_range(name: str, begin: int) -> None:
    """Shows a range of this thread from a time until now."""

def trace_mark(name: str) -> None:
    """Shows a moment of this thread."""

def plugin_table(runtime: Runtime) -> tuple[int, int, int, int, int]:
    """A plug-in's own table of functions: its address, the runtime's id, the capability bits,
    the thread model and the tag.
    """

def plugin_error(error: int) -> tuple[str, int, str] | None:
    """The text, the driver's number and the backend of a plug-in's error record; 0 is this
    thread's latest one, which is forgotten.
    """

def compile_program(
    device: Device | None,
    target: str,
    source: str,
    language: str,
    name: str,
    settings: Settings,
) -> ObjectCode:
    """Compiles a program for a device, or for the target that a text names."""

def link_program(
    device: Device | None,
    target: str,
    codes: tuple[bytes, ...],
    names: tuple[str, ...],
    name: str,
    settings: Settings,
) -> ObjectCode:
    """Links pieces of code for a device, or for the target that a text names."""

def describe_compile(device: Device | None, target: str, language: str, settings: Settings) -> str:
    """What compile_program would do, as JSON."""

def cache_info() -> tuple[str, str, int, int, int, int, int, int]:
    """What CacheInfo has, in its order."""

def cache_clear() -> int:
    """Empties the caches of object code; how many entries were on disk."""

def write_object_code(code: ObjectCode) -> bytes:
    """All of it, as read_object_code takes it."""

def read_object_code(data: Array) -> ObjectCode:
    """Reads what write_object_code wrote."""

def detach() -> None:
    """Ends what could call into the interpreter. Runs when it ends."""
