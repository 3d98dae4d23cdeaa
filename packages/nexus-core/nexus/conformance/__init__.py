# SPDX-License-Identifier: Apache-2.0
"""The conformance suite: does a backend do what Nexus promises?

    pip install nexus-core[conformance]
    pytest --pyargs nexus.conformance --nexus-backend NAME [--nexus-device NAME:1]
        [--nexus-settings FILE] [--nexus-kernels FOLDER] [--report out.json]

``api`` tests through the Python API, ``capi`` through the plug-in's own function table, without
libnexus between. What a backend lacks, it does not claim among its capability bits, and the tests
of it do not apply. ``docs/vendors/conformance.md`` has more.
"""
