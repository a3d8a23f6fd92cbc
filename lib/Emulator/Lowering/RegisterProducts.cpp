//===- RegisterProducts.cpp - wgmma with A in registers -------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RegisterProducts.h.
//
//===----------------------------------------------------------------------===//

#include "RegisterProducts.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using convmlir::emu::MmaElement;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Consumes "{$first, …}".
static bool consumeOperands(StringRef &text, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!text.consume_front(i ? ", $" : "{$") ||
        !text.consume_front(std::to_string(first + i)))
      return false;
  return text.consume_front("}");
}

static std::optional<RegisterProduct> parse(StringRef text) {
  RegisterProduct product;
  unsigned adds = 0;
  if (!text.consume_front("{ .reg .pred p; setp.ne.b32 p, ") ||
      text.consumeInteger(10, adds) ||
      !text.consume_front(", 0; wgmma.mma_async.sync.aligned.m64n") ||
      text.consumeInteger(10, product.n) || !text.consume_front("k16.f32."))
    return std::nullopt;
  product.clears = !adds;
  if (text.consume_front("bf16.bf16 "))
    product.element = MmaElement::BF16;
  else if (!text.consume_front("f16.f16 "))
    return std::nullopt;
  unsigned sums = product.n / 2;
  if (product.n % 8 != 0 || product.n == 0 ||
      product.n > convmlir::emu::kWgmmaMaxN ||
      !consumeOperands(text, 0, sums) || !text.consume_front(", ") ||
      !consumeOperands(text, sums, RegisterProduct::kB) ||
      !text.consume_front(", $") ||
      !text.consume_front(std::to_string(sums + RegisterProduct::kB)) ||
      text != ", p, 1, 1, 0; }")
    return std::nullopt;
  return product;
}

std::optional<RegisterProduct>
mlir::conv::emulator::matchRegisterProduct(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || op->getNumResults() != 1 ||
      op->getNumOperands() <= RegisterProduct::kAccumulator)
    return std::nullopt;
  OperandRange operands = assembly.getOperands();
  auto isRegister = [](Value operand) {
    return operand.getType().isInteger(32);
  };
  if (!llvm::all_of(operands.take_front(RegisterProduct::kB), isRegister) ||
      !operands[RegisterProduct::kB].getType().isInteger(64))
    return std::nullopt;
  std::optional<RegisterProduct> product = parse(assembly.getAsmString());
  if (!product)
    return std::nullopt;
  // One for each sum, or all of them once they are together; what they are in
  // is a handle in the end.
  size_t sums = product->n / 2;
  size_t given = operands.size() - RegisterProduct::kAccumulator;
  auto type = dyn_cast<LLVM::LLVMStructType>(op->getResult(0).getType());
  if ((given != sums && given != 1) || (type && type.getBody().size() != sums))
    return std::nullopt;
  return product;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The structure whose elements these are, in their order, or null.
static Value getWhole(OperandRange elements, Type type) {
  Value whole;
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto extract = element.getDefiningOp<LLVM::ExtractValueOp>();
    if (!extract || extract.getPosition().size() != 1 ||
        extract.getPosition().front() != int64_t(i) ||
        extract.getContainer().getType() != type ||
        (whole && extract.getContainer() != whole))
      return {};
    whole = extract.getContainer();
  }
  return whole;
}

static void joinAccumulator(OpBuilder &builder, LLVM::InlineAsmOp op,
                            bool clears) {
  builder.setInsertionPoint(op);
  Location loc = op.getLoc();
  Type type = op.getResult(0).getType();
  OperandRange elements =
      op.getOperands().drop_front(RegisterProduct::kAccumulator);
  Value whole = getWhole(elements, type);
  if (!whole) {
    whole = LLVM::UndefOp::create(builder, loc, type);
    if (!clears)
      for (auto [i, element] : llvm::enumerate(elements))
        whole = LLVM::InsertValueOp::create(builder, loc, whole, element, i);
  }
  llvm::SetVector<Value> before(elements.begin(), elements.end());
  SmallVector<Value> operands(
      op.getOperands().take_front(RegisterProduct::kAccumulator));
  operands.push_back(whole);
  op->setOperands(operands);
  for (Value element : before)
    if (auto extract = element.getDefiningOp<LLVM::ExtractValueOp>();
        extract && extract->use_empty())
      extract->erase();
}

void mlir::conv::emulator::joinAccumulators(LLVM::LLVMFuncOp kernel) {
  SmallVector<std::pair<LLVM::InlineAsmOp, bool>> products;
  kernel.walk([&](LLVM::InlineAsmOp op) {
    if (std::optional<RegisterProduct> product = matchRegisterProduct(op))
      products.push_back({op, product->clears});
  });
  OpBuilder builder(kernel.getContext());
  for (auto [op, clears] : products)
    joinAccumulator(builder, op, clears);
}
