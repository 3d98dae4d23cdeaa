# SPDX-License-Identifier: Apache-2.0
"""The package of a kernel catalog. Nexus reads its files without importing it."""
