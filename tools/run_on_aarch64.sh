#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs Nexus on an emulated aarch64 processor: tools/run_on_aarch64.sh WHEELS [OUT [PART ...]]
#
#   WHEELS  a folder with the wheels for aarch64: `nox -s release-3.11 -- manylinux-aarch64` makes
#           them, in .nox/.cache/wheelhouse/manylinux-aarch64/wheels
#   OUT     a folder for what the parts print; default nexus-on-aarch64
#   PART    fibers, smoke, gallery or conformance; default all
#
# Needs root, and Debian's packages debootstrap and qemu-user-static. Makes a Debian 12 for aarch64 in
# NEXUS_AARCH64_WORK (default ~/.cache/nexus-on-aarch64; 1 GB), which is kept, installs the wheels in
# it, and runs the parts with its Python 3.11 and its gcc. QEMU_CPU names another processor than
# cortex-a72, which has NEON but not SVE; qemu-aarch64-static -cpu help lists them. PYTEST_ADDOPTS
# passes options to pytest. Nothing is measured: an emulator is many times slower.
set -eu

[ $# -ge 1 ] || { sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
wheels=$(cd "$1" && pwd)
shift
out=${1:-nexus-on-aarch64}
[ $# -eq 0 ] || shift
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ $# -gt 0 ] || set -- fibers smoke gallery conformance
work=${NEXUS_AARCH64_WORK:-$HOME/.cache/nexus-on-aarch64}
debian=$work/debian
mkdir -p "$work"

# The kernel starts qemu for programs for aarch64. F: it opens qemu now, outside of the chroot.
programs=/proc/sys/fs/binfmt_misc
[ -e $programs/register ] || mount -t binfmt_misc binfmt_misc $programs
if [ ! -e $programs/qemu-aarch64 ]; then
  magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":qemu-aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):FP" >$programs/register
fi

if [ ! -e "$work/made" ]; then
  rm -rf "$debian"
  debootstrap --foreign --arch=arm64 --variant=minbase \
    --include=g++,libc6-dev,python3,python3-venv bookworm "$debian"
  # Unpacked only. Their scripts, which the second stage would run emulated, take half an hour and
  # set up nothing that is used here.
  for package in "$debian"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$debian"
  done
  touch "$work/made"
fi

# What the wheels and the tests require, for that system.
python3 -m pip download --quiet --only-binary=:all: --python-version 3.11 --implementation cp \
  --abi cp311 --abi abi3 --abi none --platform manylinux_2_17_aarch64 \
  --platform manylinux2014_aarch64 --platform manylinux_2_28_aarch64 --platform any \
  --dest "$work/wheels" numpy pluggy rich "pytest>=9" pytest-xdist hypothesis ml_dtypes jsonschema pydot
rm -rf "$debian/wheels" "$debian/nexus"
mkdir -p "$debian/wheels" "$debian/nexus"
cp "$work"/wheels/*.whl "$wheels"/*.whl "$debian/wheels"
(cd "$root" && git ls-files -z | xargs -0 tar -c) | tar -x -C "$debian/nexus"

cat >"$debian/nexus/part.sh" <<'SHELL'
set -eu
[ -e /venv/bin/python ] || python3 -m venv /venv
PATH=/venv/bin:$PATH
settings=/nexus/tests/conformance/cpu/nexus_conformance.toml
limit="-o faulthandler_timeout=3600" # seconds: some tests compile a backend
case $1 in
  install)
    pip install --quiet --no-index --find-links /wheels "nexus-core[cpu,conformance]" pytest-xdist \
      hypothesis ml_dtypes jsonschema pydot
    pip install --quiet --no-index --no-deps --force-reinstall /wheels/nexus_core-*-cp311-*.whl \
      /wheels/nexus_cpu-*.whl
    nexus info ;;
  fibers)
    source=/nexus/packages/nexus-cpu/src
    for switch in NEXUS_CPU_OWN NEXUS_CPU_UCONTEXT; do
      g++ -std=c++20 -O1 -D$switch -I$source -I/nexus/packages/nexus-core/include -pthread \
        /nexus/tests/fibers/test_fibers.cpp $source/fibers/context.cpp \
        $source/fibers/fiber_group.cpp $source/fibers/fibers.cpp -o /tmp/fibers
      /tmp/fibers
      echo "passed with $switch"
    done ;;
  smoke)
    cd /nexus/tests
    pytest -q $limit -m smoke api bad_input cli lifetime programs promises unit ;;
  gallery)
    cd /nexus
    pytest -q $limit tests/gallery ;;
  conformance)
    cd /tmp
    pytest -q $limit --pyargs nexus.conformance --nexus-backend cpu --nexus-settings $settings ;;
  *)
    echo "there is no part $1; there are fibers, smoke, gallery and conformance"
    exit 2 ;;
esac
SHELL

# Each part in a namespace of its own, with which what is mounted ends.
status=0
for part in install "$@"; do
  echo "$part ..."
  QEMU_CPU=${QEMU_CPU:-cortex-a72} NEXUS_DEVICE=cpu unshare --mount sh -eu -c '
    mount --rbind /dev "$1/dev"
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount -t tmpfs tmpfs "$1/tmp"
    exec chroot "$1" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 \
      QEMU_CPU="$QEMU_CPU" NEXUS_DEVICE=cpu PYTEST_ADDOPTS="${PYTEST_ADDOPTS:-}" \
      sh /nexus/part.sh "$2"' sh "$debian" "$part" >"$out/$part.txt" 2>&1 || status=1
  tail -n 5 "$out/$part.txt"
done
exit $status
