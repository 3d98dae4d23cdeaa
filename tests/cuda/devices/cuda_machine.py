# SPDX-License-Identifier: Apache-2.0
"""A machine with this folder's driver and NVML, and what Nexus reports on it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from python_process import run_python

DEVICE = """
import json, nexus
device = nexus.get_device("cuda:%d")
answers = {key: device.get_property(key) for key in device.get_property_keys()}
print(json.dumps(answers))
"""
INFO = """
import json, nexus
print(json.dumps(nexus.get_device("cuda:0").get_info().to_dict()))
"""
BACKEND = """
import json, nexus
(backend,) = [each for each in nexus.get_backends() if each.name == "cuda"]
cpu = nexus.get_device("cpu").get_property_str("Type")
print(json.dumps({"state": backend.state, "reason": backend.reason, "cpu": cpu}))
"""


@dataclass(frozen=True)
class CudaMachine:
    """Processes that see these libraries.

    Attributes:
        environment: variables added to those of this process.
    """

    environment: dict[str, str] = field(default_factory=dict)

    def having(self, **variables: str) -> CudaMachine:
        """Returns the same machine with more variables."""
        return CudaMachine({**self.environment, **variables})

    def run(self, code: str) -> tuple[Any, str]:
        """Returns what Python code prints as JSON, and its log. The code must exit with 0."""
        hidden = ("CUDA_", "NEXUS_DEVICE", "NEXUS_LAYERS", "NEXUS_LOG")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        logging = "import logging; logging.basicConfig(level=logging.INFO)\n"
        run = run_python(
            "-c",
            logging + code,
            env={**inherited, "NEXUS_LOG": "info", **self.environment},
            check=True,
        )
        return json.loads(run.stdout), run.stderr

    def device(self, ordinal: int = 0) -> dict[str, Any]:
        """Returns a device's own properties by name."""
        answers: dict[str, Any] = self.run(DEVICE % ordinal)[0]
        return answers

    def info(self) -> dict[str, Any]:
        """Returns the first device's properties, with its device file."""
        info: dict[str, Any] = self.run(INFO)[0]
        return info

    def why_absent(self) -> str:
        """Returns why there is no backend. Everything else must work."""
        backend = self.run(BACKEND)[0]
        assert (backend["state"], backend["cpu"]) == ("ABSENT", "cpu")
        return str(backend["reason"])


def named(driver: Path | None = None, nvml: Path | None = None) -> CudaMachine:
    """Returns a machine with only these libraries of NVIDIA."""
    nowhere = "/nonexistent/lib.so.1"
    return CudaMachine(
        {"NEXUS_CUDA_DRIVER": str(driver or nowhere), "NEXUS_NVML_LIBRARY": str(nvml or nowhere)}
    )
