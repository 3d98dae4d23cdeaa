#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves Nexus on a Mac with an Apple processor: tools/prove_on_mac.sh WHEELS [OUT [option or PART ...]]
#
#   WHEELS  a folder with the wheels for macOS: `nox -s macos-3.13` on Linux makes them, in
#           .nox/.cache/wheelhouse/macos/wheels
#   OUT     a folder for the report; default nexus-on-mac
#
# Makes an environment with MLX and PyTorch (1 GB from the package index), and in it runs the
# conformance suite, the gallery, the README's example and the benchmarks of benchmarks/gpu: about ten
# minutes. OUT/report.md then tells what came of each, and OUT/hardware_rows.md is what
# docs/hardware.md takes. Nothing is installed outside of the environment. What is finished is kept,
# so call it again after an interruption.
#
# PYTHON names another interpreter, NEXUS_PROVE_WORK another folder for the environment than
# ~/.cache/nexus-on-mac, NEXUS_DEVICE another device than metal:0, and NEXUS_PEERS other packages
# than "mlx torch"; with NEXUS_PEERS= the interpreter's own packages are used and nothing is
# downloaded.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { sed -n '3,20s/^# \{0,1\}//p' "$0"; exit 2; }
wheels=$(cd "$1" && pwd)
shift
out=${1:-nexus-on-mac}
[ $# -eq 0 ] || shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=${NEXUS_PROVE_WORK:-$HOME/.cache/nexus-on-mac}
peers=${NEXUS_PEERS-mlx torch}
mkdir -p "$work"

python=${PYTHON:-}
for name in python3.13 python3.12 python3.11 python3.10; do
  [ -n "$python" ] || python=$(command -v $name || true)
done
[ -n "$python" ] || { echo "needs Python 3.10 to 3.13, such as python.org's" >&2; exit 2; }

if [ -n "$peers" ]; then
  if [ ! -e "$work/peers/installed" ]; then
    "$python" -m venv --clear "$work/peers"
    pip="$work/peers/bin/python -m pip --disable-pip-version-check install --quiet"
    $pip numpy pluggy rich "pytest>=8" "tomli>=2; python_version < '3.11'"
    for name in $peers; do $pip "$name" || echo "goes on without $name"; done
    touch "$work/peers/installed"
  fi
  python=$work/peers/bin/python
fi

[ $# -gt 0 ] || set -- conformance gallery readme benchmarks
status=3 # cases are left
while [ $status -eq 3 ]; do
  status=0
  PYTHON=$python NEXUS_GPU_WORK=$work/run sh "$root/benchmarks/gpu/run_all.sh" \
    "$wheels" "$out" --device "${NEXUS_DEVICE:-metal:0}" "$@" || status=$?
done
echo
cat "$out/hardware_rows.md"
exit $status
