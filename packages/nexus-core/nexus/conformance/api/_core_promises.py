# SPDX-License-Identifier: Apache-2.0
"""Lists the promises of docs/guarantees.md that libnexus keeps without the backend.

Every other promise has tests here, marked ``pytest.mark.promise(name)``.
"""

from __future__ import annotations

CORE_PROMISES = {
    "argument-type": "libnexus compares data types when an argument is given",
    "cluster-device": "nexus.distributed places it, with Dask",
    "cluster-repeated": "nexus.distributed copies what a run would change",
    "failure-bounds": "the CPU's guard pages; other backends name their vendor's tool",
    "program-catalog": "the catalog's reader checks files before a backend gets them",
    "program-catalog-build": "the catalog's reader chooses; the backend accepts or refuses",
    "program-damaged": "libnexus checks the file; the CPU checks the library in it",
    "program-flags": "each backend's own compiler and flags, tested with the backend",
    "program-killed": "the CPU's compiler is a process; others are libraries",
    "program-portable": "libnexus checks the text before a compiler starts",
    "share-read-only": "libnexus refuses what would write, before a backend is asked",
    "share-size": "libnexus computes bytes, shape and elements",
    "failure-sync": "the layer 'sync' is a part of libnexus, which waits after each command",
    "failure-copy-between": "libnexus moves the bytes and hands a failure to both sides",
    "life-copy-between": "libnexus keeps both memories and both streams until the copy ends",
    "share-export": "libnexus orders the consumer's stream behind the work that uses the buffer",
    "share-foreign": "libnexus keeps the owners; what the backend adds is tested in capi",
    "share-processes": "pickling is nexus' own; what the backend adds is tested in capi",
}
