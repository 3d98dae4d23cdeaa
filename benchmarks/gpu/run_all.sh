#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves Nexus on a GPU, offline: run_all.sh WHEELS [OUT [option or PART ...]]
#
#   WHEELS  a folder with the wheels of nexus-core (for this Python), nexus-cuda, nexus-hip or
#           nexus-metal, nexus-cpu and nexus-cuda-baseline (benchmarks/gpu/baseline). Nothing is downloaded, and
#           but for the part hip nothing is built.
#   OUT     a folder for the report; default: what the environment's OUT names
#
# The packages that are installed are the peers; PYTHON names another interpreter than python3. What
# is finished is kept in NEXUS_GPU_WORK (default /tmp/nexus-gpu) and not repeated, so call it again
# until it says that nothing is left: a call takes at most nine minutes (--seconds 540). On another
# machine, NEXUS_GPU_STATE names a work.tar.gz of an earlier call's output to go on from.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 2; }
wheels=$(cd "$1" && pwd)
shift
if [ $# -ge 1 ]; then out=$1; shift; else out=${OUT:?say where the report goes: run_all.sh WHEELS OUT}; fi
work=${NEXUS_GPU_WORK:-/tmp/nexus-gpu}
python=${PYTHON:-python3}
mkdir -p "$out" "$work"

if [ -n "${NEXUS_GPU_STATE:-}" ] && [ ! -e "$work/outcomes" ]; then
  tar -xzf "$NEXUS_GPU_STATE" -C "$work"
  echo "goes on from $NEXUS_GPU_STATE"
fi

# The packages of a virtual environment are not seen by one that is made from it, so it is told.
venv=$work/venv
stamp=$(cat "$wheels"/*.whl | cksum)
if [ "$(cat "$work/installed" 2>/dev/null || true)" != "$stamp" ]; then
  echo "installing wheels from $wheels"
  rm -rf "$venv"
  "$python" -m venv --system-site-packages --without-pip "$venv"
  "$python" - "$venv" <<'PYTHON'
import glob, site, sys, sysconfig
folders = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()])
(target,) = glob.glob(f"{sys.argv[1]}/lib/python*/site-packages")
with open(f"{target}/packages_that_are_there.pth", "w") as file:
    for folder in folders:
        file.write(f"import site; site.addsitedir({folder!r})\n")
PYTHON
  for name in nexus-core nexus-cpu nexus-cuda nexus-hip nexus-metal nexus-cuda-baseline; do
    "$venv/bin/python" -m pip install --quiet --no-index --no-deps --no-compile --force-reinstall \
      --disable-pip-version-check --find-links "$wheels" "$name" || echo "goes on without $name"
  done
  echo "$stamp" >"$work/installed"
fi

PATH=$venv/bin:$PATH
for folder in /usr/local/cuda/bin; do [ -d "$folder" ] && PATH=$PATH:$folder; done
PYTHONUNBUFFERED=1
NEXUS_CACHE_DIR=${NEXUS_CACHE_DIR:-$work/cache}
export PATH PYTHONUNBUFFERED NEXUS_CACHE_DIR

limit=$(command -v timeout >/dev/null && echo timeout 60) || true # macOS has none
$limit python -c 'import nexus; print("nexus", nexus.__version__); [print(b) for b in nexus.get_backends()]' || true
exec python "$here/run_parts.py" --out "$out" --work "$work" "$@"
