# SPDX-License-Identifier: Apache-2.0
"""DLPack import: nexus.from_dlpack uses another library's array in place."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest
from dlpack_reader import Producer
from python_process import run_python

import nexus

READ_ONLY, COPIED, PADDED = 1, 2, 4


def producer_of(array: Any, **arguments: Any) -> Producer:
    return Producer(array.ctypes.data, arguments.pop("shape", array.shape), **arguments)


def test_the_device_may_be_a_selector(device: nexus.Device, floats: Any) -> None:
    assert nexus.from_dlpack(floats, device.selector).device == device


def test_without_a_device_it_is_the_cpu_or_the_default_one(floats: Any) -> None:
    selectors = [found.selector for found in nexus.get_devices()]
    expected = "cpu:0" if "cpu:0" in selectors else nexus.get_device().selector
    buffer = nexus.from_dlpack(floats)
    assert buffer.device is not None
    assert buffer.device.selector == expected


@pytest.mark.parametrize(
    "dtype",
    ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32",
     "int64", "uint64", "bool"],
)  # fmt: skip
def test_the_dtypes_of_numpy(device: nexus.Device, dtype: str) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    buffer = nexus.from_dlpack(array, device)
    assert (buffer.dtype, buffer.shape) == (dtype, (2, 3, 4))
    np.testing.assert_array_equal(buffer.numpy(), array)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        ((4, 16, 1), "bfloat16"),
        ((10, 8, 1), "float8_e4m3fn"),
        ((12, 8, 1), "float8_e5m2"),
        ((17, 4, 1), "float4_e2m1fn"),
        ((0, 4, 1), "int4"),
        ((1, 4, 1), "uint4"),
    ],
)
def test_the_dtypes_of_others(device: nexus.Device, dtype: Any, name: str) -> None:
    array = np.zeros(64, np.uint8)
    buffer = nexus.from_dlpack(producer_of(array, shape=(8,), dtype=dtype), device)
    assert (buffer.dtype, buffer.shape) == (name, (8,))


def test_a_buffer_may_be_imported(device: nexus.Device, buffer: nexus.Buffer) -> None:
    other = nexus.from_dlpack(buffer, device)
    other.fill(3.0)
    assert (buffer.numpy() == 3.0).all()
    with pytest.raises(BufferError, match="live view"):
        buffer.close()
    del other
    device.synchronize()
    buffer.close()


def test_producers_from_before_dlpack_1_serve_too(device: nexus.Device, floats: Any) -> None:
    producer = producer_of(floats, versioned=False)
    buffer = nexus.from_dlpack(producer, device, writable=True)
    np.testing.assert_array_equal(buffer.numpy(), floats)
    del buffer
    assert producer.deleted == 1


def test_an_array_that_can_not_say_that_it_is_read_only_is_refused(
    device: nexus.Device, floats: Any
) -> None:
    producer = producer_of(floats, versioned=False)
    with pytest.raises(ValueError, match=r"x comes from DLPack before 1\.0.*writable=True.*copy"):
        nexus.from_dlpack(producer, device)
    assert producer.deleted == 1


def test_an_array_before_dlpack_1_may_say_it_by_the_buffer_protocol(
    device: nexus.Device, floats: Any
) -> None:
    class Older(np.ndarray):
        def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
            return super().__dlpack__()

    nexus.from_dlpack(floats.view(Older), device).fill(2.0)
    assert (floats == 2.0).all()


def test_a_new_producer_is_asked_for_the_version_and_for_no_copy(
    device: nexus.Device, floats: Any
) -> None:
    producer = producer_of(floats)
    nexus.from_dlpack(producer, device)
    assert producer.asked["max_version"][0] == 1
    assert producer.asked["copy"] is False


def test_strides_of_c_order_are_contiguous(device: nexus.Device, floats: Any) -> None:
    producer = producer_of(floats, shape=(1, 512, 1, 2), strides=(7, 2, 99, 1))
    assert nexus.from_dlpack(producer, device).shape == (1, 512, 1, 2)


def test_close_gives_the_array_back(device: nexus.Device, floats: Any) -> None:
    producer = producer_of(floats)
    nexus.from_dlpack(producer, device).close()
    assert producer.deleted == 1


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"strides": (1 << 62,)}, ValueError, r"x has strides beyond any memory"),
        ({"strides": (2,), "dtype": (0, 4, 1)}, ValueError, r"x is strided.*share a byte"),
        ({"flags": COPIED}, ValueError, r"x can't be shared.*create_buffer\(x\)"),
        ({"dtype": (0, 4, 1), "flags": PADDED}, TypeError, r"type int4, one per byte"),
        ({"dtype": (5, 32, 1)}, TypeError, r"elements of the type complex32"),
        ({"dtype": (2, 128, 1)}, TypeError, r"elements of the type float128"),
        ({"dtype": (7, 8, 1)}, TypeError, r"elements of the type float8_e3m4"),
        ({"dtype": (99, 8, 1)}, TypeError, r"elements of the type code 99"),
        ({"dtype": (2, 32, 4)}, TypeError, r"elements of the type float32 in 4 lanes"),
        ({"device": (2, 1)}, BufferError, r"x lies in the memory of CUDA device 1"),
        ({"device": (8, 0)}, BufferError, r"x lies in the memory of Metal device 0"),
        ({"device": (77, 0)}, BufferError, r"DLPack device \(77, 0\)"),
        ({"version": (2, 0)}, BufferError, r"x comes in DLPack 2\.0"),
    ],
)
def test_tensors_that_are_refused_are_given_back(
    device: nexus.Device, floats: Any, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    producer = producer_of(floats, **arguments)
    with pytest.raises(error, match=text):
        nexus.from_dlpack(producer, device)
    assert producer.deleted == (0 if not producer.asked else 1)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ndim": 2**30}, r"x has 1073741824 dimensions"),
        ({"ndim": 65}, r"x has 65 dimensions"),
        ({"ndim": -1}, r"x has -1 dimensions"),
        ({"shape": None}, r"x has 1 dimension and its DLPack shape is NULL"),
        ({"data": None, "byte_offset": 64}, r"x has elements and its DLPack data is NULL"),
        ({"byte_offset": 2**63}, r"x has the DLPack byte_offset 9223372036854775808, which is bey"),
        ({"byte_offset": 2**64 - 4}, r"x has the DLPack byte_offset 18446744073709551612"),
    ],
)
def test_a_malformed_tensor_is_refused_before_its_shape_is_read(
    device: nexus.Device, floats: Any, fields: dict[str, Any], text: str
) -> None:
    producer = producer_of(floats)
    for name, value in fields.items():
        setattr(producer.tensor, name, value)
    with pytest.raises(ValueError, match=text):
        nexus.from_dlpack(producer, device)
    assert producer.deleted == 1


@pytest.mark.parametrize("shape", [(2**32, 2**32), (2**62, 4), (2**61,), (-1,), (2, -4)])
def test_a_shape_that_no_memory_has_is_refused(
    device: nexus.Device, floats: Any, shape: tuple[int, ...]
) -> None:
    producer = producer_of(floats, shape=shape)
    with pytest.raises(ValueError, match="x has a DLPack shape"):
        nexus.from_dlpack(producer, device)
    assert producer.deleted == 1


@pytest.mark.parametrize("place", [(2**31, 0), (1, 2**40), (-(2**100), 0), (1, 2**32)])
def test_a_device_of_more_than_32_bits_is_refused(
    device: nexus.Device, floats: Any, place: tuple[int, int]
) -> None:
    producer = producer_of(floats)
    producer.place = place
    with pytest.raises(ValueError, match=r"__dlpack_device__\(\) of x is .*32 bits"):
        nexus.from_dlpack(producer, device)


def test_a_masked_array_is_refused(device: nexus.Device, floats: Any) -> None:
    with pytest.raises(TypeError, match=r"x is a masked array.*x\.filled\(value\)"):
        nexus.from_dlpack(np.ma.masked_array(floats, floats > 1), device)


@pytest.mark.parametrize("versioned", [True, False])
def test_memory_that_is_not_aligned_to_its_dtype_is_refused(
    device: nexus.Device, floats: Any, versioned: bool
) -> None:
    producer = Producer(floats.ctypes.data + 1, (8,), versioned=versioned)
    with pytest.raises(ValueError, match="x does not begin at a multiple of the 4 bytes of float"):
        nexus.from_dlpack(producer, device)
    assert producer.deleted == 1


def test_what_a_producer_raises_arrives(device: nexus.Device) -> None:
    class Broken:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **arguments: Any) -> Any:
            raise RuntimeError("out of tensors")

    with pytest.raises(RuntimeError, match="out of tensors"):
        nexus.from_dlpack(Broken(), device)


@pytest.mark.parametrize("answer", [None, 1, (1,), ("cpu", 0)])
def test_a_producer_that_names_no_device_is_a_type_error(device: nexus.Device, answer: Any) -> None:
    class Nowhere:
        def __dlpack_device__(self) -> Any:
            return answer

        def __dlpack__(self, **arguments: Any) -> Any:
            raise AssertionError

    with pytest.raises(TypeError, match=r"__dlpack_device__\(\) of x has to be a tuple"):
        nexus.from_dlpack(Nowhere(), device)


def test_a_capsule_that_was_used_is_refused(device: nexus.Device, floats: Any) -> None:
    owner = producer_of(floats)  # of what the capsule points to

    class Twice:
        capsule = owner.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **arguments: Any) -> Any:
            return self.capsule

    producer = Twice()
    kept = nexus.from_dlpack(producer, device)
    with pytest.raises(TypeError, match="an unused DLPack capsule"):
        nexus.from_dlpack(producer, device)
    assert kept.shape == (1024,)


@pytest.fixture
def read_only(device: nexus.Device, floats: Any) -> nexus.Buffer:
    return nexus.from_dlpack(producer_of(floats, flags=READ_ONLY), device)


def test_a_buffer_of_a_read_only_array_is_read_only(
    device: nexus.Device, buffer: nexus.Buffer, read_only: nexus.Buffer, floats: Any
) -> None:
    assert read_only.readonly
    assert read_only[4:8].readonly
    assert read_only.view("int32").readonly
    assert not buffer.readonly
    assert not device.create_buffer(read_only.numpy()).readonly
    assert not device.copy_buffer(read_only).readonly
    np.testing.assert_array_equal(read_only.numpy(), floats)


def test_copies_and_fills_refuse_a_read_only_buffer(
    device: nexus.Device, buffer: nexus.Buffer, read_only: nexus.Buffer, floats: Any
) -> None:
    before, schedule = floats.copy(), device.create_schedule()
    for write in (
        lambda: read_only.fill(1.0),
        lambda: read_only.copy_from(before),
        lambda: read_only.copy_from(buffer),
        lambda: read_only[4:8].fill(1.0),
        lambda: schedule.create_fill_command(read_only, 1.0),
        lambda: schedule.create_copy_command(read_only, buffer),
    ):
        with pytest.raises(nexus.NexusError, match=r"is read-only.*write to a copy") as error:
            write()
        assert error.value.status == nexus.status.NXS_InvalidOperation
    np.testing.assert_array_equal(floats, before)
    buffer.copy_from(read_only)
    schedule.create_copy_command(buffer, read_only)
    schedule.run()
    np.testing.assert_array_equal(buffer.numpy(), before)


def test_a_kernel_takes_a_read_only_buffer_for_a_pointer_to_const(
    device: nexus.Device, read_only: nexus.Buffer, library: nexus.Library
) -> None:
    schedule, out = device.create_schedule(), device.create_buffer((1024,))
    add = library.get_kernel("add")
    schedule.create_command(add, [read_only, read_only, out, 1024], 32, 1024)
    schedule.run()
    np.testing.assert_array_equal(out.numpy(), 2 * read_only.numpy())
    with pytest.raises(nexus.NexusError, match=r"argument 2.* may write to it.*read-only.*a copy"):
        schedule.create_command(add, [out, out, read_only, 1024], 32, 1024)
    assert len(schedule.get_commands()) == 1


def test_a_kernel_that_does_not_describe_itself_takes_no_read_only_buffer(
    device: nexus.Device, read_only: nexus.Buffer, library: nexus.Library
) -> None:
    command = device.create_schedule().create_command(library.get_kernel("plain_saxpy"))
    with pytest.raises(nexus.NexusError, match="has no known type, so the kernel may write to it"):
        command.set_buffer(0, read_only)


def test_a_read_only_buffer_is_exported_as_such(read_only: nexus.Buffer) -> None:
    view = memoryview(read_only)
    assert view.readonly
    array = np.from_dlpack(read_only)
    assert not array.flags.writeable
    assert nexus.from_dlpack(read_only, read_only.device).readonly
    assert not np.asarray(read_only).flags.writeable
    assert read_only.__array_interface__["data"][1] is True
    with pytest.raises(BufferError, match=r"read-only, which DLPack before 1\.0 can't express"):
        read_only.__dlpack__()
    del view, array


def test_create_buffer_copies_what_has_dlpack_only(device: nexus.Device, floats: Any) -> None:
    producer = producer_of(floats, flags=READ_ONLY)
    buffer = device.create_buffer(producer)
    np.testing.assert_array_equal(buffer.numpy(), floats)
    assert producer.deleted == 1
    floats[:] = 0.0
    assert buffer.numpy()[1] == 1.0


def test_copies_take_what_has_dlpack_only(buffer: nexus.Buffer, floats: Any) -> None:
    host = np.zeros(1024, np.float32)
    buffer.copy(producer_of(host))
    np.testing.assert_array_equal(host, floats)
    host[:] = 4.0
    buffer.copy_from(producer_of(host))
    assert (buffer.numpy() == 4.0).all()
    with pytest.raises(ValueError, match="host is read-only"):
        buffer.copy(producer_of(host, flags=READ_ONLY))


def test_imports_at_the_end_of_the_interpreter() -> None:
    program = """
