# SPDX-License-Identifier: Apache-2.0
"""The schema of device files, and a small file to make wrong."""

from __future__ import annotations

import pytest
from repository_files import ROOT, Tree, read


@pytest.fixture(scope="session")
def schema() -> Tree:
    """The schema of device files."""
    return read(ROOT / "schema" / "device_info.schema.json")


@pytest.fixture
def tree() -> Tree:
    """A device file without a mistake: acme-gpu-a1.json."""
    return {
        "Name": "Acme One",
        "Aliases": ["One"],
        "Vendor": "Acme",
        "Type": "gpu",
        "Architecture": "a1",
        "CoreSubsystem": {
            "SubUnitType": "Core",
            "SIMDSize": 32,
            "BaseClock": 900,
            "MaxClock": 1000,
            "Units": [{"Name": "FP32", "Count": 64}],
        },
        "MemorySubsystem": {
            "MemoryTypes": [
                {"Name": "L2", "Size": 4096, "Count": 2, "TotalSize": 8192},
                {"Name": "L1", "Size": 1024, "LineSize": 64},
                {"Name": "Local", "Size": 512, "MaxSize": 1024},
            ]
        },
        "Limits": {"MaxThreadsPerCore": 256, "MaxSubgroupsPerCore": 8},
        "PeakRates": [{"Name": "float32", "DataType": "float32", "OperationsPerClock": 128}],
        "Variants": [
            {
                "Name": "A1 Pro",
                "CoreSubsystem": {
                    "Count": 10,
                    "ParentUnits": [{"Name": "Cluster", "Count": 5}],
                },
                "MemorySubsystem": {
                    "MemoryTypes": [
                        {
                            "Name": "Global",
                            "BusWidth": 256,
                            "TransferRate": 16000,
                            "Bandwidth": 512000000000,
                        }
                    ]
                },
                "PeakRates": [{"Name": "float32", "Rate": 1.28e12}],
            }
        ],
        "Sources": [
            {
                "Title": "Acme One, a guide",
                "Publisher": "Acme",
                "Date": "2026-01",
                "Section": "2. Cores",
                "Read": "2026-02-03",
                "Values": ["Name", "Aliases", "Architecture", "CoreSubsystem", "Limits"],
            },
            {
                "Title": "Acme One, data sheet",
                "Publisher": "Acme",
                "Version": "1.2",
                "Section": "Figures",
                "Read": "2026-02-03",
                "Values": ["MemorySubsystem", "PeakRates", "Variants/A1 Pro"],
            },
        ],
    }
