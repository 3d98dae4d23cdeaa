# SPDX-License-Identifier: Apache-2.0
"""Nexus on a Dask cluster: each worker has a device, and buffers travel between workers.

Dask does the scheduling and the networking, and handles failures of machines. Install
`nexus-core[dask]`.

Importing this module teaches Dask to send Buffers. They arrive on the device of the receiving
process, `get_device()`.
"""

from __future__ import annotations

try:
    import dask.array as _  # noqa: F401
    import distributed as _dask  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"nexus.distributed needs Dask ({error}): pip install 'nexus-core[dask]'."
    ) from error

from nexus.distributed import _arrays, _buffers
from nexus.distributed._arrays import map_blocks, map_overlap, reduce
from nexus.distributed._cluster import LocalCluster
from nexus.distributed._run import run
from nexus.distributed._worker import WorkerPlugin, get_device

_buffers.register()
_arrays.register()

__all__ = [
    "LocalCluster",
    "WorkerPlugin",
    "get_device",
    "map_blocks",
    "map_overlap",
    "reduce",
    "run",
]
