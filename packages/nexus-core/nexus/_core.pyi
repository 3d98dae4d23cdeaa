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
from contextlib import AbstractContextManager
from typing import Any, SupportsIndex, final, overload

from numpy import ndarray
from typing_extensions import Self

from nexus._arrays._dtype import DType
from nexus._arrays._memory import MemoryResource
from nexus._catalog._catalog import Catalog
from nexus._collections import (
    Argument,
    Backend,
    KernelAttributes,
    KernelDescription,
    ObjectList,
    Occupancy,
    PropertySource,
)
from nexus._compile._options import ProgramOptions, Settings
from nexus._compile._program import Program
from nexus._errors import NexusError
from nexus._property_view import PropertyView
from nexus._types import (
    Array,
    BufferSource,
    ByArgument,
    CudaStream,
    Define,
    DTypeLike,
    KernelArgument,
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
    """An immutable tree of properties, and a mapping from names to values: the values of a
    device file, overridden by those of the driver, or what a kernel catalog says about a
    library.

    Made by Device.get_info(), nexus.get_device_info(), nexus.lookup_device_info(name),
    Library.get_info() and Kernel.get_info().
    """

    def get_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    def __getitem__(self, key: PropertyKey, /) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones. Raises PropertyNotFoundError, a KeyError and
        RuntimeError.
        """

    def __contains__(self, key: object, /) -> bool:
        """Returns whether there is such a property. A key may be a path."""

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names at the top of the tree."""

    def __len__(self) -> int:
        """Returns the number of names at the top of the tree."""

    def keys(self) -> KeysView[PropertyKey]:
        """Returns the names at the top of the tree."""

    def values(self) -> ValuesView[Any]:
        """Returns the values at the top of the tree."""

    def items(self) -> ItemsView[PropertyKey, Any]:
        """Returns the names with their values."""

    def get(self, key: PropertyKey, default: Any = None) -> Any:
        """Reads a property like properties[key]; returns default if there is none."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole tree in Python's own types."""

    def to_json(self, indent: int | None = None) -> str:
        """Returns the whole tree as the text of a JSON object; indent as in json.dumps."""

    def source(self, key: PropertyKey) -> PropertySource:
        """Returns a value's source: the driver, a device file with the documents that it cites,
        or other values.

        key is a name, a member of nexus.property, or a path of both. A subtree has the
        sources of all its values. Raises PropertyNotFoundError if there is no such value.
        """

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

@final
class Runtime:
    """A backend that was loaded and has a device.

    Made by nexus.get_runtimes() and nexus.get_runtime(name).
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def name(self) -> str:
        """The backend's name, such as 'cpu'."""

    def get_devices(self) -> ObjectList[Device]:
        """Returns the backend's devices."""

    def get_device(self, id: int = 0) -> Device:
        """Returns the device at an index, from 0 on. Raises NexusError if there is none."""

@final
class Device:
    """A device. Its methods create all objects on it.

    Made by nexus.get_device(selector) and Runtime.get_devices().
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def selector(self) -> str:
        """The device's name in Nexus, such as 'cpu:0'."""

    @property
    def runtime(self) -> Runtime:
        """The device's runtime."""

    @property
    def default_stream(self) -> Stream:
        """The stream that functions use if none is given."""

    def get_info(self) -> Properties:
        """Returns the device file's values, overridden by those of the driver."""

    def synchronize(self, timeout: float | None = None) -> None:
        """Waits for all work submitted to the device, at most timeout seconds; None waits
        forever. Raises TimeoutError (also a NexusError), or, when all streams are done,
        NexusError with the first failure.
        """

    @property
    def name(self) -> str:
        """The device's name for people, such as 'NVIDIA H200'. Raises PropertyNotFoundError if
        the device does not have it, as do vendor, architecture, memory_size and
        compute_units. `properties` has all properties.
        """

    @property
    def vendor(self) -> str:
        """The company that makes the device: 'AMD', 'NVIDIA'."""

    @property
    def architecture(self) -> str:
        """The architecture, as the compiler names it: 'znver4', 'sm_90', 'gfx1100'."""

    @property
    def memory_size(self) -> int:
        """The size of the device's main memory in bytes."""

    @property
    def compute_units(self) -> int:
        """The number of cores that run work items independently: a GPU's multiprocessors, a
        CPU's cores.
        """

    @property
    def backend(self) -> str:
        """The name of the device's backend: 'cpu', 'cuda'."""

    def create_buffer(
        self,
        data: BufferSource,
        dtype: DTypeLike | None = None,
        memory: Memory | None = None,
        *,
        shareable: bool = False,
    ) -> Buffer:
        """Creates a buffer.

        data is a number of bytes (of elements if dtype is given), a shape (a tuple; float32
        if dtype is None), or an array, whose elements, shape and dtype are copied (numpy, the
        buffer protocol, an array interface, DLPack; also from another device). memory is
        'device', 'host' or 'managed'; None means the device's default. shareable=True creates
        a buffer that can be pickled to other processes, which then use the same memory
        (nexus.capability.ShareableMemory).

        Raises TypeError for a list or a bool, ValueError for a size below 0, NexusError if
        there is not enough memory.
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
        """Creates a buffer that uses another library's memory on this device in place.

        handle is the driver's handle: an address, or an object of the driver. data is a
        number of bytes or a shape, as in create_buffer; offset is in bytes. owner is kept
        alive while the memory is in use. The caller must order other libraries' work on the
        memory. Raises NexusError if the backend does not support it
        (nexus.capability.ForeignMemory) or the driver does not know the memory.
        """

    def copy_buffer(self, buffer: Buffer) -> Buffer:
        """Creates a buffer on this device with the contents, shape and dtype of another, which
        may be on any device.
        """

    def load_library(
        self,
        source: Catalog | ObjectCode | str | os.PathLike[str] | bytes | bytearray | memoryview,
        name: str | None = None,
        version: str | None = None,
    ) -> Library:
        """Loads a library of kernels: object code, the path of a file (also one that
        ObjectCode.save wrote), or a file's bytes. Raises FileNotFoundError (also a
        NexusError) for a missing file, NexusError if it is not a library for the device.

        With name, source is a kernel catalog or its path, and the best build of that library
        for the device is loaded: one for its architecture, else another that it can load,
        else the source, which is compiled. version chooses a version; None takes the newest.
        library.get_info() describes the choice. Raises ValueError if the catalog has no such
        library, NexusError if none of its builds fits the device, or a file was changed.

        The library's tables are checked before the system loads it, but not its code: load
        untrusted libraries in a separate process, as `nexus run --isolate` does. Object code
        has a checksum.
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

        source, language and name are as in nexus.Program, or source is a Program. Pass
        options as a ProgramOptions or as keywords: device.compile(source, fast_math=True).
        Uses cached code if there is any.

        Raises CompileError if the program can't be compiled, and the errors of Program and
        Program.compile.
        """

    def create_schedule(self) -> Schedule:
        """Creates an empty schedule."""

    def create_stream(
        self,
        priority: int = 0,
        *,
        foreign: CudaStream | int | None = None,
    ) -> Stream:
        """Creates a stream. Lower priority numbers run first; 0 is normal.

        foreign wraps another library's stream and keeps it alive: an object with
        __cuda_stream__ (CuPy, numba, torch, cuda.core), or a native handle. Work of both
        libraries runs in the order of submission. Raises ValueError for a priority if the
        backend has none (nexus.capability.StreamPriority), NexusError if it can't wrap
        streams (nexus.capability.ForeignStream).
        """

    def create_event(
        self,
        event_type: int = 0,
        timing: bool = False,
        *,
        shareable: bool = False,
    ) -> Event:
        """Creates an event. event_type is a member of nexus.event_type; the default is Shared.

        timing records the times of signals in streams, for Event.elapsed_ms(). shareable
        creates a Signal or Fence event that can be pickled to other processes, which can wait
        for its signals in this process's streams (nexus.capability.ShareableEvents). Raises
        NexusError (NXS_NotSupported) if the backend does not support the requested option.
        """

    def get_buffers(self) -> ObjectList[Buffer]:
        """Returns the device's live buffers that are not closed, oldest first."""

    def get_libraries(self) -> ObjectList[Library]:
        """Returns the device's live libraries that are not closed, oldest first."""

    def get_streams(self) -> ObjectList[Stream]:
        """Returns the device's live streams that are not closed, oldest first, without the
        default stream.
        """

    def get_events(self) -> ObjectList[Event]:
        """Returns the device's live events that are not closed, oldest first."""

    def get_schedules(self) -> ObjectList[Schedule]:
        """Returns the device's live schedules that are not closed, oldest first."""

    @property
    def memory_used(self) -> int:
        """The total size in bytes of this process's buffers on the device."""

    @property
    def memory_peak(self) -> int:
        """The largest memory_used since the process began, or since reset_memory_peak()."""

    @property
    def memory_reserved(self) -> int:
        """The bytes that the backend holds for buffers, including free memory kept for new ones."""

    def trim_memory(self, keep: int = 0) -> None:
        """Returns free memory to the driver until the backend keeps at most this many bytes."""

    @property
    def release_threshold(self) -> int | None:
        """The bytes given to set_release_threshold(); None, the default, keeps all memory."""

    def set_release_threshold(self, bytes: int | None) -> None:
        """Limits the memory that the backend holds for buffers. While it holds more than this
        many bytes (memory in use included), it returns free memory to the driver at each wait
        for work and each release of an idle buffer.

        0 keeps nothing; None, the default, keeps all until trim_memory().
        """

    def reset_memory_peak(self) -> None:
        """Sets memory_peak to the current memory_used."""

    @property
    def memory_resource(self) -> MemoryResource:
        """The allocator of new buffers with memory None or 'device', including those of zeros(),
        copy_buffer() and similar functions: any object with allocate(size) and
        deallocate(address, size), such as a pool or a resource of RMM.

        The default is a DeviceMemoryResource, the backend's own allocator; None restores it.
        The backend always allocates shareable buffers and the scratch memory of schedules
        itself. Raises NexusError (NXS_NotSupported) if the backend does not refer to memory
        by its address.
        """

    @memory_resource.setter
    def memory_resource(self, resource: MemoryResource | None) -> None: ...
    def create_memory_pool(
        self,
        resource: MemoryResource | None = None,
        *,
        max_size: int | None = None,
        release_threshold: int | None = None,
    ) -> MemoryPool:
        """Creates a pool that reuses freed memory for new buffers. To use it, set it as the
        memory_resource.

        resource is the allocator from which the pool gets memory; None means the backend's
        own. max_size limits the bytes that the pool holds. While it holds more than
        release_threshold bytes, it returns freed memory to resource. None means no limit.
        """

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

