#!/usr/bin/env bash
# Builds two files in dist/, which run on any x86-64 Linux with glibc 2.34 or newer:
#
#   conv-mlir-VERSION-linux-x86_64.tar.xz   the relocatable bundle: the tools, the
#       C API and the Python package, with MLIR inside, what a machine with a GPU
#       needs to test and measure them (scripts/gpu.sh), and the examples
#   conv_mlir-VERSION-py3-none-manylinux_2_34_x86_64.whl   the Python package with
#       the library, the tools and the tuning records, for every Python from 3.9 on
#
#   scripts/package.sh
set -euo pipefail
source "$(dirname "$0")/common.sh"

glibc_limit=2.34
size_limit=$((30 * 1000 * 1000)) wheel_limit=$((35 * 1000 * 1000))
runtime_limit=$((3 * 1000 * 1000))

(($# == 0)) || die "unknown argument '$1'; usage: scripts/package.sh"
need_build_packages
need_packages binutils xz-utils
need_python "$root/python/requirements.lock" "$root/python/requirements-package.lock"
build static check-conv-depends conv_cuda_unittests

version=$(sed -n 's/^project(conv-mlir VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
name=conv-mlir-$version-linux-x86_64
stage=$build_root/stage/$name
archive=$root/dist/$name.tar.xz

# copy PATH...: parts of the source tree that exist, at the same place.
copy() {
  local path
  for path in "$@"; do
    [[ -e $root/$path ]] || continue
    mkdir -p "$stage/$(dirname "$path")"
    cp -R "$root/$path" "$stage/$(dirname "$path")/"
  done
}

# stage_files: fills the folder that becomes the archive.
stage_files() {
  local component lit
  rm -rf "$stage"
  for component in tools cuda-tests; do
    cmake --install "$build_root/static" --prefix "$stage" --component "$component" \
      --strip >/dev/null
  done
  rm -f "$stage/bin/conv-lsp-server" # an editor's helper, of no use on a server
  copy LICENSE README.md CHANGELOG.md examples include/conv-c docs/CApi.md docs/Cache.md docs/ConvLaunch.md docs/JAX.md docs/Problem.md docs/PyTorch.md docs/Tuning.md docs/images \
    benchmarks/compare_cudnn.py benchmarks/tune_suite.py benchmarks/comparison benchmarks/suite.json \
    benchmarks/models.py benchmarks/networks \
    python/conv_mlir python/tests/conftest.py python/tests/test_tensors.py \
    python/tests/torch_cases.py python/tests/jax_cases.py scripts/gpu.sh scripts/gpu_torch.py scripts/gpu_torch_ops.py scripts/gpu_jax.py scripts/torch_ddp.py scripts/test_report.py \
    test/lit.cfg.py test/Integration/CUDA test/Integration/Inputs \
    test/Integration/run_activations.py test/Integration/run_grid.py test/Integration/run_functions.py test/Integration/grids.py
  # The CUDA tests run where there is no LLVM: lit comes along.
  lit=$(dirname "$(readlink -f "$(command -v lit-22)")")/../utils/lit/lit
  mkdir -p "$stage/share/lit"
  cp -R "$lit" "$stage/share/lit/"
  cp /usr/share/doc/llvm-22-tools/copyright "$stage/share/lit/LICENSE.LLVM"
  cp "$root/scripts/bundle.lit.cfg.py" "$stage/test/lit.site.cfg.py"
  find "$stage" -name __pycache__ -prune -exec rm -rf {} +
}

elf_files() {
  find "$stage" -type f -exec sh -c 'head -c4 "$1" | grep -q ELF' _ {} \; -print
}

# check_glibc: no file may ask for a symbol that is newer than the limit, or for
# a library other than those of glibc and libgcc_s, which comes with it.
check_glibc() {
  local newest foreign
  newest=$(elf_files | xargs -r objdump -T | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
  newest=${newest#GLIBC_}
  [[ $(printf '%s\n' "$newest" "$glibc_limit" | sort -V | tail -n 1) == "$glibc_limit" ]] ||
    die "the bundle needs glibc $newest, but may need $glibc_limit at most"
  foreign=$(elf_files | xargs -r objdump -p | awk '$1 == "NEEDED" {print $2}' | sort -u |
    grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64|libgcc_s|libconv-mlir|libconv-runtime)\.so' || true)
  [[ -z $foreign ]] || die "the bundle needs libraries beside libc and libgcc_s: ${foreign//$'\n'/ }"
  say "needs glibc $newest and libgcc_s, nothing else"
}

# check_runtime: what runs plans is small.
check_runtime() {
  local size
  size=$(cat "$stage/lib/libconv-runtime.so" "$stage/bin/conv-launch" | wc -c)
  ((size <= runtime_limit)) || die "conv-launch and its library have $size bytes, more than $runtime_limit"
  say "conv-launch and its library, $((size / 1000)) kB"
}

# check_unpacked: the archive works from a folder that is not the build's.
check_unpacked() {
  local place tool
  place=$(mktemp -d)
  tar -C "$place" -xJf "$archive"
  for tool in "$place/$name"/bin/*; do
    env -i PATH=/usr/bin:/bin "$tool" --version >/dev/null ||
      die "${tool##*/} of the bundle does not start"
  done
  (cd "$place/$name/python" && env -i PATH=/usr/bin:/bin python3 -c \
    'import conv_mlir; conv_mlir.compile("forward c=8 h=4 w=4 k=8 r=1 s=1", "sm_90")') ||
    die "the Python package of the bundle compiles nothing"
  rm -rf "$place"
}

say "collecting $name"
stage_files
check_glibc
check_runtime
mkdir -p "$root/dist"
# The filter for x86 code gains more than a slower preset does.
logged package "compressing" tar -C "$(dirname "$stage")" --owner=0 --group=0 --sort=name \
  -I 'xz -T0 --x86 --lzma2=preset=2' -cf "$archive" "$name"
check_unpacked
size=$(stat -c %s "$archive")
((size <= size_limit)) || die "$archive has $size bytes, more than $size_limit"
say "dist/$name.tar.xz, $((size / 1000)) kB"

# stage_wheel FOLDER: what the wheel is built of.
stage_wheel() {
  local native=$1/conv_mlir/native
  rm -rf "$1"
  mkdir -p "$1"
  cp -R "$root/python/conv_mlir" "$root/python/pyproject.toml" "$root/python/setup.py" \
    "$root/LICENSE" "$root/README.md" "$1/"
  find "$1" -name __pycache__ -prune -exec rm -rf {} +
  mkdir -p "$native/bin" "$native/lib" "$native/share"
  cp "$stage"/bin/conv-{run,opt,emulate,launch} "$native/bin/"
  cp "$stage"/lib/libconv-{mlir,runtime}.so "$native/lib/"
  cp -R "$stage/share/conv-mlir" "$native/share/"
}

# check_wheel WHEEL: the tag is what the files need, and an environment that has
# nothing else runs it, far from this tree.
check_wheel() {
  local place
  "$venv/bin/python" -m auditwheel show "$1" | tr '\n' ' ' | grep -q "\"manylinux_${glibc_limit/./_}_x86_64\"" ||
    die "auditwheel does not give the wheel the tag manylinux_${glibc_limit/./_}_x86_64"
  place=$(mktemp -d)
  python3 -m venv "$place/venv"
  env -u CUDA_HOME PATH="$place/venv/bin:/usr/bin:/bin" \
    "$place/venv/bin/python" "$root/scripts/test_wheel.py" "$1" ||
    die "the wheel does not work in a fresh environment"
  rm -rf "$place"
}

tag=py3-none-manylinux_${glibc_limit/./_}_x86_64
wheel=$root/dist/conv_mlir-$version-$tag.whl
stage_wheel "$build_root/stage/wheel"
rm -f "$wheel"
CONV_MLIR_VERSION=$version CONV_MLIR_PLATFORM=${tag#py3-none-} \
  logged wheel "building the wheel" "$venv/bin/python" -m pip wheel --quiet --no-deps \
  --no-build-isolation --wheel-dir "$root/dist" "$build_root/stage/wheel"
check_wheel "$wheel"
size=$(stat -c %s "$wheel")
((size <= wheel_limit)) || die "$wheel has $size bytes, more than $wheel_limit"
say "${wheel#"$root/"}, $((size / 1000)) kB"
