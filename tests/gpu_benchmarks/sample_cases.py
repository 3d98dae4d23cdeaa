# SPDX-License-Identifier: Apache-2.0
"""Cases that end in every way that a case can end."""

from __future__ import annotations

import os
import signal
import time

from gpu_cases import Bench, NotThere, case
from harness import NotMeasured


@case()
def one_that_passes(bench: Bench) -> str:
    bench.data["rows"] = []
    with (bench.output / "times-run").open("a") as file:
        file.write("once\n")
    return "all is well"


@case()
def one_that_fails(bench: Bench) -> str:
    raise AssertionError("two is not three")


@case()
def one_whose_peer_is_missing(bench: Bench) -> str:
    raise NotThere("needs a peer")


@case()
def one_that_is_not_measured(bench: Bench) -> str:
    raise NotMeasured("needs a device")


@case()
def one_that_falls(bench: Bench) -> str:
    os.kill(os.getpid(), signal.SIGSEGV)
    return "not reached"


@case(limit=1)
def one_that_hangs(bench: Bench) -> str:
    time.sleep(600)
    return "not reached"


@case(ended=True)
def one_that_is_ended_after_its_result(bench: Bench) -> str:
    return "told before the end"


@case()
def one_that_falls_after_its_result(bench: Bench) -> str:
    import atexit

    atexit.register(os._exit, 7)
    return "told"


@case(endangers=True)
def one_that_endangers_the_gpu(bench: Bench) -> str:
    return "harmless"
