# SPDX-License-Identifier: Apache-2.0
"""Makes the reference of the Python API from docstrings and docs/reference/examples/."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable

import reference_source as source
from reference_source import Class, Constant, Entry

CLASSES = [
    "Runtime", "Device", "Buffer", "ObjectCode", "Library", "Kernel", "Stream", "Event", "Schedule",
    "Command", "Properties",
]  # fmt: skip
WITH = {"__enter__", "__exit__"}
OF_EVERY_OBJECT = {"__eq__", "__hash__", "__repr__", "properties"}

INDEX = """\
# Python API reference

| page | what it is |
| --- | --- |
| [nexus](nexus.md) | The functions of the module. |
{classes}
| [Programs](programs.md) | `Program`, `ProgramOptions` and `Linker`: from text to code. |
| [Kernel catalogs](catalogs.md) | `Catalog`: libraries of kernels for many devices. |
| [Every object](objects.md) | What all of them have: properties, equality, closing. |
| [PropertyView](propertyview.md) | The properties of an object as a mapping. |
| [Memory resources](memory.md) | Allocators for the buffers of a device. |
| [In, Out and InOut](arrays.md) | Arrays in host memory as arguments of a kernel's call. |
| [Records](records.md) | The lists and tuples that functions return. |
| [Errors](errors.md) | The exceptions. |
| [Enumerations](enumerations.md) | Statuses, types of events and data, bits. |
| [nexus.algorithms](algorithms.md) | Algorithms on arrays. |
| [nexus.distributed](distributed.md) | Clusters on Dask. |
| [nexus.hookspecs](hookspecs.md) | How a package offers a backend. |
| [nexus.trace](trace.md) | A program's own ranges and marks in its trace; traces in notebooks. |

## The examples

Each example is run by the tests as it stands, after these lines:
"""

OBJECTS = """\
# Every object

Runtimes, devices, buffers, libraries, kernels, streams, events, schedules and commands have the
members below. Those that own something have `close()` besides, and the `with` statement closes
them. [Properties](properties.md) have the same functions with shorter names (`get_str` for
`get_property_str`).

No class can be constructed or derived from: each page says what makes its objects. Objects can
have weak references and be keys of a dict.

---