@final
class Buffer:
    """Memory of a device, with a dtype and a shape.

    Made by Device.create_buffer(), and as a system buffer by nexus.create_buffer().
    numpy.asarray(buffer), memoryview(buffer) and from_dlpack(buffer) of numpy, torch and jax
    share its memory, if the host can access it.
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    def close(self) -> None:
        """Closes this buffer: any later use of it is an error. Slices and schedules that use the
        memory keep it; it is freed after the last of them and after all work that uses it.
        Raises BufferError while views of it are alive. A second call does nothing.
        """

    def __enter__(self) -> Self:
        """Returns the object, which the end of the with statement closes."""

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
    def readonly(self) -> bool:
        """True if the buffer can't be written, such as the memory of a jax array from
        from_dlpack().

        Kernels accept it for parameters that are pointers to const, such as 'const float *'.
        """

    @overload
    def copy(self) -> Buffer: ...
    @overload
    def copy(
        self,
        host: WritableArray,
        stream: Stream | None = None,
        blocking: bool = True,
    ) -> None:
        """Copies the buffer's contents into a host array of equal dtype and bytes, which may
        have strides, and returns None. copy() returns a new buffer with the contents, on the
        same device.

        Without a stream the copy starts after all submitted work that uses the buffer. With
        blocking=False it returns at once; the array is kept alive, and has the contents when
        the stream has done the copy. Raises TypeError for another dtype, ValueError for
        another size or an array that is read-only; with blocking=False also for one that is
        not C-contiguous.
        """

    def copy_from(
        self,
        array: Array | Buffer,
        stream: Stream | None = None,
        blocking: bool = True,
    ) -> None:
        """Copies a host array, or another buffer, of equal dtype and bytes into the buffer.

        With blocking=False it returns at once; the array is kept alive, and must not change
        until the stream has done the copy. A buffer may be of another device: stream is then
        one of either device, and None uses the default streams of both. Raises the errors of
        copy.
        """

    def fill(self, value: Number, stream: Stream | None = None, blocking: bool = True) -> None:
        """Sets every element to value; every byte if the buffer has no dtype.

        Raises ValueError if value does not fit the dtype.
        """

    @property
    def nbytes(self) -> int:
        """The total size of the elements in bytes."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension, outermost first; for plain bytes, the number of bytes."""

    @property
    def dtype(self) -> DType | Any | None:
        """The name of the elements' type, such as 'float32', a str that also equals
        numpy.float32 and torch.float32; numpy's dtype if it is structured; None for plain
        bytes.
        """

    @property
    def size(self) -> int:
        """The number of elements."""

    @property
    def ndim(self) -> int:
        """The number of dimensions."""

    @property
    def itemsize(self) -> int:
        """The size of one element in bytes. Raises TypeError for 4-bit types, two of which share
        a byte.
        """

    @property
    def strides(self) -> tuple[int, ...]:
        """The distance in bytes between neighbouring elements along each dimension. Raises
        NexusError for 4-bit types.
        """

    @property
    def is_contiguous(self) -> bool:
        """True if the elements are in C order without gaps, as kernels and schedules need: see
        ascontiguous().
        """

    @property
    def T(self) -> Buffer:
        """The same memory with the dimensions in reverse order."""

    def __getitem__(self, key: SliceKey, /) -> Buffer:
        """Returns a part of the buffer, which shares its memory and keeps it alive: buffer[3],
        buffer[2:8, ::2].

        Takes numpy's basic indices: ints, slices, ... and None, or the name of a field of
        structured elements. One element is a buffer of shape (); item() gives its value. A
        part with gaps can't be an argument of a kernel: see ascontiguous(). Raises TypeError
        for other keys, IndexError for an int out of range and for more indices than
        dimensions.
        """

    def __setitem__(self, key: SliceKey, value: Buffer | Array | Number, /) -> None:
        """Copies a number, an array or a buffer into a part of the buffer, and waits.

        The value is converted to the dtype and repeated along missing dimensions, as numpy
        does. Raises ValueError if its shape does not fit.
        """

    def __len__(self) -> int:
        """Returns the length of the first dimension. Raises TypeError if there is none."""

    def __iter__(self) -> Iterator[Buffer]:
        """Returns the parts along the first dimension: buffer[0], buffer[1] and so on."""

    def __bool__(self) -> bool:
        """Returns whether the buffer's one element is true. Raises ValueError for another number
        of elements.
        """

    def __int__(self) -> int:
        """Returns the buffer's one element."""

    def __float__(self) -> float:
        """Returns the buffer's one element."""

    def item(self) -> Any:
        """Returns the buffer's one element as a Python number. Raises ValueError for another
        number of elements.
        """

    def __str__(self) -> str:
        """Returns the values as numpy prints them. Copies only the values that are shown."""

    def reshape(self, *shape: SupportsIndex | tuple[SupportsIndex, ...]) -> Buffer:
        """Returns a buffer over the same memory with another shape. One length may be -1.

        Raises ValueError if the number of elements differs or the buffer is not contiguous.
        """

    def ascontiguous(self) -> Buffer:
        """Returns the buffer if its elements are in C order without gaps, else a copy on the
        same device in which they are.
        """

    def astype(self, dtype: DTypeLike) -> Buffer:
        """Returns a copy on the same device with the elements converted to a dtype.

        A kernel converts them. The host converts them on CPU devices, if the device can't
        compile, and for dtypes that algorithms do not support. A number that the dtype can't
        hold becomes an arbitrary one, as in C and numpy.
        """

    def view(self, dtype: DTypeLike) -> Buffer:
        """Returns a buffer over the same memory with another dtype, like numpy's view().

        The length of the last dimension changes with the size of an element. Raises
        ValueError if the last dimension's bytes are not a multiple of the new size.
        """

    __contains__: None

    def numpy(self) -> ndarray[Any, Any]:
        """Returns a new numpy array with the contents, after all submitted work that uses the
        buffer.
        """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> ndarray[Any, Any]:
        """Waits for pending work and returns an array that shares the memory, if the host can
        access it.
        """

    def __jax_array__(self) -> Any:
        """Implements jax.numpy.asarray(buffer): an array that shares the memory if jax can, else
        a copy.
        """

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The array interface, version 3, after waiting for pending work. Its pointer is valid
        while the buffer is alive and not closed. Raises AttributeError for a dtype that the
        interface lacks, such as bfloat16, and if the host can't access the memory.
        """

    @property
    def __array_struct__(self) -> Any:
        """Not supported: raises AttributeError."""

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

        The capsule shares the memory and keeps it alive; it is versioned if max_version is at
        least (1, 0). For host memory the call waits until all submitted work that uses it is
        done. For a device's memory, stream is the consumer's stream as a number, as DLPack
        defines it (None means the default stream, -1 no ordering): its later work waits for
        that work. copy=True exports a copy. dl_device is (1, 0) for the host, the buffer's
        own device, or None. Raises BufferError for a dtype that DLPack lacks, for another
        device, and if the host can't access the memory and copy is False.
        """

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns DLPack's type and number of the memory's device: (1, 0) for the host, (2, n)
        for CUDA device n, and so on. Raises BufferError if DLPack has no type for it.
        """

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The CUDA array interface, version 3, for libraries such as numba. Its stream waits for
        all submitted work on the buffer. Raises AttributeError on other devices.
        """

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    def __buffer__(self, flags: int, /) -> memoryview:
        """memoryview(buffer): shares the memory where the host sees it."""

