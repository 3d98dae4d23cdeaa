# SPDX-License-Identifier: Apache-2.0
"""The parser of the command line."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import nexus
from nexus.cli.catalog._parser import add_catalog
from nexus.cli.db._parser import add_db, add_devices
from nexus.scaffold import DEFAULT_KIND, KINDS

if TYPE_CHECKING:
    from typing import TypeAlias

    Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001

_NEGATIVE = re.compile(r"-[.\d]")  # a number such as -1.5f, which argparse takes for an option

_OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")  # in a help text
_CACHE_ACTIONS = ("info", "clear")

_RUN = """\
Compile a program and run one of its kernels.

A VALUE is one of
  x.npy           an array, read from the file
  float32[64,64]  an array of zeros with this dtype and shape
  local[1024]     local memory: the number of bytes for each group
  2.0f  3  3u  -7l  0x1f  2.5  1e-3f  true
                  a number. As in C, the suffix f means float32, u uint32, l int64 and ul
                  uint64. Without a suffix, the number has the type of the kernel's parameter.
                  If the kernel does not describe its parameters, it is a float64 if it has a
                  point or an exponent, else an int32
  int32:7         a number of this dtype
  float32:1,2,3,4 a vector of this dtype; an array, if the parameter is a buffer
  float32:2,      an array of one element
"""


_TRACE_VALUES = ("-o", "--output", "--top", "--read")  # options with a value


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parses a command line. Exits with status 2 if it is wrong, and with 0 after showing help.

    Without a command, and without an action of `db`, `catalog` or `cache`, it shows help.
    `arguments` of the result has the words after the command.
    """
    parser = argparse.ArgumentParser(
        prog="nexus", description="Run kernels on the CPUs and GPUs of this machine."
    )
    parser.add_argument("--version", action="version", version=f"nexus {nexus.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_info(commands)
    _add_doctor(commands)
    add_devices(commands)
    actions = {"db": add_db(commands).choices}
    run = _add_run(commands)
    _add_compile(commands)
    actions["catalog"] = add_catalog(commands, _add_options).choices
    trace = _add_trace(commands)
    _add_cache(commands)
    _add_validate(commands)
    _add_new_backend(commands)
    _add_demo(commands)
    _add_bench(commands)
    _add_top(commands)
    _check_choice(parser, "command", words[:1], commands.choices)
    if words[0] in (*actions, "cache"):
        known = actions.get(words[0], _CACHE_ACTIONS)
        _check_choice(commands.choices[words[0]], "action", words[1:2], known)
    if words[0] == "run":  # its values may stand between the options
        made = argparse.Namespace(command="run", arguments=list(words[1:]))
        marked = [f" {word}" if _NEGATIVE.match(word) else word for word in words[1:]]
        return _known(run, *run.parse_known_intermixed_args(marked, made))
    if words[0] == "trace":  # words after the script are the script's
        own, program = _split_program(words[1:])
        made = argparse.Namespace(command="trace", program=program)
        return _known(trace, *trace.parse_known_args(own, made))
    options, rest = parser.parse_known_args(words)
    if options.command is None:
        return _known(parser, options, rest)
    if options.command in actions and options.action is not None:
        return _known(actions[options.command][options.action], options, rest)
    return _known(commands.choices[options.command], options, rest)


def _check_choice(
    parser: argparse.ArgumentParser, kind: str, words: Sequence[str], known: Iterable[str]
) -> None:
    """Shows the parser's help if there is no word; exits with status 2 for an unknown word."""
    if not words:
        parser.print_help()
        parser.exit()
    if not words[0].startswith("-") and words[0] not in known:
        hint = _similar(words[0], known) or f" `{parser.prog} --help` lists them."
        parser.error(f"{kind} {words[0]!a} does not exist.{hint}")


def _known(
    parser: argparse.ArgumentParser, options: argparse.Namespace, rest: Sequence[str]
) -> argparse.Namespace:
    """Returns the options; exits with status 2 if there are unknown words."""
    if rest:
        word = rest[0].partition("=")[0]
        known = _OPTION.findall(parser.format_help()) if word.startswith("-") else []
        parser.error(f"unrecognized arguments: {' '.join(rest)}.{_similar(word, known)}")
    return options


def _similar(word: str, known: Iterable[str]) -> str:
    """Returns a question that names the most similar known word; empty if none is similar."""
    names = sorted(set(known))
    near = difflib.get_close_matches(word, names, n=1)
    if not near and len(word) > 2:  # the beginning of one name, with swapped letters: "dco"
        near = [name for name in names if sorted(name[: len(word)]) == sorted(word)]
    return f" Did you mean '{near[0]}'?" if len(near) == 1 else ""


def _add_info(commands: Commands) -> None:
    info = commands.add_parser(
        "info",
        help="show the backends and the devices",
        description="Show the backends and the devices, or the properties of one device.",
    )
    info.add_argument("selector", nargs="?", help="a device, such as cpu:0")
    info.add_argument(
        "--sources", action="store_true", help="show the source of each value of the device"
    )
    info.add_argument(
        "--isolate",
        action="store_true",
        help="load each backend in a separate process, and name those that crash or hang",
    )
    info.add_argument("--json", action="store_true", help="print JSON")


def _add_doctor(commands: Commands) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="check what is installed and report what is missing",
        description="Check drivers, compilers, permissions and the cache, run a kernel on every "
        "device, and print the commands that install what is missing. The exit "
        "status is 1 if something that is installed does not work.",
    )
    form = doctor.add_mutually_exclusive_group()
    form.add_argument(
        "--report", action="store_true", help="print a block of Markdown to paste into an issue"
    )
    form.add_argument("--json", action="store_true", help="print JSON")


