#!/usr/bin/env bash
# Runs the CUDA tests and the benchmarks of a bundle on a machine with a GPU.
# Needs bash, Python 3 and the CUDA driver; neither LLVM nor a CUDA toolkit
# (without ptxas the driver compiles the PTX). Benchmarks and the tests of
# conv_mlir.tensors need PyTorch, the latter also pytest.
#
#   scripts/gpu.sh [--sanitize] [--fuzz=SECONDS] [--no-tests] [--no-benchmarks]
#                  [BUNDLE.tar.xz] [-- OPTIONS OF compare_cudnn.py]
#
# BUNDLE: the newest one in dist/; none where this script lies in an unpacked
# bundle. --sanitize runs the tests again under compute-sanitizer, memcheck and
# racecheck, where that tool is found. --fuzz runs random problems with new seeds
# on all processors until the time is over, also beside --no-tests. Logs and
# results are written to $OUT, or benchmarks/results. The last line is
# `N passed, N failed, N skipped`.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-$here/benchmarks/results}
sanitize=false tests=true benchmarks=true fuzz_seconds=0 archive=
while (($#)); do
  argument=$1
  shift
  case $argument in
  --) break ;;
  --sanitize) sanitize=true ;;
  --fuzz=*)
    fuzz_seconds=${argument#*=}
    [[ $fuzz_seconds =~ ^[1-9][0-9]*$ ]] ||
      { echo "error: --fuzz: expected seconds, at least 1, got '$fuzz_seconds'" >&2 && exit 2; }
    ;;
  --no-tests) tests=false ;;
  --no-benchmarks) benchmarks=false ;;
  -*) echo "error: unknown option '$argument'" >&2 && exit 2 ;;
  *) archive=$argument ;;
  esac
done

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"

# unpack: sets `bundle`. Python reads .tar.xz where there is no xz.
unpack() {
  if [[ -z $archive && -x $here/bin/conv-run ]]; then
    bundle=$here
    return
  fi
  [[ -n $archive ]] || archive=$(find "$here/dist" -name '*.tar.xz' 2>/dev/null | sort -V | tail -n 1)
  if [[ ! -f $archive ]]; then
    echo "error: no bundle '${archive:-dist/*.tar.xz}'; scripts/package.sh makes one" >&2
    exit 2
  fi
  say "unpacking $archive"
  python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' \
    "$archive" "$scratch"
  bundle=$(find "$scratch" -mindepth 1 -maxdepth 1 -name 'conv-mlir-*')
}

describe() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit \
    --format=csv 2>/dev/null || echo "nvidia-smi is not there"
  ptxas --version 2>/dev/null | tail -n 2 || echo "no ptxas on PATH"
  "$bundle/bin/conv-opt" --version
  basename "$bundle"
  uname -srm
}