def buffer_bytes(buffer: Buffer) -> memoryview:
    """Returns a view of the memory as plain bytes, from the lowest to the highest element, for
    dtypes that the buffer protocol lacks.
    """

def first_byte(buffer: Buffer) -> int:
    """Returns the offset in bytes of the element at index 0 from the lowest element."""

def dtype_name(dtype: DTypeLike, parameter: str) -> Any:
    """Returns a dtype's name, such as 'float32'; numpy's dtype if it is structured. Raises
    TypeError or ValueError with the parameter's name.
    """

def create_system_buffer(data: BufferSource, dtype: DTypeLike | None = None) -> Buffer:
    """See nexus.create_buffer."""

def from_dlpack(x: Any, device: Device | None, stream: Stream | None, writable: bool) -> Buffer:
    """See nexus.from_dlpack."""

def import_buffer(
    device: Device,
    handle: bytes,
    offset: int,
    nbytes: int,
    data_type: int,
    shape: tuple[int, ...],
) -> Buffer:
    """Opens a buffer that another process shares."""

def part_of_memory(
    buffer: Buffer,
    offset: int,
    size: int,
    dtype: str | None,
    shape: tuple[int, ...],
) -> Buffer:
    """Returns a part of a buffer's memory, given in bytes."""

@final
class DeviceMemoryResource:
    """The backend's own allocator for a device.

    It is Device.memory_resource unless you set another.
    """

    def allocate(self, size: int) -> int:
        """Allocates memory and returns its address, for resources built on this one. Raises
        NexusError if there is not enough memory.
        """

    def deallocate(self, address: int, size: int) -> None:
        """Frees memory from allocate(), which no work may use any more. Raises NexusError for an
        address that is not in use.
        """

    @property
    def used(self) -> int:
        """The bytes in use."""

    @property
    def peak(self) -> int:
        """The largest value of used, since reset_peak() if that was called."""

    @property
    def reserved(self) -> int:
        """The bytes held, including free memory kept for new buffers."""

    def reset_peak(self) -> None:
        """Sets peak to the current value of used."""

    def trim(self, keep: int = 0) -> None:
        """Returns free memory until at most this many bytes are held."""

    def __repr__(self) -> str:
        """Returns a short description."""

