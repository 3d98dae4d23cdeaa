# SPDX-License-Identifier: Apache-2.0
"""Reads the command line and starts the command that it names."""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import nexus
from nexus.cli._misuse import Misuse
from nexus.cli._parser import parse

EXIT_FAILED = 1
EXIT_MISUSE = 2
EXIT_INTERRUPTED = 130
_OUTPUT_FAILED = {errno.ENOSPC, errno.EIO, errno.EDQUOT}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status.

    Args:
        arguments: the words after `nexus`; None takes those of this process.

    Returns:
        0 for success, 1 if something failed, 2 for a wrong command line (argparse itself exits
        with status 2).
    """
    options = parse(sys.argv[1:] if arguments is None else list(arguments))
    if sys.stdout is None:  # closed by whoever started the process, as `nexus info >&-` does
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # characters that its encoding lacks
    try:
        status = _start(options)
        sys.stdout.flush()
    except Misuse as error:
        print(f"nexus {options.command}: {error}", file=sys.stderr)
        return EXIT_MISUSE
    except nexus.NexusError as error:
        print(f"nexus {options.command}: {error}", file=sys.stderr)
        # a wrong value, such as an invalid selector
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


def _start(options: argparse.Namespace) -> int:
    # Imports only the command that runs: `nexus --version` needs none.
    module = importlib.import_module(f"nexus.cli._{options.command.replace('-', '_')}")
    status: int = module.run(options)
    return status
