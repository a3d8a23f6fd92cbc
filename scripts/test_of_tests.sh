#!/usr/bin/env bash
# Tests the lit tests: each runs with hollow tools, which print nothing and end
# with status 0, and must fail. One that passes would also pass if the tools did
# nothing. Tests of diagnostics pass, and must: under `-verify-diagnostics` the
# tool itself is the judge.
#
#   scripts/test_of_tests.sh [FILE OR FOLDER OF test/...]
#
# Run it by hand after adding tests, and once a week. Nothing is compiled. The
# last line is `N tests fail as they must, N pass on nothing`. Status 0: no test
# passes on nothing; 1: some do, each has a line; 2: nothing could be shown.
set -euo pipefail
source "$(dirname "$0")/common.sh"

need_build_packages
need_python "$root/python/requirements.lock"
configure release

# What judges a test stays what it is; all other programs become hollow.
judges=(FileCheck not count split-file)
work=$build_root/hollow
tools=$work/bin
rm -rf "$work"
mkdir -p "$tools"

# value_of NAME: a setting of the build's lit configuration.
value_of() { sed -n "s/^config\.$1 = \"\(.*\)\"$/\1/p" "$build_root/release/test/lit.site.cfg.py"; }

make_tools() {
  local llvm name
  llvm=$(value_of llvm_tools_dir)
  printf '#!/bin/sh\nexit 0\n' >"$work/hollow"
  chmod +x "$work/hollow"
  for name in "$root"/tools/*/ "$llvm"/* ptxas; do
    ln -sf ../hollow "$tools/$(basename "$name")"
  done
  for name in "${judges[@]}"; do
    [[ -x $llvm/$name ]] || die "$llvm has no $name"
    ln -sf "$llvm/$name" "$tools/$name"
  done
}

# make_suite: the suite over these tools. Hardware is claimed, so that its tests
# run, too, or with `-D hardware=no` denied, for the tests of its absence.
make_suite() {
  sed -E -e "s#^(config.conv_test_exec_root = ).*#\1\"$work/test\"#" \
    -e "s#^(config.(conv|llvm)_tools_dir = ).*#\1\"$tools\"#" \
    "$build_root/release/test/lit.site.cfg.py" >"$work/lit.site.cfg.py"
  cat >>"$work/lit.site.cfg.py" <<'PYTHON'
hardware = {"cuda", "ptxas"}
if lit_config.params.get("hardware") == "no":
    config.available_features -= hardware
else:
    config.available_features |= hardware
PYTHON
  sed "s#^SITE = .*#SITE = \"$work/lit.site.cfg.py\"#" \
    "$build_root/release/bin/conv-lit" >"$work/conv-lit"
}

# run_suite LOG ARGUMENT...: `PASS: conv-mlir :: NAME (1 of 300)`, a line a test.
run_suite() {
  local log=$work/$1
  shift
  "$venv/bin/python" "$work/conv-lit" --no-progress-bar "$@" >"$log" </dev/null || true
}

# tests_of RESULT LOG: the names of the tests with that result.
tests_of() { sed -n "s/^$1: conv-mlir :: \(.*\) ([0-9]* of [0-9]*)$/\1/p" "$work/$2" | sort; }

# of_diagnostics NAME: whether each of its commands verifies diagnostics, and its
# output is not looked at.
of_diagnostics() {
  local commands
  commands=$(grep 'RUN:' "$root/test/$1")
  ! grep -q FileCheck <<<"$commands" && ! grep -qv -e '-verify-diagnostics' <<<"$commands"
}

make_tools
make_suite
say "lit tests over hollow tools"
run_suite with-hardware.log "$@"
mapfile -t unsupported < <(tests_of UNSUPPORTED with-hardware.log)
: >"$work/without-hardware.log"
((${#unsupported[@]} == 0)) ||
  run_suite without-hardware.log -D hardware=no "${unsupported[@]/#/$root/test/}"
cat "$work"/with*-hardware.log >"$work/all.log"

mapfile -t failing < <(tests_of FAIL all.log)
hollow=0 judged=0
for name in $(tests_of PASS all.log); do
  if of_diagnostics "$name"; then
    judged=$((judged + 1))
  else
    echo "passes on nothing: test/$name"
    hollow=$((hollow + 1))
  fi
done
for name in "${failing[@]}"; do
  ! of_diagnostics "$name" || die "test/$name fails, so the hollow tools do not run: see $work/all.log"
done
for name in $(tests_of UNSUPPORTED without-hardware.log); do
  echo "not shown, for it cannot run here: test/$name"
done
((${#failing[@]})) || die "no test failed: see $work/all.log"
echo "$judged tests of diagnostics pass, as they must"
echo "${#failing[@]} tests fail as they must, $hollow pass on nothing"
((hollow == 0))
