# SPDX-License-Identifier: Apache-2.0
"""The outcome of a failure of each function of the driver; those not listed raise an error.

The names are CUDA's; those behind the others are of HIP alone.
"""

from __future__ import annotations

from driver_functions import these, told

from nexus.status import Status

# The status if these functions fail; NXS_InternalError for others.
STATUSES = told(
    {
        "cuLibraryLoadData": Status.NXS_InvalidBinary,
        "cuMemHostRegister": Status.NXS_InvalidHostPtr,
    }
)
# A failure of these raises nothing; the text says what happens instead.
NO_ERROR = told(
    {
        "cuCtxGetCurrent": "the context is made current",
        "cuCtxPopCurrent": "the thread keeps the context, which is of no harm",
        "cuMemFree": "a line in the log, and the memory is lost",
        "cuMemFreeHost": "a line in the log, and the memory is lost",
        "cuMemHostUnregister": "a line in the log, and the memory stays page-locked",
        "cuPointerGetAttribute": "the memory is taken for pageable",
        "cuMemFreeAsync": "a line in the log, and the memory is lost",
        "cuLibraryUnload": "a line in the log, and the code is lost",
        "cuOccupancyMaxPotentialBlockSize": "a group of the usual size",
        "cuGraphCreate": "the commands are run one by one",
        "cuGraphDestroy": "a line in the log, and the graph is lost",
        "cuGraphAddKernelNode": "the commands are run one by one",
        "cuGraphAddMemcpyNode": "the commands are run one by one",
        "cuGraphAddMemsetNode": "the commands are run one by one",
        "cuGraphKernelNodeSetAttribute": "the commands are run one by one",
        "cuGraphAddDependencies": "the commands are run one by one",
        "cuGraphAddChildGraphNode": "the commands are run one by one",
        "cuGraphExecDestroy": "a line in the log, and the graph is lost",
        "cuGraphExecKernelNodeSetParams": "another graph is made",
        "cuMemGetInfo": "the error does not report how much is free",
    }
)
# Objects that the driver keeps when it refuses to free them.
KEPT = told(
    {
        "cuMemFree": {"managed memory", "device memory"},
        "cuMemFreeHost": {"host memory"},
        "cuMemHostUnregister": {"registered memory"},
        "cuMemFreeAsync": {"device memory"},
        "cuLibraryUnload": {"libraries", "modules"},
        "cuGraphDestroy": {"graphs", "nodes"},
        "cuGraphExecDestroy": {"execs"},
    }
)
# If these fail, memory may once be reported as exhausted although there is some.
SAVING = these({"cuMemPoolTrimTo", "cuStreamQuery", "cuStreamSynchronize", "cuCtxPushCurrent"})
# Called while a process or a device starts: test_start_failures.py.
STARTING = these({
    "cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
    "cuDeviceTotalMem", "cuDeviceGetUuid", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
    "cuMemPoolCreate", "cuMemPoolDestroy", "cuMemPoolSetAttribute", "cuMemAlloc",
    "cuStreamCreateWithPriority", "cuStreamDestroy", "cuEventCreate", "cuEventDestroy",
    "cuGetErrorName",
    "hipRuntimeGetVersion", "hipGetDeviceCount", "hipGetDevicePropertiesR0600",
})  # fmt: skip
SHARING = "tests/cuda/sharing"  # HIP's: tests/hip/test_hip_sharing_failures.py
# No program here calls these. If a file is named, its tests make them fail.
UNREACHED = told(
    {
        "cuGraphChildGraphNodeGetGraph": "needs another library's graph in captured work: "
        "tests/cuda/launching/test_cuda_capture.py",
        "cuMemsetD2D8Async": "for memory at an odd address, which only the C API can give",
        "cuMemsetD2D16Async": "for memory at an odd address, which only the C API can give",
        "cuDeviceCanAccessPeer": f"once for two devices: {SHARING}/test_cuda_sharing_failures.py",
        "cuCtxEnablePeerAccess": f"once for two devices: {SHARING}/test_cuda_sharing_failures.py",
        "cuMemPoolSetAccess": f"once for two devices: {SHARING}/test_cuda_sharing_failures.py",
        "cuIpcGetEventHandle": f"needs a shared event: {SHARING}/test_cuda_shared_events.py",
        "cuIpcOpenEventHandle": f"needs another process: {SHARING}/test_cuda_shared_events.py",
        "cuIpcOpenMemHandle": f"needs another process: {SHARING}/test_cuda_shared_memory.py",
        "cuIpcCloseMemHandle": f"needs another process: {SHARING}/test_cuda_shared_memory.py",
        "hipDeviceGetPCIBusId": "of properties: tests/hip/test_hip_failures.py",
        "hipGetDevicePropertiesR0000": "of older HIP: tests/hip/test_hip_failures.py",
        "hipGetDeviceProperties": "of older HIP: tests/hip/test_hip_failures.py",
    }
)
