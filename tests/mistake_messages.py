# SPDX-License-Identifier: Apache-2.0
"""The golden file of mistakes in kernels: each with its program and its whole message.

python tests/mistake_messages.py --record   writes the messages anew, by the compiler CC
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import nexus

GOLDEN = Path(__file__).with_name("mistake_messages.golden")
PROGRAM_LINE, MESSAGE_LINE = "--- program", "--- message"


@dataclass(frozen=True)
class Mistake:
    """A program and what compiling it says."""

    name: str
    program: str
    message: str

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def read_mistakes() -> list[Mistake]:
    """Those of the golden file."""
    found = []
    for section in GOLDEN.read_text(encoding="utf-8").split("\n=== ")[1:]:
        name, rest = section.split("\n" + PROGRAM_LINE + "\n")
        program, message = rest.split("\n" + MESSAGE_LINE + "\n")
        found.append(Mistake(name, program + "\n", message.rstrip("\n")))
    return found


def message_of(program: str, target: str = "cpu") -> str:
    """Returns the compiler's messages on a program, without the compiler's name."""
    try:
        nexus.Program(program, name="user.c").compile(target)
    except nexus.CompileError as error:
        return re.sub(r"does not compile with .+\.\n", "does not compile.\n", str(error), count=1)
    return "taken"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the golden file")
    if not parser.parse_args().record:
        parser.print_help()
        return
    text = GOLDEN.read_text(encoding="utf-8").split("\n=== ")[0] + "\n"
    for each in read_mistakes():
        text += f"=== {each.name}\n{PROGRAM_LINE}\n{each.program}{MESSAGE_LINE}\n"
        text += message_of(each.program) + "\n\n"
    GOLDEN.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
