# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: tests whether a backend does what Nexus promises.

    pip install nexus-core[conformance]
    pytest --pyargs nexus.conformance --nexus-backend NAME [--nexus-device NAME:1]
        [--nexus-settings FILE] [--nexus-kernels FOLDER] [--report out.json]

``api`` tests through the Python API, ``capi`` calls the plug-in's function table directly, without
libnexus. Tests of capabilities that the backend does not claim do not apply. See
``docs/vendors/conformance.md``.
"""
