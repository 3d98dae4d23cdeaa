# SPDX-License-Identifier: Apache-2.0
"""DLPack's structures in ctypes: what a consumer and a producer of another library see."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

_api = ctypes.pythonapi
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

USED = {b"dltensor": b"used_dltensor", b"dltensor_versioned": b"used_dltensor_versioned"}
_kept_names = list(USED) + list(USED.values())  # a capsule borrows its name


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    _fields_ = (
        ("tensor", DLTensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


def capsule_name(capsule: Any) -> bytes:
    name: bytes = _api.PyCapsule_GetName(capsule)
    return name


class Tensor:
    """The tensor in a capsule. Valid while the capsule lives or, once taken over, until deleted."""

    def __init__(self, capsule: Any) -> None:
        name = capsule_name(capsule)
        self.address: int = _api.PyCapsule_GetPointer(capsule, name)
        kind = Managed if name == b"dltensor" else ManagedVersioned
        self._managed: Any = kind.from_address(self.address)
        raw = self._managed.tensor
        self.data: int = raw.data + raw.byte_offset
        self.device = (raw.device_type, raw.device_id)
        self.code, self.bits, self.lanes = raw.code, raw.bits, raw.lanes
        self.shape = tuple(raw.shape[: raw.ndim])
        self.strides = tuple(raw.strides[: raw.ndim])
        self.flags = getattr(self._managed, "flags", 0)
        self.version = (getattr(self._managed, "major", 0), getattr(self._managed, "minor", 0))

    @classmethod
    def take(cls, capsule: Any) -> Tensor:
        """Takes the tensor over, as a consumer does."""
        tensor = cls(capsule)
        _api.PyCapsule_SetName(capsule, USED[capsule_name(capsule)])
        return tensor

    def delete(self) -> None:
        ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self._managed.deleter)(self.address)

    def delete_without_gil(self) -> None:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._managed.deleter)(self.address)


def read_capsule(capsule: Any) -> Tensor:
    return Tensor(capsule)


def drop_capsule(capsule: Any) -> None:
    """Takes the tensor over and deletes it."""
    Tensor.take(capsule).delete()


class Producer:
    """An array of another library, of one dimension unless shape says otherwise.

    Its capsule is versioned unless versioned is False, as before DLPack 1.0, where __dlpack__ took
    a stream only. `deleted` counts the calls of the deleter, until which a tensor that was given
    lives.
    """

    _given: ClassVar[set[Producer]] = set()

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        *,
        dtype: tuple[int, int, int] = (2, 32, 1),
        strides: tuple[int, ...] | None = None,
        device: tuple[int, int] = (1, 0),
        flags: int = 0,
        version: tuple[int, int] = (1, 0),
        versioned: bool = True,
        deleted: Callable[[], None] | None = None,
    ) -> None:
        self.deleted = 0
        self.asked: dict[str, Any] = {}
        self.place = device
        self._versioned = versioned
        self._on_delete = deleted
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = (ctypes.c_int64 * len(strides))(*strides) if strides is not None else None
        self._deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._delete)
        self._managed: Any = ManagedVersioned() if versioned else Managed()
        self._managed.deleter = ctypes.cast(self._deleter, ctypes.c_void_p)
        if versioned:
            self._managed.major, self._managed.minor = version
            self._managed.flags = flags
        self.tensor = raw = self._managed.tensor
        raw.data = address
        raw.device_type, raw.device_id = device
        raw.ndim = len(shape)
        raw.code, raw.bits, raw.lanes = dtype
        raw.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        if self._strides is not None:
            raw.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))

    def _delete(self, _address: int) -> None:
        self.deleted += 1
        self._given.discard(self)
        if self._on_delete is not None:
            self._on_delete()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.place

    def __dlpack__(self, **arguments: Any) -> Any:
        if not self._versioned and set(arguments) - {"stream"}:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.asked = arguments
        self._given.add(self)
        name = b"dltensor_versioned" if self._versioned else b"dltensor"
        return _api.PyCapsule_New(
            ctypes.addressof(self._managed), _kept_names[_kept_names.index(name)], None
        )
