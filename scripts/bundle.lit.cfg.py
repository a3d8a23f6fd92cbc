# The lit site configuration inside a bundle: test/ beside bin/, no LLVM tools.
# CONV_MLIR_TOOLS_DIR replaces the bundle's bin/ (a wrapper, for instance).
import os
import tempfile

bundle = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
config.conv_source_root = bundle
config.conv_test_exec_root = tempfile.mkdtemp(prefix="conv-mlir-lit-")
config.conv_tools_dir = os.environ.get(
    "CONV_MLIR_TOOLS_DIR", os.path.join(bundle, "bin")
)
config.conv_lib_dir = os.path.join(bundle, "lib")
config.llvm_tools_dir = ""
config.mlir_lib_dir = ""
config.plugin = False
config.asan = False

lit_config.load_config(config, os.path.join(bundle, "test", "lit.cfg.py"))
