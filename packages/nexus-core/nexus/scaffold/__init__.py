# SPDX-License-Identifier: Apache-2.0
"""Writes the project of `nexus new-backend`: the files of the reference plug-in under other names.

The wheel contains the reference plug-in once, as the folder ``nexus/reference_plugin``. Its folder
``driver`` has the files that differ in projects of the kind ``driver``. The folder ``template`` has
the project's other files. `_rewrite` treats all files alike.
"""

from nexus.scaffold._names import Names
from nexus.scaffold._project import DEFAULT_KIND, KINDS, write_project

__all__ = ["DEFAULT_KIND", "KINDS", "Names", "write_project"]
