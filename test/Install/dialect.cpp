// Uses the installed dialect: its headers, the generated ones too, and archive.

#include "conv/Dialect/Conv/IR/ConvDialect.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::conv::ConvDialect>();
  mlir::MLIRContext context(registry);
  return context.getOrLoadDialect("conv") ? 0 : 1;
}
