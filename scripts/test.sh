#!/usr/bin/env bash
# All tests that need no GPU: installs what is missing, builds, runs the unit
# tests, the lit tests, the Python tests, and each fuzz target for half a minute.
#
#   scripts/test.sh [--preset=release] [--torch] [--jax]
#
# --torch also runs what needs PyTorch, and installs it (scripts/test_torch.sh), --jax what
# needs JAX (scripts/test_jax.sh); where that has been done once, these tests run without
# being asked for.
# The last line is `N passed, N failed, N skipped`. Status 0: all passed, and every runner
# had tests to run; 1: a test failed; 2: something could not be installed.
set -euo pipefail
source "$(dirname "$0")/common.sh"

# `release`: the tests that take time are the emulator's, which wants optimised
# code, and a build without debug information compiles in half the time of
# `dev`. `--preset=asan` runs the same tests under the sanitizers.
preset=release
torch=false
[[ ! -f $torch_venv/.locks ]] || torch=true
jax=false
[[ ! -f $jax_venv/.locks ]] || jax=true
for argument in "$@"; do
  case $argument in
  --preset=*) preset=${argument#*=} ;;
  --torch) torch=true ;;
  --jax) jax=true ;;
  *) die "unknown argument '$argument'; usage: scripts/test.sh [--preset=NAME] [--torch] [--jax]" ;;
  esac
done

need_build_packages
need_python "$root/python/requirements.lock"
! $torch || need_torch
! $jax || need_jax
build "$preset" all check-conv-depends conv_unittests

dir=$build_root/$preset
reports=$dir/reports
rm -rf "$reports"
mkdir -p "$reports/gtest"
export PATH=$dir/bin:$venv/bin:$PATH

say "unit tests"
GTEST_OUTPUT=json:$reports/gtest/ ctest --test-dir "$dir" -j "$(nproc)" \
  --output-on-failure --output-junit "$reports/ctest.xml" </dev/null || true
say "lit tests"
"$dir/bin/conv-lit" -sv --no-progress-bar --xunit-xml-output "$reports/lit.xml" \
  "$root/test" </dev/null || true
runners=(--ctest="$reports/ctest.xml" --gtest="$reports/gtest" --lit="$reports/lit.xml")
say "Python tests"
sanitizer=()
if grep -q '^CONV_MLIR_ASAN:BOOL=ON' "$dir/CMakeCache.txt"; then
  # Python loads an instrumented library; the options are those of
  # cmake/SanitizerOptions.cpp, which is part of executables only.
  sanitizer=("LD_PRELOAD=$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
    ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0)
fi
(cd "$root/python" && env "${sanitizer[@]}" CONV_MLIR_BUILD_DIR="$dir" \
  "$venv/bin/python" -m pytest -q --junit-xml="$reports/pytest.xml" tests </dev/null) || true
runners+=(--pytest="$reports/pytest.xml")
"$root/scripts/fuzz.sh" --quick --seconds=30 --jobs=2 --junit="$reports/fuzz.xml" </dev/null || true
runners+=(--lit="fuzz:$reports/fuzz.xml")
if ! $torch; then
  say "the tests that need PyTorch are skipped; --torch installs it and runs them"
elif ((${#sanitizer[@]})); then
  say "the tests that need PyTorch are skipped: it is not built with sanitizers"
else
  torch_tests "$dir"
  runners+=(--lit="PyTorch:$reports/torch.xml")
fi
if ! $jax; then
  say "the tests that need JAX are skipped; --jax installs it and runs them"
elif ((${#sanitizer[@]})); then
  say "the tests that need JAX are skipped: it is not built with sanitizers"
else
  jax_tests "$dir"
  runners+=(--lit="JAX:$reports/jax.xml")
fi

say "done"
exec "$venv/bin/python" "$root/scripts/test_report.py" "${runners[@]}"
