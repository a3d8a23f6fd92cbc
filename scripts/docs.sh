#!/usr/bin/env bash
# The documentation site: all documents, and pages made from the sources, in build/site/html.
#
#   scripts/docs.sh
#
# Needs no build of the compiler. With build/release/bin/conv-run it has pages of kernels through
# all stages, too. The first run installs Sphinx into build/venv-docs; later
# ones need no network. Status 0: the site was made, without a warning, and its links lead
# somewhere; 1: a warning or a broken link; 2: something is missing.
set -euo pipefail
source "$(dirname "$0")/common.sh"
(($# == 0)) || die "unknown argument '$1'; usage: scripts/docs.sh"

[[ -n ${MLIR_DIR:-} ]] || need_packages python3 python3-venv libmlir-22-dev mlir-22-tools
need_docs
prefix=/usr/lib/llvm-22
[[ -z ${MLIR_DIR:-} ]] || prefix=${MLIR_DIR%/lib/cmake/mlir}
[[ -x $prefix/bin/mlir-tblgen ]] ||
  die "no mlir-tblgen in $prefix/bin; set MLIR_DIR to an MLIR 22's lib/cmake/mlir"

arguments=(--tblgen="$prefix/bin/mlir-tblgen" --mlir-include="$prefix/include")
conv_run=$build_root/release/bin/conv-run
if [[ -x $conv_run ]]; then
  arguments+=(--conv-run="$conv_run")
else
  say "no $conv_run: the site has no kernels through all stages"
fi

say "making the site"
PYTHONPATH=$root/scripts "$docs_venv/bin/python" -m documentation \
  "${arguments[@]}" "$build_root/site"