@final
class MemoryPool:
    """Keeps the memory of freed buffers and reuses it for new ones.

    Made by Device.create_memory_pool(). Blocks are multiples of 512 bytes; a free one is used
    for a request of at least four fifths of its size.
    """

    def allocate(self, size: int) -> int:
        """Allocates memory and returns its address, for resources built on this one. Raises
        NexusError if there is not enough memory.
        """

    def deallocate(self, address: int, size: int) -> None:
        """Frees memory from allocate(), which no work may use any more. Raises NexusError for an
        address that is not in use.
        """

    @property
    def used(self) -> int:
        """The bytes in use."""

    @property
    def peak(self) -> int:
        """The largest value of used, since reset_peak() if that was called."""

    @property
    def reserved(self) -> int:
        """The bytes held, including free memory kept for new buffers."""

    def reset_peak(self) -> None:
        """Sets peak to the current value of used."""

    def trim(self, keep: int = 0) -> None:
        """Returns free memory until at most this many bytes are held."""

    @property
    def allocations(self) -> int:
        """The number of blocks in use."""

    def __repr__(self) -> str:
        """Returns a short description."""

@final
class ObjectCode:
    """A compiled program, with the descriptions of its kernels. Can be pickled.

    Made by Program.compile(target) and ObjectCode.load(path); Device.load_library(code) makes
    a library of it.
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def code(self) -> bytes:
        """The code's bytes, which Device.load_library accepts."""

    @property
    def name(self) -> str:
        """The program's name."""

    @property
    def runtime(self) -> str:
        """The backend that compiled the code and can load it, such as 'cpu'."""

    @property
    def target(self) -> str:
        """The architecture that the code is for, in full."""

    @property
    def format(self) -> str:
        """The code's format, such as 'elf'."""

    @property
    def log(self) -> str:
        """The compiler's output, such as warnings; often empty."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The compiler's flags, without the names of files."""

    @property
    def origin(self) -> str:
        """The code's origin: 'compiled' in this call, 'memory' or 'disk' (the caches), or 'file'
        (loaded or unpickled).
        """

    @property
    def kernels(self) -> tuple[KernelDescription, ...]:
        """The kernels; empty if this machine can't read the code, such as code for another
        architecture.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the object code to a file, atomically. Raises FileNotFoundError if the folder
        does not exist.
        """

    @staticmethod
    def load(path: str | os.PathLike[str]) -> ObjectCode:
        """Reads a file that save() wrote, also of another process or version. Raises
        FileNotFoundError (also a NexusError) if it does not exist, NexusError if it is not
        object code, truncated, changed, not a regular file, or larger than 1 GiB.
        """

@final
class Library:
    """A loaded library of kernels.

    Made by Device.load_library(source).
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    def close(self) -> None:
        """Closes the library. Its kernels and their work stay valid. A second call does nothing."""

    def __enter__(self) -> Self:
        """Returns the object, which the end of the with statement closes."""

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

    def get_info(self) -> Properties:
        """Returns what a kernel catalog says about the library: its name, version, kernels and
        licence, and the build that was chosen. Empty if the library is not from a catalog.
        """

    def get_kernel(self, name: str) -> Kernel:
        """Returns the kernel of that name. Raises NexusError if there is none; the text names
        similar ones.
        """

    def get_global(self, name: str, dtype: DTypeLike | None = None) -> Buffer:
        """Returns a buffer over the memory of a variable of the library, such as a table in
        constant memory. Kernels read what you write to it.

        name is the variable's symbol: its name in the source if it is outside of functions
        and namespaces. dtype is the type of its elements; None means plain bytes. The buffer
        keeps the code loaded. A copy or fill without a stream waits for all work submitted to
        the device. Raises NexusError if there is no such variable, if it can't be written, or
        if the backend has no access to variables (nexus.capability.Globals).
        """

    def get_kernels(self) -> ObjectList[Kernel]:
        """Returns the library's kernels, sorted by name. Raises PropertyNotFoundError if the
        backend can't list them.
        """

def set_library_info(library: Library, info: str) -> None:
    """Sets what Library.get_info() returns, a JSON object."""

@final
class Kernel:
    """A function that runs on a device. Keeps its library alive.

    Made by Library.get_kernel(name) and Library.get_kernels().
    """

    def __call__(
        self,
        *args: KernelArgument,
        grid: Size,
        group: Size | None = None,
        stream: Stream | None = None,
        blocking: bool = True,
        local_memory: int = 0,
        **named: KernelArgument,
    ) -> None:
        """Runs the kernel: kernel(x, y, 2.0, n, grid=n), or with names kernel(x, y, n=n, a=2.0,
        grid=n).

        grid is the number of work items, not of groups. group is the number of work items in
        a group; None leaves it to the backend. Each is an int or up to three ints, x first.
        local_memory is the number of bytes for each group, in addition to local memory
        arguments. stream and blocking are as in Schedule.run(). If an argument of the kernel
        has one of these names, pass it by position.

        Buffers and numbers are passed as by Command.set_arg(); for a local memory argument,
        pass the number of bytes for each group. An array in host memory is copied to the
        device before and, unless the kernel's parameter points to const, back after:
        nexus.In(array), nexus.Out(array) and nexus.InOut(array) say which. A device that uses
        host memory in place, such as the CPU, needs no copies. With blocking=False the array
        is in use until you have waited for the stream.

        A call records a schedule, and later calls with the same stream, sizes and kinds of
        arguments reuse it. The kernel keeps up to 16 of these schedules; they do not keep the
        memory of buffers alive. Any thread may call. Raises TypeError for missing, surplus
        and duplicate arguments, ValueError for an unknown name, and the errors of
        Command.set_arg(), Command.finalize() and Schedule.run().
        """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    @property
    def name(self) -> str:
        """The kernel's name."""

    def __getitem__(self, sizes: Size | tuple[Size, Size | None], /) -> Callable[..., None]:
        """Returns a callable with this grid and group: kernel[grid, group](x, y) is kernel(x, y,
        grid=grid, group=group), and kernel[grid](x, y) leaves the group to the backend.
        """

    @property
    def device(self) -> Device:
        """The kernel's device."""

    def get_info(self) -> Properties:
        """Returns what a kernel catalog says about the kernel: arguments, group size and tuning
        parameters. Empty if its library is not from a catalog.
        """

    @property
    def arguments(self) -> tuple[Argument, ...] | None:
        """The kernel's arguments in order: name, kind, dtype, type and size. None if the code
        does not describe them.
        """

    @property
    def attributes(self) -> KernelAttributes:
        """The kernel's required and largest group size, its local memory, and the other
        resources that the driver reports.
        """

    def get_occupancy(
        self,
        group_size: Size | None = None,
        local_memory: int = 0,
        *,
        cluster_size: Size | None = None,
    ) -> Occupancy:
        """Returns how many groups of the kernel the device runs at the same time, without
        launching it.

        group_size is an int or up to three ints; None takes the size that keeps the device
        busiest, which the result contains. local_memory is the number of bytes for each group
        in addition to what the kernel declares, including local memory arguments.
        cluster_size is in groups; None means no clusters, or the size that the kernel was
        compiled for.

        Raises NexusError: NXS_NotSupported if the backend does not report occupancy or has no
        clusters; NXS_OutOfResources for more local memory than the device has. Raises
        ValueError for a group size that the kernel does not allow.
        """

