#!/usr/bin/env bash
# A photograph through two convolutions, compiled by conv-run and executed on the
# GPU where there is one, else on the emulator: installs what is missing, builds,
# runs examples/demo.py. The pictures are in build/demo.
#
#   scripts/demo.sh
set -euo pipefail
source "$(dirname "$0")/common.sh"

(($# == 0)) || die "unknown argument '$1'; usage: scripts/demo.sh"
need_build_packages
need_python "$root/python/requirements.lock" "$root/python/requirements-demo.lock"
build release conv-run
say "examples/demo.py"
"$venv/bin/python" "$root/examples/demo.py" \
  --conv-run="$build_root/release/bin/conv-run" --output="$build_root/demo"
say "done: look at build/demo/photo.png and build/demo/drawing.png"
