# SPDX-License-Identifier: Apache-2.0
"""What `nexus trace` tells of a trace: its file, the summary, and the tables."""
