# What the scripts share: packages, the Python environment, the build, progress
# lines. Sourced, never run; the caller sets `set -euo pipefail`.
#
#   CONV_MLIR_JOBS   parallel compile jobs (default: by cores and memory)
#   MLIR_DIR         an MLIR 22 that was not installed by the distribution

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# Lets ccache serve one preset with what another has compiled with equal flags.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
build_root=$root/build
logs=$build_root/logs
venv=$build_root/venv
torch_venv=$build_root/venv-torch
jax_venv=$build_root/venv-jax
docs_venv=$build_root/venv-docs

build_packages=(g++ cmake ninja-build ccache zlib1g-dev libzstd-dev
  nlohmann-json3-dev libgtest-dev libbenchmark-dev python3 python3-venv)
mlir_packages=(libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22)

# say TEXT: a line of progress with the seconds since the script began.
say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }

# die TEXT: one message, status 2.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# logged NAME TEXT COMMAND...: runs COMMAND with its output in
# build/logs/NAME.log; a line at the start, one every ten seconds with the last
# line of the log, and the end of the log where it fails.
logged() {
  local log=$logs/$1.log text=$2 line pid next=$((SECONDS + 10)) status=0
  shift 2
  mkdir -p "$logs"
  say "$text"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS >= next)); then
      line=$(tail -n 1 "$log" | tr -d '\r' | cut -c1-100)
      say "  ... ${line:-running}"
      next=$((SECONDS + 10))
    fi
  done
  wait "$pid" || status=$?
  if ((status != 0)); then
    printf '%s failed (status %d); the end of %s:\n' "$text" "$status" "$log" >&2
    tail -n 40 "$log" >&2
  fi
  return "$status"
}

installed() { # installed PACKAGE
  [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing packages needs root or sudo; as root: apt-get install $*"
  fi
}

# need_packages NAME...: installs the Debian packages that are missing. A system
# without dpkg is taken to have what is needed; CMake says what it has not.
need_packages() {
  local name missing=()
  command -v dpkg-query >/dev/null || return 0
  for name in "$@"; do
    installed "$name" || missing+=("$name")
  done
  ((${#missing[@]})) || return 0
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  logged apt-update "apt-get update" as_root "${apt[@]}" update ||
    say "the package lists could not be refreshed; trying with the old ones"
  for name in "${missing[@]}"; do
    apt-cache show "$name" >/dev/null 2>&1 ||
      die "no package $name in the configured apt sources. On Debian 12 the LLVM 22" \
        "packages come from the suite bookworm-security, the others from bookworm;" \
        "elsewhere build MLIR 22 yourself and set MLIR_DIR to its lib/cmake/mlir."
  done
  logged apt-install "installing ${missing[*]}" \
    as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    die "these packages could not be installed: ${missing[*]}"
}

# need_build_packages: everything that configuring and building takes.
need_build_packages() {
  local packages=("${build_packages[@]}")
  [[ -n ${MLIR_DIR:-} ]] || packages+=("${mlir_packages[@]}")
  need_packages "${packages[@]}"
}

# need_environment FOLDER "PIP OPTIONS" LOCKFILE...: a virtual environment with the
# pinned requirements; installs only when a lock file changed.
need_environment() {
  local folder=$1 args=($2) stamp=$1/.locks lock sums
  shift 2
  sums=$(cat "$@" | sha256sum)
  [[ -f $stamp && $(<"$stamp") == *"$sums"* ]] && return 0
  for lock in "$@"; do args+=(-r "$lock"); done
  if [[ ! -x $folder/bin/python ]]; then
    logged venv "creating the Python environment" python3 -m venv "$folder" ||
      die "python3 -m venv failed (Debian: package python3-venv)"
  fi
  logged pip "installing the Python packages of ${*##*/}" \
    "$folder/bin/python" -m pip install --quiet "${args[@]}" ||
    die "pip could not install the packages of $*"
  echo "$sums" >>"$stamp"
}

# need_python LOCKFILE...: the environment of tests and scripts.
need_python() { need_environment "$venv" "" "$@"; }

# need_torch: the environment with PyTorch, 3.6 GB.
need_torch() {
  need_environment "$torch_venv" "--no-deps --no-cache-dir --no-compile" \
    "$root/python/requirements-torch.lock"
}

# need_docs: the environment with Sphinx, 120 MB.
need_docs() {
  need_environment "$docs_venv" "--no-deps" "$root/python/requirements-docs.lock"
}

# torch_tests BUILD ARGUMENT...: the tests of conv_mlir.torch and all others that
# need PyTorch, with the library of a build; the report is reports/torch.xml there.
torch_tests() {
  local dir=$1
  shift
  say "PyTorch tests"
  mkdir -p "$dir/reports"
  rm -f "$dir/reports/torch.xml"
  (cd "$root/python" && CONV_MLIR_BUILD_DIR="$dir" "$torch_venv/bin/python" -m pytest -q \
    --junit-xml="$dir/reports/torch.xml" "$@" tests/test_torch_*.py \
    tests/test_tensors.py tests/test_benchmark_torch.py </dev/null) || true
}

# need_jax: the environment with JAX for the CPU.
need_jax() {
  need_environment "$jax_venv" "--no-deps --no-cache-dir" "$root/python/requirements-jax.lock"
}

# jax_tests BUILD ARGUMENT...: the tests of conv_mlir.jax, with the library of a build; the
# report is reports/jax.xml there.
jax_tests() {
  local dir=$1
  shift
  say "JAX tests"
  mkdir -p "$dir/reports"
  rm -f "$dir/reports/jax.xml"
  (cd "$root/python" && CONV_MLIR_BUILD_DIR="$dir" "$jax_venv/bin/python" -m pytest -q \
    --junit-xml="$dir/reports/jax.xml" "$@" tests/test_jax*.py </dev/null) || true
}

# jobs: compile jobs. One MLIR file takes up to 1.5 GB, so memory counts too.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  echo "${CONV_MLIR_JOBS:-$((memory < 1 ? 1 : memory < cores ? memory : cores))}"
}

# configure PRESET: where that has not been done.
configure() {
  [[ ! -f $build_root/$1/build.ninja ]] || return 0
  logged "configure-$1" "configuring build/$1" cmake -S "$root" --preset "$1" || exit 1
}

# build PRESET TARGET...: configures where needed, and builds.
build() {
  local preset=$1 dir=$build_root/$1
  shift
  configure "$preset"
  logged "build-$preset" "building $* in build/$preset ($(jobs) jobs)" \
    cmake --build "$dir" -j "$(jobs)" --target "$@" || exit 1
}