# run_unit_tests: sets `runners` for the report.
run_unit_tests() {
  local binary names=()
  mkdir -p "$scratch/gtest"
  for binary in "$bundle"/unittests/*; do
    [[ -x $binary ]] || continue
    names+=("$(basename "$binary")")
    say "unit test ${names[-1]}"
    GTEST_OUTPUT=json:$scratch/gtest/${names[-1]}.json "$binary" >>"$out/unit-tests.log" 2>&1 ||
      tail -n 30 "$out/unit-tests.log"
  done
  ((${#names[@]} == 0)) || runners+=(--gtest="$scratch/gtest" --gtest-binaries "${names[@]}")
}

# run_python_tests: the package on PyTorch's tensors.
run_python_tests() {
  if ! python3 -c 'import pytest, torch' 2>/dev/null; then
    say "no pytest or no PyTorch: the Python tests are left out"
    return
  fi
  say "Python tests"
  (cd "$bundle/python" && PYTHONDONTWRITEBYTECODE=1 python3 -m pytest -q -p no:cacheprovider \
    --junit-xml="$scratch/pytest.xml" tests/test_tensors.py) >"$out/python-tests.log" 2>&1 ||
    tail -n 30 "$out/python-tests.log"
  runners+=(--pytest="$scratch/pytest.xml")
}

# run_lit NAME: the CUDA tests; lit's own summary on standard output.
run_lit() {
  [[ -d $bundle/test/Integration/CUDA ]] || return 0
  say "CUDA tests ($1)"
  PYTHONPATH=$bundle/share/lit python3 -c 'from lit.main import main; main()' -v -j 4 \
    --xunit-xml-output "$scratch/$1.xml" "$bundle/test" >"$out/$1.log" 2>&1 ||
    tail -n 60 "$out/$1.log"
  runners+=(--lit="$1:$scratch/$1.xml")
}

# run_sanitizer TOOL: the CUDA tests with conv-run and conv-launch under
# compute-sanitizer. API errors are the runtime's to report: it asks for a
# kernel's parameters until the driver says that there are no more. A command that
# only compiles or emulates is no error.
run_sanitizer() {
  local tools=$scratch/$1 options="--require-cuda-init no" name
  [[ $1 != memcheck ]] || options+=" --report-api-errors no"
  mkdir -p "$tools"
  for name in conv-run conv-launch; do
    cat >"$tools/$name" <<WRAPPER
#!/bin/sh
exec compute-sanitizer --tool $1 $options --error-exitcode 99 --log-file "$tools/%p.report" \\
  "$bundle/bin/$name" "\$@"
WRAPPER
    chmod +x "$tools/$name"
  done
  CONV_MLIR_TOOLS_DIR=$tools run_lit "$1"
  cat "$tools"/*.report >>"$out/$1.log" 2>/dev/null || true
}

# fuzz_worker SEED STEP END NAME: batches of random problems for the device's own
# target and for sm_80, of every STEP-th seed, until END. Test cases and log lie in
# NAME.cases and NAME.log.
fuzz_worker() {
  local seed=$1 target
  : >"$4.log"
  while ((SECONDS < $3)); do
    for target in "" --target=sm_80; do
      echo "<testcase name=\"seed $seed $target\">"
      "$bundle/bin/conv-run" --fuzz=100 --seed="$seed" --device=cuda $target >>"$4.log" 2>&1 ||
        echo "<failure/>"
      echo "</testcase>"
    done
    seed=$((seed + $2))
  done >"$4.cases"
}

# run_fuzz: a worker for each processor: most of the time goes into compiling. A
# batch runs again by its seed, which is in fuzz.log.
run_fuzz() {
  local end=$((SECONDS + fuzz_seconds)) workers seed worker
  workers=$(nproc)
  seed=$(date +%s)
  say "fuzzer for $fuzz_seconds s in $workers processes, from seed $seed on"
  for ((worker = 0; worker < workers; worker++)); do
    fuzz_worker $((seed + worker)) "$workers" "$end" "$scratch/fuzz-$worker" &
  done
  wait
  cat "$scratch"/fuzz-*.log >"$out/fuzz.log"
  grep -vE ' random problems of seed .* passed ' "$out/fuzz.log" | tail -n 20 || true
  echo "<testsuite>$(cat "$scratch"/fuzz-*.cases)</testsuite>" >"$scratch/fuzz.xml"
  runners+=(--lit="fuzz:$scratch/fuzz.xml")
}

unpack
export PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
describe | tee "$out/device.txt"
runners=()
if $tests; then
  : >"$out/unit-tests.log"
  run_unit_tests
  run_python_tests
  run_lit cuda-tests
  if $sanitize; then
    command -v compute-sanitizer >/dev/null ||
      { echo "error: --sanitize was asked for, but compute-sanitizer is not found" >&2 && exit 2; }
    run_sanitizer memcheck
    run_sanitizer racecheck
  fi
fi
((fuzz_seconds == 0)) || run_fuzz
status=0
if $benchmarks; then
  say "benchmarks"
  PYTHONDONTWRITEBYTECODE=1 python3 "$bundle/benchmarks/compare_cudnn.py" --output="$out" "$@" |
    tee "$out/benchmark.log" || status=1
fi
say "results are in $out"
if $tests || ((${#runners[@]})); then
  python3 "$bundle/scripts/test_report.py" "${runners[@]}" || status=1
fi
exit "$status"
