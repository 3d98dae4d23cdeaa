# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/guarantees.md that libnexus keeps by itself, whatever the backend does.

Every other promise has tests here, marked ``pytest.mark.promise(name)``.
"""

from __future__ import annotations

CORE_PROMISES = {
    "failure-sync": "the layer 'sync' is a part of libnexus, which waits after each command",
    "failure-copy-between": "libnexus moves the bytes and hands a failure to both sides",
    "life-copy-between": "libnexus keeps both memories and both streams until the copy ends",
    "share-export": "libnexus orders the consumer's stream behind the work that uses the buffer",
    "share-foreign": "libnexus keeps the owners; what the backend adds is tested in capi",
    "share-processes": "pickling is nexus' own; what the backend adds is tested in capi",
}