import builtins, numpy as np, nexus
device = nexus.get_device()
stream, event = device.create_stream(), device.create_event()
stream.wait(event)
buffers = [nexus.from_dlpack(np.zeros(16, np.float32), device) for _ in range(100)]
for buffer in buffers:
    buffer.fill(1.0, stream, blocking=False)
builtins.kept = buffers[:50]
"""
    done = run_python("-c", program)
    assert (done.returncode, done.stderr) == (0, "")


def test_torch_both_ways(device: nexus.Device) -> None:
    torch = pytest.importorskip("torch", reason="pip install torch")
    tensor = torch.arange(16, dtype=torch.bfloat16)
    buffer = nexus.from_dlpack(tensor, device)
    assert (buffer.dtype, buffer.shape) == ("bfloat16", (16,))
    buffer.fill(2.0)
    assert (tensor == 2).all()
    shared = torch.from_dlpack(device.create_buffer((4,), dtype=torch.float16))
    assert (shared.dtype, shared.shape) == (torch.float16, (4,))


def test_jax_both_ways(device: nexus.Device) -> None:
    jax = pytest.importorskip("jax", reason="pip install jax")
    array = jax.numpy.arange(16, dtype=jax.numpy.bfloat16)
    buffer = device.create_buffer(array)
    assert (buffer.dtype, buffer.shape) == ("bfloat16", (16,))
    shared = jax.dlpack.from_dlpack(device.create_buffer((4,), dtype=jax.numpy.float16))
    assert (shared.dtype, shared.shape) == (jax.numpy.float16, (4,))
    numbers = device.create_buffer(np.arange(4, dtype=np.float32))
    assert jax.numpy.asarray(numbers[::2]).tolist() == [0, 2]


def test_jax_asks_for_a_contiguous_array(
    device: nexus.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the test above, where jax is not installed: numpy takes its place."""
    jax = types.SimpleNamespace(dlpack=types.SimpleNamespace(from_dlpack=np.from_dlpack))
    monkeypatch.setitem(sys.modules, "jax", jax)
    numbers = device.create_buffer(np.arange(4, dtype=np.float32))
    assert numbers[::2].__jax_array__().tolist() == [0, 2]
    assert np.shares_memory(numbers.__jax_array__(), np.asarray(numbers))
