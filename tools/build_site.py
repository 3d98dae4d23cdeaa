# SPDX-License-Identifier: Apache-2.0
"""Builds the documents as a site, in docs/built/site: `nox -s docs` runs it.

The pages are the same files that a person reads in the repository, and the pages that build_docs.py
makes from sources. docs/README.md has the four parts of the site and their pages; other pages of a
folder stand below the folder's README.md. Links to source files become downloads, and links to
folders become a page that lists the files. Pictures and flowcharts are those of site_pictures.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import site_pictures

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "docs" / "built"
SOURCES = BUILT / "site-sources"
SITE = BUILT / "site"

START = Path("README.md")
INDEX = Path("docs/README.md")
DEVICES = Path("docs/built/devices")
REFERENCE = Path("docs/built/README.md")

FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^<!-- picture: (\S+) (.+) -->$", re.MULTILINE)
FLOWCHART = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?!https?:)([^)#\s]+)((?:#[^)\s]*)?\))")

CONFIGURATION = """
project = "Nexus"
version = release = {version!r}
copyright = "the Nexus authors, Apache-2.0"
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "Nexus"
html_show_sphinx = False
html_extra_path = ["index.html"]
root_doc = "README"
"""
REDIRECTION = '<!doctype html><meta http-equiv="refresh" content="0; url=README.html">\n'


def tracked(*patterns: str) -> list[Path]:
    """Returns the files of the repository that match, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def target_of(page: Path, link: str) -> Path:
    """Returns where a page's link leads, relative to the root."""
    return Path(os.path.normpath(page.parent / link))


class Site:
    """The pages of the site by their path, relative to the root, and what they link to."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.flowcharts = 0

    def add(self, page: Path) -> None:
        """Adds a page, and the files and folders that it links to."""
        text = (ROOT / page).read_text(encoding="utf-8")
        text = PICTURE.sub(lambda m: self.picture(page, m[1], m[2]), text)
        text = FLOWCHART.sub(lambda m: self.flowchart(page, m[1]), text)
        parts = FENCED.split(text)
        for index in range(0, len(parts), 2):
            parts[index] = LINK.sub(lambda m: self.linked(page, m[1]) + m[2], parts[index])
        self.texts[page] = "".join(parts)

    def picture(self, page: Path, name: str, caption: str) -> str:
        """Adds a picture. Returns the block that shows it with its caption."""
        file = site_pictures.PICTURES / name
        link = self.linked(page, os.path.relpath(file, ROOT / page.parent))
        return f"```{{figure}} {link}\n:alt: {caption}\n\n{caption}\n```"

    def flowchart(self, page: Path, text: str) -> str:
        """Adds a flowchart as a picture. Returns the block that shows it."""
        self.flowcharts += 1
        file = site_pictures.PICTURES / f"flowchart-{self.flowcharts}.svg"
        file.write_text(site_pictures.flowchart(text), encoding="utf-8")
        link = self.linked(page, os.path.relpath(file, ROOT / page.parent))
        return f"```{{image}} {link}\n:alt: Flowchart\n```"

    def linked(self, page: Path, link: str) -> str:
        """Adds the file or folder that a page links to. Returns the link for the site."""
        target = target_of(page, link)
        if (ROOT / target).is_dir():
            readme = target / "README.md"
            target = readme if (ROOT / readme).is_file() else self.list_folder(target)
        elif target.suffix != ".md":
            copied = SOURCES / target
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / target, copied)
        return os.path.relpath(target, page.parent)

    def list_folder(self, folder: Path) -> Path:
        """Adds a page that lists the files of a folder. Returns its path."""
        page = folder / "files.md"
        if page not in self.texts:
            self.texts[page] = ""
            lines = [f"# {folder}", ""]
            for file in sorted(tracked(f"{folder}/")):
                name = file.relative_to(folder)
                lines.append(f"- [{name}]({self.linked(page, str(name))})")
            self.texts[page] = "\n".join([*lines, ""])
        return page

    def write(self) -> None:
        """Writes the pages, with the navigation, for Sphinx."""
        children = self.children()
        for page, text in self.texts.items():
            trees = [toctree(below, page, part) for part, below in children.get(page, {}).items()]
            if self.is_leaf(page):
                text = f"---\norphan: true\n---\n{text}"
            path = SOURCES / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join([text, *trees]), encoding="utf-8")
        version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
        (SOURCES / "conf.py").write_text(CONFIGURATION.format(version=version), encoding="utf-8")
        (SOURCES / "index.html").write_text(REDIRECTION, encoding="utf-8")

    def children(self) -> dict[Path, dict[str, list[Path]]]:
        """Returns the pages below each page, by the caption of their part."""
        placed: dict[Path, dict[str, list[Path]]] = {START: self.parts()}
        known = {START, *(page for pages in placed[START].values() for page in pages)}
        for page in sorted(self.texts.keys() - known):
            if self.is_leaf(page):
                continue
            placed.setdefault(self.parent(page), {}).setdefault("", []).append(page)
        return placed

    @staticmethod
    def is_leaf(page: Path) -> bool:
        """Returns whether a page is left out of the navigation: hundreds would clutter it."""
        return page.name == "files.md" or (page.parent == DEVICES and page.name != "README.md")

    def parts(self) -> dict[str, list[Path]]:
        """Returns the parts of docs/README.md, with each page in the first that links to it."""
        seen = {START}
        parts: dict[str, list[Path]] = {}
        for section in (ROOT / INDEX).read_text(encoding="utf-8").split("\n## ")[1:]:
            title, _, text = section.partition("\n")
            pages = dict.fromkeys(target_of(INDEX, link) for link, _ in LINK.findall(text))
            new = [page for page in pages if page in self.texts and page not in seen]
            if "| To | read |" in text:
                parts[title] = new
                seen.update(new)
        parts["All pages"] = [INDEX]
        return parts

    def parent(self, page: Path) -> Path:
        """Returns the README.md above a page."""
        if page == REFERENCE:
            return INDEX.parent / "reference" / "README.md"
        folder = page.parent.parent if page.name == "README.md" else page.parent
        while folder / "README.md" not in self.texts or folder == START.parent:
            if folder == START.parent:
                return INDEX
            folder = folder.parent
        return folder / "README.md"


def toctree(pages: list[Path], here: Path, caption: str) -> str:
    """Returns a hidden table of contents for a page."""
    lines = ["```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), ""]
    lines += [os.path.relpath(page.with_suffix(""), here.parent) for page in pages]
    return "\n".join(["", *lines, "```", ""])


def collect() -> Site:
    """Returns the site."""
    site = Site()
    for page in tracked("*.md"):
        if not {"template", "changelog.d"} & set(page.parts):
            site.add(page)
    for file in sorted(BUILT.rglob("*.md")):
        if SOURCES not in file.parents:
            site.add(file.relative_to(ROOT))
    return site


def main() -> int:
    """Builds the site; a warning, such as a link to nothing, is an error."""
    for folder in (SOURCES, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    site_pictures.main()
    collect().write()
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto"]
    status = subprocess.call([*sphinx, str(SOURCES), str(SITE)])
    if status == 0:
        print(f"Begin with {(SITE / 'index.html').relative_to(ROOT)}.")
    return status


if __name__ == "__main__":
    sys.exit(main())
