#!/usr/bin/env bash
# Fuzzes what reads hostile input: builds the targets of fuzz/, makes their first
# inputs out of the lit tests, and runs them.
#
#   scripts/fuzz.sh [--seconds=600] [--jobs=N] [--quick] [TARGET...]
#
# TARGET: npy npz plan problem tuning, which read files and lines, and module and
# schedule, which compile; all of them unless some are named.
# --seconds: for each target. --jobs: targets at a time (default: as many as there
# are processors).
# --quick: as scripts/test.sh does it. Always the same random numbers, nothing of
# earlier runs; module and schedule with the libraries of build/release, without
# sanitizers, for these libraries take an hour to compile anew, and with a part of
# the seeds.
# --junit=FILE: a test case for each target.
#
# What is found lies in build/fuzzing/findings; inputs that led somewhere new are kept
# in build/fuzzing/inputs for the next run. The last lines are one for each target:
# what was run and what was found. Status 0: nothing was found; 1: something was,
# or could not be built; 2: something could not be installed.
set -euo pipefail
source "$(dirname "$0")/common.sh"

readers=(npy npz plan problem tuning)
compilers=(module schedule)
seconds=600 parallel=$(nproc) quick=false junit='' targets=()
for argument in "$@"; do
  case $argument in
  --seconds=*) seconds=${argument#*=} ;;
  --jobs=*) parallel=${argument#*=} ;;
  --quick) quick=true ;;
  --junit=*) junit=${argument#*=} ;;
  -*) die "unknown option '$argument'; see the head of scripts/fuzz.sh" ;;
  *)
    [[ " ${readers[*]} ${compilers[*]} " == *" $argument "* ]] ||
      die "no target '$argument'; expected one of ${readers[*]} ${compilers[*]}"
    targets+=("$argument")
    ;;
  esac
done
for number in "$seconds" "$parallel"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || die "--seconds and --jobs: expected a number from 1 on, got '$number'"
done
((${#targets[@]})) || targets=("${readers[@]}" "${compilers[@]}")

work=$build_root/fuzzing
seeds=$work/seeds inputs=$work/inputs findings=$work/findings

# preset_of TARGET: the build that has it.
preset_of() {
  if $quick && [[ " ${compilers[*]} " == *" $1 "* ]]; then echo release; else echo fuzz; fi
}

# build_targets PRESET: those of the targets that it has.
build_targets() {
  local target names=()
  for target in "${targets[@]}"; do
    [[ $(preset_of "$target") != "$1" ]] || names+=("fuzz-$target")
  done
  [[ $1 != release ]] || names+=(conv-run) # makes the plans among the seeds
  ((${#names[@]} == 0)) || build "$1" "${names[@]}"
}

make_seeds() {
  rm -rf "$seeds"
  logged fuzz-seeds "making seeds" \
    "$venv/bin/python" "$root/fuzz/make_corpora.py" "$build_root/release/bin/conv-run" "$seeds" || exit 2
}

# take_seeds NAME COUNT: a folder with so many, always the same; their names are
# sums of what they hold.
take_seeds() {
  local folder=$seeds/$1-part
  mkdir -p "$folder"
  find "$seeds/$1" -type f | sort | head -n "$2" | xargs cp -t "$folder"
  echo "$folder"
}

# run_target NAME: until the time is over or something is found. Its log ends with
# libFuzzer's statistics or its report.
run_target() {
  local name=$1 options=(-timeout=120 -rss_limit_mb=4096 -max_len=16384 -detect_leaks=0)
  local first=$seeds/$name status=0
  if $quick; then
    options+=(-seed=1)
    rm -rf "${inputs:?}/$name"
  fi
  if [[ $(preset_of "$name") == release ]]; then
    # Without instrumentation few seeds would seem to be of use.
    options+=(-keep_seed=1)
    first=$(take_seeds "$name" 100)
  fi
  mkdir -p "$inputs/$name" "$findings"
  "$build_root/$(preset_of "$name")/bin/fuzz-$name" "${options[@]}" -max_total_time="$seconds" \
    -print_final_stats=1 -dict="$seeds/$name.dict" -artifact_prefix="$findings/$name-" \
    "$inputs/$name" "$first" >"$work/$name.log" 2>&1 </dev/null || status=$?
  echo "$status" >"$work/$name.status"
}

# number_in PATTERN FILE: the last number that follows PATTERN.
number_in() { grep -oE "$1 *[0-9]+" "$2" | tail -n 1 | grep -oE '[0-9]+$' || echo 0; }

# report_target NAME: its line; status 1 where something was found.
report_target() {
  local log=$work/$1.log summary
  summary="$1: $(number_in 'stat::number_of_executed_units:' "$log") runs, $(number_in 'cov:' "$log") edges"
  if [[ $(<"$work/$1.status") == 0 ]]; then
    echo "$summary, nothing found in $seconds s"
    return 0
  fi
  echo "$summary, FOUND: $(grep -m 1 -E '^(SUMMARY|expected that)|ERROR:' "$log" || tail -n 1 "$log")"
  echo "    $(grep -oE 'Test unit written to .*' "$log" || echo "see $log")"
  return 1
}

write_junit() {
  local target
  echo "<testsuite>"
  for target in "${targets[@]}"; do
    echo "<testcase name=\"fuzz-$target\">"
    [[ $(<"$work/$target.status") == 0 ]] || echo "<failure/>"
    echo "</testcase>"
  done
  echo "</testsuite>"
}

need_build_packages
need_packages clang-22 libclang-rt-22-dev
need_python "$root/python/requirements.lock"
build_targets release
build_targets fuzz
make_seeds

say "fuzzing ${targets[*]}, $seconds s each, $parallel at a time"
rm -f "$work"/*.status
for target in "${targets[@]}"; do
  while (($(builtin jobs -rp | wc -l) >= parallel)); do wait -n || true; done
  run_target "$target" &
done
wait

[[ -z $junit ]] || write_junit >"$junit"
status=0
for target in "${targets[@]}"; do
  report_target "$target" || status=1
done
exit "$status"
