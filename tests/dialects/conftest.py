# SPDX-License-Identifier: Apache-2.0
"""The files beside this one are imported by the tests, which need nothing of Nexus but its headers."""
