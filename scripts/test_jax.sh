#!/usr/bin/env bash
# The tests that need JAX, on the emulator: conv_mlir.jax through XLA's CPU backend.
# Installs JAX from PyPI into build/venv-jax (140 MB to load, 570 MB on disk) and builds
# the library.
#
#   scripts/test_jax.sh [--preset=release] [PYTEST'S ARGUMENTS]
#
# The last line is `N passed, N failed, N skipped`; status as scripts/test.sh.
set -euo pipefail
source "$(dirname "$0")/common.sh"

preset=release
arguments=()
for argument in "$@"; do
  case $argument in
  --preset=*) preset=${argument#*=} ;;
  *) arguments+=("$argument") ;;
  esac
done

need_build_packages
need_jax
build "$preset" conv_capi
jax_tests "$build_root/$preset" "${arguments[@]}"
say "done"
exec "$jax_venv/bin/python" "$root/scripts/test_report.py" \
  --lit="JAX:$build_root/$preset/reports/jax.xml"
