# SPDX-License-Identifier: Apache-2.0
"""tools/package_index.py: what pip installs from the index, served as files."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from environment import Environment

pytestmark = pytest.mark.install


class Quiet(SimpleHTTPRequestHandler):
    """A static server that prints nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def index(
    wheels: Path,
    repository: Path,
    environment: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The folder `simple` with the wheels and those of dependencies. pip knows no other index."""
    environment.run(
        "python", "-m", "pip", "download", "--only-binary=:all:", "--dest", tmp_path / "all",
        "--find-links", wheels, "nexus-core[all]",
    )  # fmt: skip
    files = {path.name: str(path) for path in wheels.glob("*.whl")}
    files |= {path.name: str(path) for path in (tmp_path / "all").iterdir()}
    script = repository / "tools" / "package_index.py"
    subprocess.run(
        [sys.executable, str(script), str(tmp_path / "index"), *files.values()], check=True
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    return tmp_path / "index" / "simple"


@pytest.fixture
def url(index: Path) -> Iterator[str]:
    """The address of a server of the index."""
    handler = functools.partial(Quiet, directory=str(index.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()
        thread.join()


def assert_the_backends_work(environment: Environment) -> None:
    backends = json.loads(environment.run("nexus", "info", "--json"))["backends"]
    assert {backend["name"] for backend in backends} == {"cpu", "cuda"}
    assert "cpu:0" in environment.run("nexus", "demo")


def test_pip_installs_backends_from_a_static_server(environment: Environment, url: str) -> None:
    environment.pip_install("--index-url", url, "nexus-core[cpu,cuda]")
    assert_the_backends_work(environment)


def test_pip_installs_backends_from_a_folder(environment: Environment, index: Path) -> None:
    environment.pip_install("--index-url", index.as_uri(), "nexus-core[cpu,cuda]")
    assert_the_backends_work(environment)


def test_pip_refuses_a_wheel_that_was_changed(
    environment: Environment, index: Path, url: str
) -> None:
    (wheel,) = (index / "nexus-cpu").glob("*.whl")
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    with pytest.raises(AssertionError, match="DO NOT MATCH THE HASHES"):
        environment.pip_install("--no-deps", "--index-url", url, "nexus-cpu")


def test_the_first_page_links_to_each_project(index: Path) -> None:
    page = (index / "index.html").read_text(encoding="utf-8")
    projects = {folder.name for folder in index.iterdir() if folder.is_dir()}
    assert {"nexus", "nexus-core", "nexus-cpu", "nexus-cuda", "nexus-hip", "numpy"} <= projects
    assert all(f'<a href="{project}/">{project}</a>' in page for project in projects)
