# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks run without an error, and are stored without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
CELL_LIMIT = 300
"""Seconds for one cell."""


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> nbformat.NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(request.param, as_version=4)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


def test_it_is_valid(notebook: nbformat.NotebookNode) -> None:
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"


def test_it_is_stored_without_outputs(notebook: nbformat.NotebookNode) -> None:
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert [cell.execution_count for cell in code] == [None] * len(code)


def test_its_links_lead_somewhere(notebook: nbformat.NotebookNode) -> None:
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    links = LINK.findall("\n".join(texts))
    assert [link for link in links if not (FOLDER / link).exists()] == []


def test_it_runs_without_an_error(notebook: nbformat.NotebookNode, tmp_path: Path) -> None:
    """A cell that raises an exception, or takes too long, fails the test with its source."""
    client = NotebookClient(
        notebook,
        timeout=CELL_LIMIT,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
