// Uses the installed dialects: their headers, the generated ones too, and
// archives.

#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Dialect/Engine/IR/EngineOps.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::conv::ConvDialect, mlir::conv::EngineDialect>();
  mlir::MLIRContext context(registry);
  bool hasConv = context.getOrLoadDialect("conv");
  bool hasEngine = context.getOrLoadDialect("engine") &&
                   context.isOperationRegistered("engine.load_tile");
  return hasConv && hasEngine ? 0 : 1;
}
