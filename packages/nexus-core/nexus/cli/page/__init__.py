# SPDX-License-Identifier: Apache-2.0
"""Pages about a device: its values in sections, each with a mark for its source."""