def _add_run(commands: Commands) -> argparse.ArgumentParser:
    run = commands.add_parser(
        "run",
        help="run a kernel of a program or of a compiled library",
        description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("file", metavar="FILE", help="the program, or a compiled library")
    run.add_argument("values", metavar="VALUE", nargs="*", help="the kernel's arguments, in order")
    run.add_argument(
        "--kernel", metavar="NAME", help="the kernel's name; default: the program's only kernel"
    )
    run.add_argument(
        "--grid", metavar="N[,N[,N]]", required=True, help="the number of work items in x, y and z"
    )
    run.add_argument(
        "--group",
        metavar="N[,N[,N]]",
        help="the number of work items in a group; default: the backend's choice",
    )
    run.add_argument(
        "--out",
        metavar="ARG=FILE",
        action="append",
        default=[],
        help="write an array to a .npy file; ARG is the argument's name or number, from 0 on",
    )
    run.add_argument(
        "--time", action="store_true", help="run it repeatedly, and print how long a run takes"
    )
    run.add_argument("--runs", default="20", help="the number of runs of --time; default: 20")
    run.add_argument(
        "--isolate",
        action="store_true",
        help="run it in a separate process, and report a crash of the kernel with its arguments",
    )
    run.add_argument(
        "--check",
        action="store_true",
        help="report accesses outside of the arrays; uses compute-sanitizer on CUDA",
    )
    run.add_argument("--device", metavar="SELECTOR", help="such as cpu:0; default: the best device")
    run.add_argument("--report-to", type=int, help=argparse.SUPPRESS)
    _add_options(run)
    return run


def _add_compile(commands: Commands) -> None:
    compiling = commands.add_parser(
        "compile",
        help="compile a program to a file",
        description="Compile a program, and write the code, which a device can load, to a file.",
        allow_abbrev=False,
    )
    compiling.add_argument("file", metavar="FILE", help="the program")
    compiling.add_argument(
        "--target", help="a device, or a backend and an architecture such as cpu:x86-64-v3"
    )
    compiling.add_argument(
        "-o", "--output", metavar="FILE", help="default: the program's name with another extension"
    )
    compiling.add_argument(
        "--object-code",
        action="store_true",
        help="write a file for nexus.ObjectCode.load, with the descriptions of the kernels",
    )
    compiling.add_argument(
        "--flags", action="store_true", help="only print the compiler's flags; write nothing"
    )
    compiling.add_argument(
        "--log", action="store_true", help="print the compiler's output, such as warnings"
    )
    _add_options(compiling)


def _add_trace(commands: Commands) -> argparse.ArgumentParser:
    trace = commands.add_parser(
        "trace",
        help="run a Python program, and write a trace of its calls and work",
        description="Run a Python program, and write its calls and its work to a file for "
        "https://ui.perfetto.dev.",
        usage="nexus trace [OPTION ...] (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]",
        allow_abbrev=False,
    )
    trace.add_argument(
        "-o", "--output", metavar="FILE", default="nexus-trace.json", help="default: %(default)s"
    )
    trace.add_argument(
        "--summary", action="store_true", help="print tables of the times to stderr at the end"
    )
    trace.add_argument("--read", metavar="FILE", help="only print the tables of this trace")
    trace.add_argument(
        "--top", metavar="N", default="20", help="the number of rows in a table; default: 20"
    )
    trace.add_argument("--json", action="store_true", help="print the tables as JSON")
    return trace


def _split_program(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Splits the words of `nexus trace` into its options and the program (script, -m or -c)."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-m", "-c"):
        at += 2 if words[at] in _TRACE_VALUES else 1
    return list(words[:at]), list(words[at:])


def _add_cache(commands: Commands) -> None:
    cache = commands.add_parser(
        "cache",
        help="show or empty the cache of compiled programs",
        description="Show or empty the cache of compiled programs on disk.",
    )
    cache.add_argument("action", choices=_CACHE_ACTIONS)
    cache.add_argument("--json", action="store_true", help="print JSON")


def _add_validate(commands: Commands) -> None:
    validate = commands.add_parser(
        "validate",
        help="run a Python script and report errors of the script or a backend",
        description="Run a Python script under the layer validate, and print its findings.",
    )
    validate.add_argument("script", metavar="SCRIPT", help="the path of the script")
    validate.add_argument(
        "arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="an argument of the script"
    )


def _add_new_backend(commands: Commands) -> None:
    new = commands.add_parser(
        "new-backend",
        help="write the project of a new backend",
        description="Write the project of a new backend: a plug-in that builds, works and passes "
        "conformance. Replace its parts one by one.",
    )
    new.add_argument("name", metavar="NAME", help="the backend's name, such as acme in acme:0")
    kinds = "; ".join(f"{kind}: it {what}" for kind, what in KINDS.items())
    new.add_argument(
        "--kind", choices=KINDS,
        help=f"the kind of project. {kinds}. Default: ask on a terminal, else {DEFAULT_KIND}",
    )  # fmt: skip
    new.add_argument("--folder", help="the folder to write; default: nexus-NAME")
    new.add_argument("--vendor", help="the maker of the devices; default: NAME, capitalised")
    new.add_argument("--description", help="a one-line description of the package")


def _add_demo(commands: Commands) -> None:
    demo = commands.add_parser(
        "demo",
        help="draw a picture on every device and check it",
        description="Draw the Mandelbrot set on every device, check it against numpy, and print "
        "the picture and the times. The exit status is 1 if a device fails or draws it wrong.",
    )
    demo.add_argument("--save", metavar="FILE", help="write the picture to this file, a .png")


def _add_bench(commands: Commands) -> None:
    bench = commands.add_parser(
        "bench",
        help="measure a device",
        description="Measure a device for about 15 seconds: compiling, launches, bandwidths and "
        "arithmetic, next to the peaks in its device file.",
    )
    bench.add_argument("selector", nargs="?", help="such as cuda:0; default: the best device")
    bench.add_argument(
        "--plot", metavar="FILE", help="draw the results as a roofline, to a .svg or .png file"
    )
    bench.add_argument("--json", action="store_true", help="print JSON")


def _add_top(commands: Commands) -> None:
    top = commands.add_parser(
        "top",
        help="monitor the use of the devices",
        description="Show the use of the devices until Ctrl-C: memory, cores, clocks, temperature "
        "and power, as far as the driver reports them. In a file or pipe, show it once.",
    )
    top.add_argument("selector", nargs="?", help="such as cuda:0; default: all devices")
    top.add_argument(
        "--interval",
        metavar="SECONDS",
        default="1",
        help="the time between two updates; default: 1",
    )
    top.add_argument("--once", action="store_true", help="show it once and exit")


def _add_options(command: argparse.ArgumentParser) -> None:
    """Adds the options of nexus.ProgramOptions."""
    group = command.add_argument_group("compiling")
    group.add_argument(
        "--language",
        default=None if command.prog.endswith("catalog build") else "nexus",
        help="default: nexus, the portable language",
    )
    group.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[],
        help="define a macro",
    )  # fmt: skip
    group.add_argument(
        "-I", dest="include_paths", metavar="FOLDER", action="append", default=[],
        help="search this folder for included files",
    )  # fmt: skip
    group.add_argument(
        "-O",
        dest="optimization",
        metavar="LEVEL",
        default="3",
        help="the optimization level, 0 to 3; default: 3",
    )
    group.add_argument(
        "--fast-math",
        action="store_true",
        help="allow reordered and approximate floating-point arithmetic",
    )
    group.add_argument("--debug", action="store_true", help="add debug information")
    group.add_argument(
        "--line-info", action="store_true", help="add source line numbers for profilers"
    )
    group.add_argument("--standard", help="the standard of the language, such as c11")
    group.add_argument(
        "--flag", dest="extra", metavar="FLAG", action="append", default=[],
        help="a further flag for the backend's compiler, such as --flag=-funroll-loops",
    )  # fmt: skip