The keys and their types are in [properties](../properties.md).
"""

# Marked as code: what is quoted, calls, dotted and underscored names, constants, errors.
CODE = re.compile(
    r"""``?[^`]+``?
    |(?:\w+\.)*\w+\([\w=.,' ]*\)
    |'[^' ]*'
    |<[\w./-]+>
    |[A-Za-z_][\w-]+(?:\.[A-Za-z_]\w*)+
    |\w*_\w+
    |\b(?:list|tuple|dict)\[[\w., ]+\]
    |\b(?:None|True|False|KeyboardInterrupt|\w+=\w+|[A-Z]\w*Error)\b""",
    re.VERBOSE,
)
SECTION = re.compile(
    r"^(Args|Returns|Raises|Attributes|Example):\n((?:(?: .*)?\n?)*)", re.MULTILINE
)
ITEM = re.compile(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)


def prose(text: str) -> str:
    """Returns a paragraph with its names marked as code."""
    return CODE.sub(lambda found: f"`{found[0].strip('`')}`", " ".join(text.split()))


def markdown(text: str) -> list[str]:
    """Returns the paragraphs and sections of a docstring."""
    before = SECTION.split(text, maxsplit=1)[0]
    lines = [line for part in before.strip().split("\n\n") for line in (prose(part), "")]
    for title, body in SECTION.findall(text):
        items = ITEM.findall(body)
        if title == "Example":
            continue  # the page has its own
        if title == "Returns" or not items:
            lines += [f"{title}: {prose(body)}", ""]
        else:
            lines += [f"{title}:", "", *(f"- `{name}`: {prose(each)}" for name, each in items), ""]
    return lines


def first_sentence(text: str) -> str:
    """Returns the sentence for a table."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return prose(re.split(r"(?<=\w[.)]) (?=[A-Z])", paragraph)[0]).replace("|", "\\|")


def fenced(language: str, text: str) -> list[str]:
    """Returns a block of code."""
    return [f"```{language}", text, "```", ""]


def heading(name: str) -> str:
    """Returns a heading with Markdown's letters escaped."""
    return f"`{name}`" if name.startswith("_") else name


class Writer:
    """Makes the pages, with the examples of names that have one."""

    def __init__(self) -> None:
        self.examples = source.examples()
        self.core = source.classes("_core.pyi")
        self.pages: dict[str, str] = {}

    def example(self, name: str) -> list[str]:
        """Returns the example of a name."""
        return fenced("pycon", self.examples[name]) if name in self.examples else []

    def summary(self, name: str) -> str:
        """Returns one sentence about a class."""
        return first_sentence(self.core[name].text)

    def page(self, name: str, lines: Iterable[str]) -> None:
        """Keeps a page under its file's name."""
        self.pages[name] = "\n".join(lines).rstrip("\n") + "\n"

    def entries(self, prefix: str, entries: list[Entry]) -> list[str]:
        """Returns a table of the entries, then each with its signature, text and example."""
        lines = ["| member | what it is |", "| --- | --- |"]
        lines += [
            f"| [`{each.label}`](#{each.name.lower()}) | {first_sentence(each.text)} |"
            for each in entries
        ]
        lines.append("")
        for each in entries:
            lines += [f"## {heading(each.name)}", "", *fenced("py", each.signature)]
            lines += [*markdown(each.text), *self.example(prefix + each.name)]
        return lines

    def class_page(self, cls: Class) -> None:
        own = [
            each
            for each in cls.members
            if not (each.name.startswith("get_property") or each.name in OF_EVERY_OBJECT | WITH)
        ]
        closes = any(each.name in WITH for each in cls.members)
        more = ", and the `with` statement closes it" if closes else ""
        lines = [f"# {cls.name}", "", *markdown(cls.text), *self.example(cls.name)]
        lines += [f"It has besides what [every object](objects.md) has{more}.", ""]
        self.page(f"{cls.name.lower()}.md", [*lines, *self.entries(f"{cls.name}.", own)])

    def objects_page(self) -> None:
        """Makes the page of the members that every object has."""
        shared = [
            each
            for each in self.core["Buffer"].members
            if each.name.startswith("get_property") or each.name in OF_EVERY_OBJECT
        ]
        shown = [
            Entry(each.name, each.signature.replace("Buffer.", "object."), each.text)
            for each in shared
        ]
        about, keys = OBJECTS.split("\n\n---\n\n")
        lines = [about, "", *self.example("object"), keys]
        self.page("objects.md", [*lines, *self.entries("object.", shown)])

    def module_page(self) -> None:
        """Makes the page of the module's functions."""
        entries = source.functions("__init__.py") + source.functions("_arrays/_create.py")
        text = source.docstring(source.parse("__init__.py")).split("\n\n")
        lines = ["# nexus", "", prose(text[0]), "", prose(text[-1]), "", *self.example("nexus")]
        lines += ["`nexus.__version__` is the version of the package and of libnexus.", ""]
        lines += self.example("nexus.__version__")
        self.page("nexus.md", [*lines, *self.entries("", entries)])

    def programs_page(self) -> None:
        """Makes the page of programs."""
        text = "From the text of a kernel to what a device loads; `nexus.run` does it in one call."
        classes = [source.classes("_compile/_program.py")["Program"]]
        classes.append(source.classes("_compile/_options.py")["ProgramOptions"])
        classes.append(source.classes("_compile/_linker.py")["Linker"])
        self.plain_classes("programs.md", classes, "Programs", text)

    def property_view_page(self) -> None:
        """Makes the page of the `properties` of objects."""
        text = "What the attribute `properties` of every object is."
        view = source.classes("_property_view.py")["PropertyView"]
        self.plain_classes("propertyview.md", [view], "PropertyView", text)

    def memory_page(self) -> None:
        """Makes the page of memory resources."""
        text = "Allocators for the buffers of a device: `Device.memory_resource`."
        classes = [source.classes("_arrays/_memory.py")["MemoryResource"]]
        classes += [self.core["DeviceMemoryResource"], self.core["MemoryPool"]]
        self.plain_classes("memory.md", classes, "Memory resources", text)

    def plain_classes_page(self, name: str, file: str, title: str, text: str) -> None:
        """Makes one page of the Python classes of a file."""
        self.plain_classes(name, source.classes(file).values(), title, text)

    def plain_classes(self, name: str, classes: Iterable[Class], title: str, text: str) -> None:
        """Returns the text of Python classes."""
        lines = [f"# {title}", "", text, ""]
        for cls in classes:
            lines += [f"## {cls.name}", "", *markdown(cls.text), *self.example(cls.name)]
            for each in cls.members:
                lines += [f"### {cls.name}.{each.name}", "", *fenced("py", each.signature)]
                lines += [*markdown(each.text), *self.example(f"{cls.name}.{each.name}")]
        self.page(name, lines)

    def enumerations_page(self) -> None:
        """Makes the page of the modules of numbers."""
        lines = [
            "# Enumerations",
            "",
            "Modules of `IntEnum` members. A member is reached through the module",
            "(`nexus.event_type.Shared`), and is an int wherever one is asked for.",
            "",
        ]
        for module, (cls, members) in source.enumerations().items():
            lines += [f"## nexus.{module}", "", *self.enumeration(module, cls, members)]
        self.page("enumerations.md", lines)

    def enumeration(self, module: str, cls: ast.ClassDef, members: list[Constant]) -> list[str]:
        """Returns the text of a module of numbers."""
        lines = [f"Class `{cls.name}`. {prose(source.docstring(cls))}", "", *self.example(module)]
        if module == "property":
            return [*lines, "The members are in [properties](../properties.md).", ""]
        lines += ["| name | number | meaning |", "| --- | --- | --- |"]
        return [*lines, *(f"| `{m.name}` | {m.value} | {prose(m.text)} |" for m in members), ""]

    def hookspecs_page(self) -> None:
        """Makes the page of the functions that a backend's package implements."""
        text = source.docstring(source.parse("hookspecs.py")).split("\n\n")
        lines = ["# nexus.hookspecs", "", prose(text[0]), "", prose(text[-1]), ""]
        lines += [*self.example("hookspecs"), "How a package names its module: "]
        lines[-1] += "[loading](../../design/loading.md)."
        entries = source.functions("hookspecs.py", "nexus.hookspecs")
        self.page("hookspecs.md", [*lines, "", *self.entries("hookspecs.", entries)])

    def trace_page(self) -> None:
        """Makes the page of the functions that add to a program's trace and read traces."""
        text = source.docstring(source.parse("trace.py")).split("\n\n")
        lines = ["# nexus.trace", "", prose(text[0]), "", prose(text[-1]), ""]
        lines += [*self.example("trace"), "What a trace shows: [tracing](../../tracing.md).", ""]
        entries = source.functions("trace.py", "nexus.trace")
        lines += self.entries("trace.", entries)
        for cls in source.classes("trace.py").values():
            lines += [f"## {cls.name}", "", *markdown(cls.text)]
        self.page("trace.md", lines)

    def algorithms_page(self) -> None:
        """Makes the page of the algorithms on arrays."""
        tree = source.parse("algorithms/__init__.py")
        public = {each.name for node in tree.body if isinstance(node, ast.ImportFrom)
                  for each in node.names}  # fmt: skip
        first, *text = source.docstring(tree).split("\n\n")
        lines = ["# nexus.algorithms", "", prose(first), ""]
        for part in text:
            code = part.startswith("    ")
            lines += fenced("text", inspect.cleandoc(part)) if code else [prose(part), ""]
        lines += [*self.example("algorithms"), "More: [algorithms](../../algorithms.md).", ""]
        entries = [
            entry
            for file in sorted((source.PACKAGE / "algorithms").glob("_*.py"))
            for entry in source.functions(f"algorithms/{file.name}", "nexus.algorithms")
            if entry.name in public
        ]
        self.page("algorithms.md", [*lines, *self.entries("algorithms.", entries)])

    def distributed_page(self) -> None:
        """Makes the page of clusters on Dask."""
        folder = source.PACKAGE / "distributed"
        tree = source.parse("distributed/__init__.py")
        public = {each.name for node in tree.body if isinstance(node, ast.ImportFrom)
                  for each in node.names}  # fmt: skip
        lines = ["# nexus.distributed", ""]
        for part in source.docstring(tree).split("\n\n"):
            lines += [prose(part), ""]
        lines += ["More: [clusters on Dask](../../distributed.md).", ""]
        files = [f"distributed/{file.name}" for file in sorted(folder.glob("_*.py"))]
        entries = [
            entry
            for file in files
            for entry in source.functions(file, "nexus.distributed")
            if entry.name in public
        ]
        lines += self.entries("distributed.", entries)
        for file in files:
            for cls in source.classes(file).values():
                if cls.name in public:
                    lines += [f"## {cls.name}", "", *markdown(cls.text)]
        self.page("distributed.md", lines)

    def index_page(self) -> None:
        """Makes the page with the list of pages, the imports of examples, and the types."""
        rows = [f"| [{name}]({name.lower()}.md) | {self.summary(name)} |" for name in CLASSES]
        lines = [INDEX.format(classes="\n".join(rows))]
        prelude = (source.EXAMPLES / "prelude.py").read_text(encoding="utf-8")
        lines += fenced("py", prelude.partition("\n\n")[2].strip())
        lines += ["## Types in signatures", "", "| name | is | meaning |", "| --- | --- | --- |"]
        for alias in source.type_aliases():
            value = alias.value.replace("|", "\\|")
            lines.append(f"| `{alias.name}` | `{value}` | {prose(alias.text)} |")
        self.page("README.md", lines)

    def write_all(self) -> dict[str, str]:
        """Returns every page by its file's name."""
        self.index_page()
        self.module_page()
        self.objects_page()
        for name in CLASSES:
            self.class_page(self.core[name])
        self.programs_page()
        self.plain_classes_page(
            "catalogs.md",
            "_catalog/_catalog.py",
            "Kernel catalogs",
            "Libraries of kernels for many devices: [kernel catalogs](../../catalogs.md).",
        )
        self.property_view_page()
        self.memory_page()
        self.plain_classes_page(
            "arrays.md",
            "_schedule/_call.py",
            "In, Out and InOut",
            "Arrays in host memory as arguments of a kernel's call, `Kernel.__call__`.",
        )
        records = {**source.classes("_collections.py"), **source.classes("_arrays/_dtype.py")}
        text = "What functions return besides objects."
        self.plain_classes("records.md", records.values(), "Records", text)
        self.plain_classes_page(
            "errors.md",
            "_errors.py",
            "Errors",
            "Wrong types are `TypeError`. All else that is refused or fails is one of these.",
        )
        self.enumerations_page()
        self.hookspecs_page()
        self.trace_page()
        self.algorithms_page()
        self.distributed_page()
        return self.pages
