# SPDX-License-Identifier: Apache-2.0
"""The types of elements that algorithms work on, and their names in kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nexus import _checks, _core

if TYPE_CHECKING:
    from nexus import Buffer, Device

C_TYPES = {
    "bool": "nexus_bool",
    "float32": "float",
    "float64": "double",
} | {f"{sign}int{bits}": f"nexus_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}

MOST = 2**31 - 2**22  # elements: kernels count with int, to at most a chunk beyond the last


def unsigned_code(number: int) -> str:
    """Returns the code of a constant of at most 64 bits."""
    high, low = divmod(number, 1 << 32)
    return f"NXA_U64({high}u, {low}u)" if high else f"{low}u"


def buffer(parameter: str, value: object) -> Buffer:
    """Returns the value, which must be a buffer of a device with a dtype of the table above."""
    if not isinstance(value, _core.Buffer):
        raise _checks.wrong_type(
            parameter, "a nexus.Buffer (device.create_buffer(array) makes one)", value
        )
    name_of(parameter, value)
    if value.size > MOST:
        raise ValueError(
            f"{parameter} has {value.size} elements, and algorithms take at most {MOST}: "
            "pass it in parts."
        )
    return value


def name_of(parameter: str, value: Buffer) -> str:
    """Returns the name of the dtype of a buffer's elements."""
    dtype = value.dtype
    name = str(dtype)  # a plain str, which is quicker to compare
    if name not in C_TYPES:
        held = "plain bytes" if dtype is None else f"elements of {name}"
        raise TypeError(
            f"{parameter} has {held}: algorithms take {', '.join(C_TYPES)} "
            "(buffer.view(dtype) gives bytes a dtype)."
        )
    return name


def named(parameter: str, dtype: Any) -> str:
    """Returns the name of the dtype given as a parameter."""
    name: str = _core.dtype_name(dtype, parameter)
    if name not in C_TYPES:
        raise TypeError(f"{parameter} is {name}: algorithms take {', '.join(C_TYPES)}.")
    return name


def device_of(**buffers: Buffer) -> Device:
    """Returns the device of all the buffers; the default device if all are system buffers."""
    found: dict[str, Device] = {}
    for name, each in buffers.items():
        if each.device is not None:
            found.setdefault(name, each.device)
    if not found:
        import nexus

        return nexus.get_device()
    first, device = next(iter(found.items()))
    for name, other in found.items():
        if other != device:
            raise ValueError(
                f"{name} is on '{other.selector}' and {first} on '{device.selector}': copy one "
                "with device.copy_buffer(buffer)."
            )
    return device


def output(
    parameter: str, value: object, device: Device, shape: tuple[int, ...], dtype: str
) -> Buffer:
    """Returns the buffer for a result: the given one, which must fit, or a new one for None."""
    if value is None:
        return device.create_buffer(shape, dtype)
    made = buffer(parameter, value)
    if made.shape != shape:
        raise ValueError(f"{parameter} has the shape {made.shape}: the result needs {shape}.")
    if made.dtype != dtype:
        raise TypeError(f"{parameter} has elements of {made.dtype}: the result needs {dtype}.")
    if made.readonly:
        raise ValueError(f"{parameter} is read-only: give a buffer that can be written.")
    if made.device not in (None, device):
        raise ValueError(
            f"{parameter} is on another device than the inputs: give a buffer on "
            f"'{device.selector}'."
        )
    return made


def real_of(device: Device) -> str:
    """Returns the dtype of nxa_real in kernels: float64 if the device has it, else float32."""
    told = "DataTypes" in device.get_property_keys()
    types = device.get_property_str_vec("DataTypes") if told else ["float64"]
    return "float64" if "float64" in types else "float32"
