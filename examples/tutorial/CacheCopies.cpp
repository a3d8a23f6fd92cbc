//===- CacheCopies.cpp - a pass of one's own -------------------*- C++ -*-===//
//
// docs/tutorial/2-pass.md: copies into shared memory keep their bytes in the L1
// cache as well. Input and output: F7, kernels whose copies are
// nvgpu.device_async_copy.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
struct CacheCopies : PassWrapper<CacheCopies, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CacheCopies)

  StringRef getArgument() const final { return "cache-copies"; }

  void runOnOperation() final {
    getOperation().walk(
        [](nvgpu::DeviceAsyncCopyOp copy) { copy.removeBypassL1Attr(); });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CacheCopies", LLVM_VERSION_STRING,
          [] { PassRegistration<CacheCopies>(); }};
}
