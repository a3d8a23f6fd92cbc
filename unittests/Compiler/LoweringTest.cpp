//===- LoweringTest.cpp - the cost of lowering ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often the IR of a problem is verified on its way.
//
//===----------------------------------------------------------------------===//

#include "Code/Lowering.h"
#include "Import/SourceModuleImpl.h"
#include "conv/Compiler/Compiler.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include <gtest/gtest.h>

using namespace convmlir;

namespace {

/// An operation that counts how often it is verified.
class CountedOp
    : public mlir::Op<CountedOp, mlir::OpTrait::ZeroOperands,
                      mlir::OpTrait::ZeroResults, mlir::OpTrait::ZeroRegions,
                      mlir::OpTrait::ZeroSuccessors> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountedOp)
  using Op::Op;
  static llvm::StringRef getOperationName() { return "counted.op"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static void build(mlir::OpBuilder &, mlir::OperationState &) {}
  mlir::LogicalResult verify() {
    ++count;
    return mlir::success();
  }

  static inline int count = 0;
};

class CountedDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountedDialect)
  explicit CountedDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                mlir::TypeID::get<CountedDialect>()) {
    addOperations<CountedOp>();
  }
  static llvm::StringRef getDialectNamespace() { return "counted"; }
};

TEST(Lowering, verifiesTheIrOfAProblemOnceForEachStep) {
  Result<Problem> problem =
      parseProblem("dgrad n=1 c=16 h=24 w=24 k=16 r=8 s=8 stride=8 type=f16");
  ASSERT_TRUE(problem);
  Result<std::unique_ptr<SourceModule>> source =
      SourceModule::fromProblem(*problem);
  ASSERT_TRUE(source);
  SourceModule::Impl &impl = (*source)->impl();
  impl.context->getOrLoadDialect<CountedDialect>();
  mlir::OpBuilder builder(impl.context.get());
  builder.setInsertionPointToStart(&impl.entry.getBody().front());
  mlir::OperationState state(impl.entry.getLoc(),
                             CountedOp::getOperationName());
  builder.create(state);

  CountedOp::count = 0;
  auto lowered = lower(**source, Form::F2, CompileOptions());
  ASSERT_TRUE(lowered) << lowered.error();
  // In front of the choice of a schedule, and behind each of two steps.
  EXPECT_EQ(CountedOp::count, 3);
}

} // namespace
