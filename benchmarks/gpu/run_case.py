# SPDX-License-Identifier: Apache-2.0
"""Runs one case in this process: `run_case.py MODULE NAME DEVICE OUTPUT RESULT`.

The result is a JSON file, which is missing if the case ended the process.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from gpu_cases import Bench, Case, NotThere, cases_of
from harness import NotMeasured
from outcomes import FAILED, NOT_THERE, PASSED


def main(arguments: list[str]) -> int:
    """Runs the case, and writes its result before any clean-up."""
    module, name, selector, output, result = arguments
    faulthandler.enable()
    case = next(each for each in cases_of(module) if each.name == name)
    bench = Bench(selector, Path(output))
    status, note = _tried(case, bench)
    told = Path(result).with_suffix(".partial")
    told.write_text(json.dumps({"status": status, "note": note, "data": bench.data}), "utf-8")
    told.replace(result)
    print(f"{status}: {note}", flush=True)
    if case.ended:
        time.sleep(3600)  # until it is killed, as programs that hang are
    return 0 if status != FAILED else 1


def _tried(case: Case, bench: Bench) -> tuple[str, str]:
    try:
        return PASSED, case.work(bench) or ""
    except (NotThere, NotMeasured) as reason:
        return NOT_THERE, str(reason)
    except Exception as error:
        traceback.print_exc()
        return FAILED, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
