# The lit suite of conv-mlir.
#
# Tools are found in the build's bin/, then in the LLVM installation's.
# Substitutions: %mlir_lib_dir (libmlir_runner_utils.so and its kin), %conv_lib_dir, %S, %s, %t.
# Features:
#   cuda    a CUDA driver with at least one device can be used
#   ptxas   ptxas is found (CUDA_HOME, PATH, /usr/local/cuda)
#   plugin  the build makes libConvMLIRPlugin.so, and upstream's mlir-opt is at hand
#   asan    the tools were built with AddressSanitizer
#   mlir    FileCheck, mlir-runner and the other LLVM tools are at hand (they
#           are not where a packaged bundle runs its CUDA tests)

import ctypes
import os
import shutil

import lit.formats

config.name = "conv-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Install"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = config.conv_test_exec_root

for name in os.environ:
    if name.startswith(("CONV_MLIR_", "CUDA_", "NVIDIA_")) or name in (
        "ASAN_OPTIONS",
        "LD_LIBRARY_PATH",
        "HOME",
        "TMPDIR",
        "UBSAN_OPTIONS",
    ):
        config.environment[name] = os.environ[name]
# Tuning records of the user would change what is compiled.
config.environment.pop("CONV_MLIR_TUNING", None)
for name in ("CONV_MLIR_CACHE_DIR", "CONV_MLIR_CACHE_BYTES"):
    config.environment.pop(name, None)
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.environment["XDG_CONFIG_HOME"] = os.path.join(config.test_exec_root, "config")


def cuda_device_count():
    """Number of devices that the CUDA driver offers, 0 where there is no driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def find_ptxas():
    """The folder of ptxas, or None."""
    folders = [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME",) if name in os.environ]
    folders += os.environ.get("PATH", "").split(os.pathsep) + ["/usr/local/cuda/bin"]
    found = shutil.which("ptxas", path=os.pathsep.join(folders))
    return os.path.dirname(found) if found else None


search_path = [config.conv_tools_dir]
if config.llvm_tools_dir:
    search_path.append(config.llvm_tools_dir)
    config.available_features.add("mlir")
ptxas_dir = find_ptxas()
if ptxas_dir:
    search_path.append(ptxas_dir)
    config.available_features.add("ptxas")
if cuda_device_count() > 0:
    config.available_features.add("cuda")
if config.plugin and config.llvm_tools_dir and os.path.exists(os.path.join(config.llvm_tools_dir, "mlir-opt")):
    config.available_features.add("plugin")
if config.asan:
    config.available_features.add("asan")

config.environment["PATH"] = os.pathsep.join(
    search_path + [os.environ.get("PATH", "")]
)
config.substitutions.append(("%mlir_lib_dir", config.mlir_lib_dir))
config.substitutions.append(("%conv_lib_dir", config.conv_lib_dir))