def kernel_code(kernel: Kernel) -> bytes:
    """Returns the code that the kernel's library was loaded from."""

def uses_host_memory(device: Device) -> bool:
    """Returns whether calls of kernels use the memory of contiguous arrays, instead of copies."""

@final
class Stream:
    """An ordered queue of a device's work. Work in one stream runs in order; across streams it
    does not, unless events order it.

    Made by Device.create_stream(); functions without a stream use Device.default_stream.
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    def close(self) -> None:
        """Closes the stream; submitted work goes on. A second call does nothing. Raises
        NexusError for a device's default stream.
        """

    def __enter__(self) -> Self:
        """Returns the object, which the end of the with statement closes."""

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
        """True if all work submitted so far is done."""

    def synchronize(self, timeout: float | None = None) -> None:
        """Waits for all work submitted so far, at most timeout seconds; None waits forever.
        Raises TimeoutError (also a NexusError), or NexusError with the cause if work in the
        stream failed.
        """

    def signal(self, event: Event, value: int = 1) -> None:
        """Sets the event to value when the stream's earlier work is done. Returns at once.
        Raises ValueError if value is below the event's current value. If the event has passed
        value by then, nothing changes.
        """

    def wait(self, event_or_stream: Event | Stream, value: int = 1) -> None:
        """Makes the stream's later work wait until the event reaches value, or until all work
        submitted to the other stream so far is done. Returns at once. If that work fails,
        this stream fails too.
        """

    def record(self) -> Event:
        """Returns a new Signal event that is signalled when the stream's earlier work is done.
        It has a time for Event.elapsed_ms(), if the backend has timing.
        """

    def add_callback(self, function: Callable[[NexusError | None], object]) -> None:
        """Calls function(error) when the stream's earlier work is done.

        error is None, or the NexusError of the work that failed. Callbacks run in order on
        one thread of Nexus; the stream's later work does not wait for them. Exceptions go to
        sys.unraisablehook. Callbacks that have not begun when the interpreter exits are
        dropped.
        """

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    def __cuda_stream__(self) -> tuple[int, int]:
        """Returns the protocol's version, 0, and the native handle, for CUDA libraries. Raises
        TypeError on other devices.
        """

@final
class Event:
    """By default, a 64-bit counter that only grows. Streams and the host signal values, and wait
    for values.

    Made by Device.create_event() and Stream.record().
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    def close(self) -> None:
        """Closes the event. Work that waits for it fails with NXS_Cancelled. A second call does
        nothing.
        """

    def __enter__(self) -> Self:
        """Returns the object, which the end of the with statement closes."""

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
        """The current value."""

    @property
    def is_done(self) -> bool:
        """True if there was a signal, and all signals submitted so far have happened. Raises
        NexusError with the cause if one failed.
        """

    @property
    def type(self) -> EventType:
        """A member of nexus.event_type."""

    def signal(self, value: int = 1) -> Status:
        """Sets the value from the host. Raises ValueError if it is below the current value.
        Returns NXS_Success.
        """

    def wait(self, value: int = 1, timeout: float | None = None) -> Status:
        """Waits until the event reaches value, at most timeout seconds; None waits forever.
        Returns NXS_Success. Raises TimeoutError (also a NexusError), or NexusError with the
        cause if the work before the signal failed.
        """

    def elapsed_ms(self, start: Event) -> float:
        """Returns the milliseconds on the device's clock from start's newest signal to this
        event's newest signal.

        Both events must be of one device, timed (from Stream.record(), or made with
        timing=True), and signalled in streams. Raises NexusError with
        NXS_ProfilingInfoNotAvailable if one is not timed, or NXS_InvalidOperation if one was
        not signalled in a stream or its signal has not happened yet; the text tells which.
        Raises ValueError if start was signalled after this event.
        """

def import_event(device: Device, handle: bytes) -> Event:
    """Opens an event that another process shares."""

