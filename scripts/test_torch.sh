#!/usr/bin/env bash
# The tests that need PyTorch, on the emulator: conv_mlir.torch through PyTorch's
# dispatcher. Installs PyTorch from PyPI into build/venv-torch (2.2 GB to load, 3.6 GB
# on disk, about two minutes) and builds the library.
#
#   scripts/test_torch.sh [--preset=release] [--all] [PYTEST'S ARGUMENTS]
#
# --all: every sample that PyTorch has of convolutions, in all types, not an eighth of
# them. The last line is `N passed, N failed, N skipped`; status as scripts/test.sh.
set -euo pipefail
source "$(dirname "$0")/common.sh"

preset=release
arguments=()
for argument in "$@"; do
  case $argument in
  --preset=*) preset=${argument#*=} ;;
  --all) arguments+=(--all-samples) ;;
  *) arguments+=("$argument") ;;
  esac
done

need_build_packages
need_torch
build "$preset" conv_capi
torch_tests "$build_root/$preset" "${arguments[@]}"
say "done"
exec "$torch_venv/bin/python" "$root/scripts/test_report.py" \
  --lit="PyTorch:$build_root/$preset/reports/torch.xml"
