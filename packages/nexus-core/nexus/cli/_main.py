# SPDX-License-Identifier: Apache-2.0
"""Reads the command line and starts the command that it names."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import nexus

EXIT_FAILED = 1
EXIT_MISUSE = 2
EXIT_INTERRUPTED = 130
_OUTPUT_FAILED = {errno.ENOSPC, errno.EIO, errno.EDQUOT}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status.

    Args:
        arguments: the words after `nexus`; None takes those of this process.

    Returns:
        0 where all went well, 1 where something did not work, 2 for misuse (argparse
        itself ends the process with 2).
    """
    options = _parser().parse_args(arguments)
    if sys.stdout is None:  # closed by whoever started the process, as `nexus info >&-` does
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    try:
        status = _run(options)
        sys.stdout.flush()
    except nexus.NexusError as error:
        print(f"nexus {options.command}: {error}", file=sys.stderr)
        # A value that is wrong in itself, such as a selector that is none.
        return EXIT_MISUSE if isinstance(error, ValueError) else EXIT_FAILED
    except BrokenPipeError:  # the reader, such as `head`, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except OSError as error:  # such as a full disk
        if error.errno not in _OUTPUT_FAILED:
            raise
        print(f"nexus {options.command}: could not write: {error.strerror}.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return status


def _run(options: argparse.Namespace) -> int:
    # Each command is imported when it is asked for: `nexus --version` needs none of them.
    if options.command == "info":
        from nexus.cli import _info

        return _info.run(options.selector, as_json=options.json)
    from nexus.cli import _demo

    return _demo.run()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nexus", description="Run kernels on the CPUs and GPUs of this machine."
    )
    parser.add_argument("--version", action="version", version=f"nexus {nexus.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    info = commands.add_parser(
        "info",
        help="show the backends and the devices",
        description="Show the backends and the devices, or the properties of one device.",
    )
    info.add_argument("selector", nargs="?", help="a device, such as cpu:0")
    info.add_argument("--json", action="store_true", help="print JSON")
    commands.add_parser(
        "demo",
        help="run a kernel on every device and check the result",
        description="Run a kernel on every device, check the result against numpy, print times.",
    )
    return parser