@final
class Command:
    """One step of a schedule. A kernel command needs its arguments and finalize() before the
    schedule runs.

    Made by Schedule.create_command() and the other create_ methods.
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    def set_buffer(self, index: int | str, buffer: Buffer | Array) -> None:
        """Sets the kernel's argument with this index or name to a buffer. After the first run,
        the change applies to later runs. Raises ValueError if the buffer's dtype differs from
        the parameter's; see set_arg().

        For a copy command, index 0 is the destination and 1 the source, each a buffer or an
        array in host memory; the size can't change. For a fill command, index 0 is the
        buffer.
        """

    def set_arg(
        self,
        index: int | str,
        value: Buffer | Number,
        dtype: DTypeLike | None = None,
    ) -> None:
        """Sets the kernel's argument with this index or name to a buffer or a value. After the
        first run, the change applies to later runs.

        If the kernel describes its parameters, a buffer must have the parameter's dtype
        (Buffer.view() casts) or none. Numbers are converted to the parameter's type by value:
        a float is rounded to its precision, and a number out of range raises ValueError. For
        other kernels, dtype or a numpy or ctypes scalar gives the type.

        A vector is a tuple, list or array of its components: (1, 2, 3, 4) for nexus_float4.
        Vectors, structs and numbers can also be given as bytes of exactly their size: bytes,
        a ctypes structure, a structured numpy scalar.

        Raises TypeError if the type is unknown, if dtype or a ctypes scalar does not match
        the parameter, or for a value of the wrong kind, such as a float for an integer.
        Raises ValueError for a number out of range, a wrong size, or a buffer of another
        dtype.

        For a fill command, index 0 is the buffer, and 1 the value of each element.
        """

    def set_local_memory(self, index: int | str, size: int) -> None:
        """Sets the kernel's argument with this index or name to local memory of size bytes for
        each group.
        """

    def get_buffer(self, index: int | str) -> Buffer:
        """Returns a buffer over the memory to which the kernel's argument with this index or
        name was last set. For a copy command, index 0 is dst and 1 is src; for a fill command
        or a condition, 0 is the buffer. Raises ValueError if there is no buffer at that
        index.
        """

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

        group_size is the number of work items in a group; None leaves it to the backend.
        grid_size is the total number of work items; alternatively, group_count is the number
        of groups. Each is an int or up to three ints, x first. local_memory is the number of
        bytes for each group, in addition to local memory arguments.

        cluster_size is the number of groups in a cluster, which run at the same time and can
        access each other's local memory; only whole clusters are launched. None means no
        clusters, or the size that the kernel was compiled for. cooperative_launch runs all
        groups at the same time, so that they can wait for each other; Kernel.get_occupancy()
        returns how many can. programmatic_launch lets the kernel begin before the stream's
        previous kernel has ended; the kernel itself must wait for the previous one before it
        uses its results and before it ends (on CUDA: programmatic dependent launch,
        cudaGridDependencySynchronize()). See the device's properties ClusterLaunch,
        CooperativeLaunch and ProgrammaticLaunch.

        A grid of 0 work items is allowed: the command does nothing.

        Raises ValueError for a group size below 1, a grid size below 0 or sizes beyond the
        device's limits, NexusError or TypeError for arguments that are missing, surplus or of
        the wrong kind, and NexusError (NXS_NotSupported) if the backend or device does not
        support this kind of launch.
        """

    @property
    def group_size(self) -> tuple[int, int, int] | None:
        """The number of work items in a group in x, y and z, as given or as chosen by the
        backend; None before finalize().
        """

    @property
    def grid_size(self) -> tuple[int, int, int] | None:
        """The requested number of work items in x, y and z; None before finalize()."""

    @property
    def group_count(self) -> tuple[int, int, int] | None:
        """The number of launched groups in x, y and z; None before finalize()."""

    def set_value(self, value: int, step: int | None = None) -> None:
        """Sets the value of a signal or wait command: the schedule's next run uses value, the
        run after that value + step, and so on. A step of None means 1. Runs in flight keep
        their values. Raises NexusError for other commands.
        """

    def get_kernel(self) -> Kernel:
        """Returns the kernel of a kernel command. Raises NexusError for others."""

    def get_event(self) -> Event:
        """Returns the event of a signal or wait command. Raises NexusError for others."""

    def get_bodies(self) -> ObjectList[Schedule]:
        """Returns the schedules of an if command (then and, if given, otherwise), a while
        command (its body) or a switch command (its cases). Raises NexusError for others.
        """

    def get_schedule(self) -> Schedule:
        """Returns the schedule that a schedule command runs. Raises NexusError for others."""

    @property
    def enabled(self) -> bool:
        """Whether runs execute the command; True by default. A disabled command does nothing in
        later runs; the other commands keep their order. Runs in flight do not change. The
        first run after a change prepares the commands again.
        """

    @enabled.setter
    def enabled(self, enabled: bool) -> None: ...
    def remove(self) -> None:
        """Removes the command from its schedule, as if it had not been added. It can't be used
        afterwards. Raises NexusError (NXS_InvalidOperation) while a run of the schedule is in
        flight.
        """

    @property
    def type(self) -> CommandType:
        """A member of nexus.command_type."""

def describe_command(command: Command) -> str:
    """Returns what a command has recorded, as JSON."""

def set_scalar(command: Command, index: int, data: bytes, dtype: str | None) -> None:
    """Sets a kernel's argument to a scalar of these bytes."""

def begin_parallel(schedule: Schedule) -> None:
    """Begins the block of parallel()."""

def end_parallel(schedule: Schedule) -> None:
    """Ends the block of parallel()."""

def begin_capture(schedule: Schedule, stream: Stream) -> None:
    """Begins capture()."""

def end_capture(schedule: Schedule, stream: Stream, after: Iterable[Command] | None) -> Command:
    """Ends capture(), with a command."""

def drop_capture(stream: Stream) -> None:
    """Ends capture(), without a command."""

def set_after(schedule: Schedule, after: Iterable[Command]) -> None:
    """Sets the commands that the next command follows."""

