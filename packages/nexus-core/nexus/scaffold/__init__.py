# SPDX-License-Identifier: Apache-2.0
"""What `nexus new-backend` writes: the files of the reference plug-in under other names.

The wheel carries the reference plug-in once, as the folder ``nexus/reference_plugin``; the folder
``template`` has what a project needs beside it. The rules of `_rewrite` hold for whatever files lie
in the two.
"""

from nexus.scaffold._names import Names
from nexus.scaffold._project import write_project

__all__ = ["Names", "write_project"]
