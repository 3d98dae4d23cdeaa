# SPDX-License-Identifier: Apache-2.0
"""A fresh virtual environment, and what runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 900.0  # seconds: a build from source on a busy machine

# With these a command that somebody types would work here only. What says where the index is stays.
CHANGES_COMMANDS = (
    "PIP_FIND_LINKS", "PIP_NO_BUILD_ISOLATION", "PIP_NO_DEPS", "PIP_CONFIG_SETTINGS",
)  # fmt: skip
LEAKS = ("PYTHON", "NEXUS", "CMAKE", "SKBUILD", *CHANGES_COMMANDS)


@dataclass(frozen=True)
class Environment:
    """A virtual environment of the Python that runs the tests."""

    folder: Path
    build_cache: Path

    @staticmethod
    def create(folder: Path, build_cache: Path) -> Environment:
        """Makes one with pip in it. Builds that `run` starts share build_cache for object files."""
        venv.create(folder, with_pip=True, symlinks=True)
        return Environment(folder, build_cache)

    def program(self, name: str) -> Path:
        """The path of a program of the environment."""
        return self.folder / "bin" / name

    def run(self, *command: str | os.PathLike[str], cwd: Path | None = None) -> str:
        """Runs a program of the environment and returns its output; AssertionError on failure."""
        program, *arguments = (os.fspath(word) for word in command)
        done = subprocess.run(
            [str(self.program(program)), *arguments],
            cwd=cwd or self.folder,
            env=self.variables()
            | {"SKBUILD_BUILD_DIR": str(self.build_cache / "{name}-{wheel_tag}")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        words = " ".join([program, *arguments])
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def shell(self, lines: str, cwd: Path, path: str = "") -> str:
        """Runs lines that somebody types where the environment is active; returns their output.

        Builds keep their object files where the lines say. path: of PATH, in place of the
        environment's own.
        """
        done = subprocess.run(
            ["sh", "-eu", "-c", lines],
            cwd=cwd,
            env=self.variables() | ({"PATH": path} if path else {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert done.returncode == 0, f"{lines}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def pip_install(self, *arguments: str | os.PathLike[str], cwd: Path | None = None) -> None:
        """Runs `pip install` with the arguments."""
        self.run("python", "-m", "pip", "install", "--no-input", *arguments, cwd=cwd)

    def variables(self) -> dict[str, str]:
        """The process environment, activated, without what would leak in from ours."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(LEAKS)}
        return kept | {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{_path_without_environments()}",
            "VIRTUAL_ENV": str(self.folder),
        }


def _path_without_environments() -> str:
    """PATH without the folder of the environment that runs the tests."""
    ours = str(Path(sys.prefix) / "bin")
    return os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if p != ours)
