# SPDX-License-Identifier: Apache-2.0
"""A function in C++ that runs a kernel of Nexus: `nexus_saxpy.Saxpy(device)(2.0, x, y)`."""

import nexus  # noqa: F401 - loads libnexus, which the extension needs
from nexus_saxpy._extension import Saxpy

__all__ = ["Saxpy"]