@final
class Schedule:
    """Commands that run in order, or in branches, recorded once and run many times. Keeps alive
    what they use.

    Made by Device.create_schedule(). Only one thread may record at a time; any thread may run
    it.
    """

    def __nexus_object__(self) -> object:
        """Returns a capsule with the object of libnexus, for extensions that use
        <nexus/python.hpp>.
        """

    def get_property(self, key: PropertyKey) -> Any:
        """Reads a property in its own type: str, int, float, a list of them, or a dict or list
        of dicts for structured ones.

        key is a name ('Vendor'), a member of nexus.property, or a path: a list of both, with
        ints as indices of lists. Raises PropertyNotFoundError, a RuntimeError, if there is no
        such property; the text names similar keys.
        """

    def get_property_str(self, key: PropertyKey) -> str:
        """Reads a property as str. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_int(self, key: PropertyKey) -> int:
        """Reads a property as int. Raises PropertyNotFoundError if the object does not have it,
        or not as that type.
        """

    def get_property_flt(self, key: PropertyKey) -> float:
        """Reads a property as float. Raises PropertyNotFoundError if the object does not have
        it, or not as that type.
        """

    def get_property_str_vec(self, key: PropertyKey) -> list[str]:
        """Reads a property as list[str]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_int_vec(self, key: PropertyKey) -> list[int]:
        """Reads a property as list[int]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_flt_vec(self, key: PropertyKey) -> list[float]:
        """Reads a property as list[float]. Raises PropertyNotFoundError if the object does not
        have it, or not as that type.
        """

    def get_property_keys(self) -> list[str]:
        """Returns the names of the object's properties."""

    @property
    def properties(self) -> PropertyView:
        """A mapping from the properties' names to their values, each read when it is accessed."""

    def __eq__(self, other: object, /) -> bool:
        """Returns whether both are the same object of Nexus."""

    def __hash__(self) -> int:
        """Returns a hash that fits ==."""

    def __repr__(self) -> str:
        """Returns a short description."""

    @property
    def native_handle(self) -> int:
        """The driver's own handle, for other libraries: an address or a number, valid while the
        object lives. Raises NexusError (NXS_NotSupported) if the backend has none.
        """

    def __str__(self) -> str:
        """Returns the commands in order, one per line, with the commands of nested schedules
        indented, and the buffers.
        """

    def to_dot(self) -> str:
        """Returns the schedule as a graph in Graphviz' language DOT: a node for each command, an
        edge from each to the next, a box around each nested schedule.
        """

    def describe(self) -> dict[str, Any]:
        """Returns what was recorded as plain data: dicts, lists, str, bytes and numbers, which
        can be pickled. It has the code of the kernels, the commands with their arguments, and
        the sizes of the buffers, but not their contents; nested schedules too. Raises
        NexusError if one of them was closed, or if the file of a library can't be read any
        more.
        """

    @staticmethod
    def from_description(device: Device, description: Mapping[str, Any]) -> Schedule:
        """Creates a schedule from the result of describe(), also from another process: on a
        device of the same backend and architecture, with new buffers, which are filled with
        zeros, and new events. Command.get_buffer() and get_event() return them.

        The code in a description is run as it is, so use only descriptions from sources that
        you trust. Raises ValueError with the place if the description is malformed or does
        not fit the device.
        """

    def close(self) -> None:
        """Closes the schedule; runs in flight go on, and schedules that contain it still run it.
        A second call does nothing.
        """

    def __enter__(self) -> Self:
        """Returns the object, which the end of the with statement closes."""

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

    def create_buffer(
        self,
        shape: SupportsIndex | tuple[SupportsIndex, ...],
        dtype: DTypeLike | None = None,
    ) -> Buffer:
        """Creates a scratch buffer: device memory for intermediate results that commands of this
        schedule pass to each other.

        Two scratch buffers may share memory if all uses of one come before all uses of the
        other, so the contents are undefined when a run begins. The first run, or prepare(),
        allocates the memory; the property ScratchSize is its size. Only commands of this
        schedule can use the buffer; a host function can copy and fill it if it is one of the
        args of create_host_command(). Any other use raises NexusError (NXS_InvalidOperation).
        shape and dtype are as in Device.create_buffer().
        """

    def clear(self) -> None:
        """Removes all commands; see Command.remove()."""

    def create_command(
        self,
        kernel: Kernel,
        args: Iterable[Buffer | Number] | ByArgument = (),
        group_size: Size | None = None,
        grid_size: Size | None = None,
        *,
        local_memory: int = 0,
        group_count: Size | None = None,
        cluster_size: Size | None = None,
        cooperative_launch: bool = False,
        programmatic_launch: bool = False,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that runs the kernel.

        args are set as by Command.set_arg(), in order or as a mapping from their names: {'x':
        x, 'a': 2.0}. If a size is given, the command is finalized too; see Command.finalize()
        for the options. If that fails, no command is added. Raises TypeError for an option
        without a size.

        after, in all create_ methods, lists earlier commands of this schedule. In each run
        the new command sees the effects of these commands and of those that they follow, and
        may run at the same time as all others. None means the previous command or, after
        parallel(), all commands of its block; [] means none.
        """

    def create_copy_command(
        self,
        dst: Buffer | WritableArray,
        src: Buffer | Array,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that copies src to dst, of the same size in bytes. One may be a buffer
        of another device or an array in host memory: numpy, or anything with the buffer
        protocol, __array_interface__ or DLPack.

        The schedule keeps the array, and each run reads or writes it when the run reaches the
        command; with blocking=False it is in use until the run is done. Raises ValueError for
        an array that is not C-contiguous, or read-only as dst.
        """

    def create_fill_command(
        self,
        buffer: Buffer,
        value: Number,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that sets every element of the buffer to value; every byte if it has no
        dtype.
        """

    def create_signal_command(
        self,
        event: Event,
        value: int = 1,
        step: int = 1,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that signals the event: run n signals value + (n - 1) * step."""

    def create_wait_command(
        self,
        event: Event,
        value: int = 1,
        step: int = 1,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that waits for the event: run n waits for value + (n - 1) * step."""

    def create_schedule_command(
        self,
        nested: Schedule,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that runs another schedule of the device, with the commands and
        arguments that it has when this schedule runs.

        A schedule may be in several others, and several times in one. Each time counts as a
        run of the nested schedule: its runs never overlap, its signal and wait commands use
        the values of that run, and no command can be added to it while a run is in flight.
        After nested.close(), this schedule still runs it. Raises NexusError
        (NXS_InvalidOperation) with the path if nested is this schedule or contains it.
        """

    def create_host_command(
        self,
        function: Callable[..., object],
        *args: object,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that calls function(*args) after the commands before it; those after it
        begin when it has returned.

        The function runs on a thread of Nexus. It may use Nexus and wait, but not for work
        that comes after it in the stream of the run: that raises NexusError
        (NXS_InvalidOperation). Its result is ignored. If it raises an exception, the rest of
        the run is skipped and the stream fails: waiting raises NexusError with the
        exception's text, and its traceback as __cause__. The schedule keeps function and args
        until it is closed; if they refer to the schedule, only close() frees them.
        """

    def create_if_command(
        self,
        condition: Buffer,
        then: Schedule,
        otherwise: Schedule | None = None,
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that runs the schedule then if condition[0] is not 0. If it is 0, the
        command runs the schedule otherwise; if that is None, it does nothing.

        condition is a buffer of int32 or uint32, which is read when the run reaches the
        command. The schedules are nested as by create_schedule_command(), and each counts one
        run for each run of this schedule. They may contain no signal and no wait command:
        raises NexusError (NXS_InvalidOperation), as run() does if one is added later.
        """

    def create_while_command(
        self,
        condition: Buffer,
        body: Schedule,
        *,
        max_count: int | None = None,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that runs body repeatedly while condition[0] is not 0, at most
        max_count times. condition[0] is read before each iteration.

        condition and body are as in create_if_command(), but condition can't be scratch
        memory, since body could not change it. A timeout of run(), or Ctrl-C, ends the wait,
        not the loop. The loop ends between two iterations when the stream is closed or the
        process ends.
        """

    def create_switch_command(
        self,
        selector: Buffer,
        cases: Iterable[Schedule],
        *,
        after: Iterable[Command] | None = None,
    ) -> Command:
        """Adds a command that runs cases[selector[0]]. If there is no such case, it does
        nothing.

        selector and cases are as in create_if_command().
        """

    def parallel(self) -> AbstractContextManager[None]:
        """Returns a context manager. Commands created in its block do not follow each other.

        Each command in the block follows the commands before the block, and the next command
        after the block follows all commands of the block. after=[...] of a command overrides
        this. Blocks can't be nested: inside a block, use after or a nested schedule.
        """

    def capture(
        self,
        stream: Stream | None = None,
        *,
        after: Iterable[Command] | None = None,
    ) -> AbstractContextManager[Stream]:
        """Returns a context manager that captures the work of other libraries. What they submit
        to the stream in the block does not run then; it becomes one command, the newest of
        get_commands().

        The with statement gives the stream. Pass its native_handle, or the stream itself if
        the other library accepts __cuda_stream__, to that library. None creates a stream for
        the block. Until the block ends, the stream accepts no work of Nexus. An exception
        ends the capture without a command. The memory that the work uses belongs to the other
        library: keep it alive, at its address, as long as the command can run.

        Supported on CUDA and HIP. Raises NexusError: NXS_NotSupported on other backends, and
        for work that allocates memory in the stream; NXS_InvalidOperation if a call, such as
        a wait for the stream, invalidated the capture.
        """

    def get_commands(self) -> ObjectList[Command]:
        """Returns the commands in the order in which they were created."""

    def prepare(self, stream: Stream | None = None) -> None:
        """Prepares the schedule for its first run in the stream, so that the first run is as
        fast as later ones. None means the device's default stream. Raises NexusError if a
        command is not finalized.
        """

    def run(
        self,
        stream: Stream | None = None,
        blocking: bool = True,
        timeout: float | None = None,
        timing: bool = False,
        *,
        times: int | None = None,
    ) -> None:
        """Submits a run of the commands to a stream; None means the device's default stream.

        A blocking run waits until the work is done, at most timeout seconds; None waits
        forever. blocking=False returns at once. timing measures the run's time on the device,
        for elapsed_ms. times submits that many runs, one after the other, faster than
        separate calls; the values of signal and wait commands step with each run, and timing
        measures all of them together. Raises TimeoutError (also a NexusError), while the run
        goes on, or NexusError with the cause of a failure.
        """

    @property
    def elapsed_ms(self) -> float:
        """The milliseconds that the newest run with timing=True took on the device's clock.
        Raises NexusError if there was none (NXS_ProfilingInfoNotAvailable), if it has not
        finished (NXS_InvalidOperation), or with the cause if it failed.
        """

def create_fill(schedule: Schedule, buffer: Buffer, pattern: bytes) -> Command:
    """Adds a fill with a pattern of bytes."""

def add_manifest(path: str, distribution: str) -> None:
    """Adds a backend by its manifest, without loading it."""

def add_failure(name: str, distribution: str, reason: str) -> None:
    """Adds the record of a backend that could not name a manifest."""

def discover() -> None:
    """Adds the backends in NEXUS_PLUGIN_PATH and those beside libnexus."""

def plugin_timeout() -> float:
    """Returns the seconds that a backend may take to start: NEXUS_PLUGIN_TIMEOUT, else 5."""

def check_backend_name(name: str, parameter: str) -> None:
    """Raises ValueError if no backend, found or built in, has the name."""

def set_config(key: str, value: str) -> None:
    """Sets a plug-in's setting."""

def runtimes() -> ObjectList[Runtime]:
    """Returns the runtimes of all working backends."""

def runtime(name: str) -> Runtime:
    """Returns the runtime of that name."""

def device(selector: str) -> Device:
    """Returns the device of a selector; the default if it is empty."""

def backends() -> list[Backend]:
    """Returns the record of each backend found."""

def device_info() -> Properties:
    """Returns the database of devices."""

def lookup_device_info(name: str | Device) -> Properties:
    """Returns an entry of the database of devices."""

def device_info_problems() -> str:
    """Returns the device files that can't be used, as JSON."""

def version() -> str:
    """Returns the version of libnexus."""

def write_pending_log() -> None:
    """Writes pending log lines of other threads."""

def trace_is_on() -> bool:
    """Returns whether this process is traced."""

def trace_time() -> int:
    """Returns the time of the trace's clock in nanoseconds."""

def trace_range(name: str, begin: int) -> None:
    """Adds a range of this thread, from begin until now."""

def trace_mark(name: str) -> None:
    """Adds a mark of this thread."""

def plugin_table(runtime: Runtime) -> tuple[int, int, int, int, int]:
    """Returns a plug-in's table of functions: its address, the runtime's id, the capability
    bits, the thread model and the tag.
    """

def plugin_error(error: int) -> tuple[str, int, str] | None:
    """Returns the text, the driver's error number and the backend of a plug-in's error record. 0
    takes this thread's latest one, and clears it.
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
    """Returns what compile_program would do, as JSON."""

def cache_info() -> tuple[str, str, int, int, int, int, int, int]:
    """Returns the fields of CacheInfo in order."""

def cache_clear() -> int:
    """Empties the caches of object code; returns the number of entries removed from disk."""

def write_object_code(code: ObjectCode) -> bytes:
    """Returns the whole object code, for read_object_code."""

def read_object_code(data: Array) -> ObjectCode:
    """Reads the result of write_object_code."""

def from_capsule(capsule: object) -> Any:
    """Returns the object of a capsule, for extensions that use <nexus/python.hpp>."""

def detach() -> None:
    """Stops all calls into the interpreter. Runs when the interpreter exits."""
