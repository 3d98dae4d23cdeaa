# SPDX-License-Identifier: Apache-2.0
"""What `nexus new-backend` writes: the files of the reference plug-in under other names.

The wheel carries the reference plug-in once, as the folder ``nexus/reference_plugin``, in which
``driver`` has the files of the kind of that name; the folder ``template`` has what a project needs
beside it. The rules of `_rewrite` hold for whatever files lie in them.
"""

from nexus.scaffold._names import Names
from nexus.scaffold._project import DEFAULT_KIND, KINDS, write_project

__all__ = ["DEFAULT_KIND", "KINDS", "Names", "write_project"]
