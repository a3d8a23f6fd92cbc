//===- AccumulatorLowering.cpp - wgmma and its accumulators ---------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See AccumulatorLowering.h.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorLowering.h"
#include "RegisterProducts.h"
#include "Runtime/Matrices/WgmmaOps.h"
#include "TiedWaits.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using emu::AccumulatorHandle;

namespace {

class AccumulatorLowering {
public:
  explicit AccumulatorLowering(KernelLowering &lowering)
      : lowering(lowering), builder(lowering.rewriter()) {}

  LogicalResult run();

private:
  void collect();
  void add(Value value);
  void addUsers(Value value);
  void addSources(Value value);
  bool isHandleUse(OpOperand &use) const;

  LogicalResult convertInputs();
  FailureOr<Value> handleOf(Value value);
  FailureOr<Value> write(Value value);
  LogicalResult convertReads(Value value, LLVM::LLVMStructType type);
  LogicalResult exportStruct(OpOperand &use, LLVM::LLVMStructType type);
  FailureOr<Value> read(Operation *before, Value handle,
                        LLVM::LLVMStructType type, unsigned element);
  LogicalResult lowerProduct(NVVM::WgmmaMmaAsyncOp op);
  LogicalResult lowerProduct(LLVM::InlineAsmOp op);

  KernelLowering &lowering;
  OpBuilder &builder;
  SmallVector<Operation *> products;
  /// Values that become handles: results of products and of selects, block
  /// arguments.
  llvm::SetVector<Value> handles;
  /// Handles of the structs that come from elsewhere.
  DenseMap<Value, Value> written;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is an accumulator
//===----------------------------------------------------------------------===//

static bool isProduct(Operation *op) {
  return isa<NVVM::WgmmaMmaAsyncOp>(op) || matchRegisterProduct(op);
}

/// What a product adds to.
static Value getAccumulator(Operation *product) {
  if (auto op = dyn_cast<NVVM::WgmmaMmaAsyncOp>(product))
    return op.getInouts();
  return product->getOperands().back();
}

static bool canBeHandle(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !argument.getOwner()->isEntryBlock();
  Operation *op = value.getDefiningOp();
  return isa<LLVM::SelectOp>(op) || isProduct(op);
}

void AccumulatorLowering::add(Value value) {
  if (canBeHandle(value))
    handles.insert(value);
}

/// The block argument that a terminator's operand is passed to, or null.
static BlockArgument passedTo(OpOperand &use) {
  auto branch = dyn_cast<BranchOpInterface>(use.getOwner());
  if (!branch)
    return nullptr;
  return branch.getSuccessorBlockArgument(use.getOperandNumber())
      .value_or(nullptr);
}

void AccumulatorLowering::addUsers(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (BlockArgument argument = passedTo(use))
      add(argument);
    if (isa<LLVM::SelectOp>(use.getOwner()))
      add(use.getOwner()->getResult(0));
  }
}

void AccumulatorLowering::addSources(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument) {
    for (Value operand : value.getDefiningOp()->getOperands())
      if (operand.getType() == value.getType())
        add(operand);
    return;
  }
  for (Block *block : argument.getOwner()->getPredecessors())
    for (OpOperand &operand : block->getTerminator()->getOpOperands())
      if (passedTo(operand) == argument)
        add(operand.get());
}

void AccumulatorLowering::collect() {
  lowering.function().walk([&](Operation *op) {
    if (isProduct(op))
      products.push_back(op);
  });
  for (Operation *op : products)
    add(op->getResult(0));
  for (size_t i = 0; i < handles.size(); ++i) {
    Value value = handles[i];
    addUsers(value);
    addSources(value);
  }
}

/// Whether an op passes its operand on as an accumulator.
bool AccumulatorLowering::isHandleUse(OpOperand &use) const {
  if (BlockArgument argument = passedTo(use))
    return handles.contains(argument);
  if (isProduct(use.getOwner()))
    return use.get() == getAccumulator(use.getOwner());
  return isa<LLVM::SelectOp>(use.getOwner()) &&
         handles.contains(use.getOwner()->getResult(0));
}

//===----------------------------------------------------------------------===//
// Structs to handles
//===----------------------------------------------------------------------===//

static unsigned elementCount(Type type) {
  return cast<LLVM::LLVMStructType>(type).getBody().size();
}

/// A struct that a kernel computed element by element.
FailureOr<Value> AccumulatorLowering::write(Value value) {
  Operation *op = value.getDefiningOp();
  if (op)
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(cast<BlockArgument>(value).getOwner());
  Operation *reported = op ? op : lowering.function().getOperation();
  auto &site = lowering.newSite<emu::AccumulatorWriteSite>(reported);
  site.n = 2 * elementCount(value.getType());
  if (failed(lowering.call(reported, site, emu::writeAccumulator, value)))
    return failure();
  return lowering.loadScalar(value.getLoc(), builder.getI64Type(),
                             site.resultOffset);
}

FailureOr<Value> AccumulatorLowering::handleOf(Value value) {
  if (Value known = written.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  bool isZero = op && isa<LLVM::ZeroOp>(op);
  if (isZero || (op && isa<LLVM::UndefOp, LLVM::PoisonOp>(op))) {
    builder.setInsertionPoint(op);
    uint64_t bits =
        isZero ? AccumulatorHandle::kZero : AccumulatorHandle::kUndefined;
    return written[value] = LLVM::ConstantOp::create(
               builder, op->getLoc(), builder.getI64IntegerAttr(bits));
  }
  FailureOr<Value> handle = write(value);
  if (succeeded(handle))
    written[value] = *handle;
  return handle;
}

LogicalResult AccumulatorLowering::convertInputs() {
  SmallVector<OpOperand *> uses;
  lowering.function().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<LLVM::LLVMStructType>(operand.get().getType()) &&
          !handles.contains(operand.get()) && isHandleUse(operand))
        uses.push_back(&operand);
  });
  for (OpOperand *use : uses) {
    FailureOr<Value> handle = handleOf(use->get());
    if (failed(handle))
      return failure();
    use->set(*handle);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Handles to elements
//===----------------------------------------------------------------------===//

FailureOr<Value> AccumulatorLowering::read(Operation *before, Value handle,
                                           LLVM::LLVMStructType type,
                                           unsigned element) {
  builder.setInsertionPoint(before);
  auto &site = lowering.newSite<emu::AccumulatorReadSite>(before);
  site.element = element;
  if (failed(lowering.call(before, site, emu::readAccumulator, handle)))
    return failure();
  return lowering.loadScalar(before->getLoc(), type.getBody()[element],
                             site.resultOffset);
}

/// The whole struct, for an op that wants it as such.
LogicalResult AccumulatorLowering::exportStruct(OpOperand &use,
                                                LLVM::LLVMStructType type) {
  Operation *user = use.getOwner();
  Location loc = user->getLoc();
  Value handle = use.get();
  builder.setInsertionPoint(user);
  Value whole = LLVM::PoisonOp::create(builder, loc, type);
  for (unsigned i = 0; i < elementCount(type); ++i) {
    FailureOr<Value> element = read(user, handle, type, i);
    if (failed(element))
      return failure();
    whole = LLVM::InsertValueOp::create(builder, loc, whole, *element, i);
  }
  use.set(whole);
  return success();
}

LogicalResult AccumulatorLowering::convertReads(Value value,
                                                LLVM::LLVMStructType type) {
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    if (isHandleUse(use))
      continue;
    auto extract = dyn_cast<LLVM::ExtractValueOp>(use.getOwner());
    if (!extract) {
      if (failed(exportStruct(use, type)))
        return failure();
      continue;
    }
    FailureOr<Value> element =
        read(extract, value, type, extract.getPosition()[0]);
    if (failed(element))
      return failure();
    extract.replaceAllUsesWith(*element);
    extract.erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static std::optional<emu::MmaElement> elementOf(NVVM::WGMMATypes type) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
    return emu::MmaElement::F16;
  case NVVM::WGMMATypes::bf16:
    return emu::MmaElement::BF16;
  case NVVM::WGMMATypes::tf32:
    return emu::MmaElement::TF32;
  case NVVM::WGMMATypes::s8:
    return emu::MmaElement::S8;
  case NVVM::WGMMATypes::e4m3:
    return emu::MmaElement::E4M3;
  case NVVM::WGMMATypes::e5m2:
    return emu::MmaElement::E5M2;
  default:
    return std::nullopt;
  }
}

/// Whether the types of the factors and of the sums are those of an
/// instruction.
static bool hasKnownTypes(NVVM::WgmmaMmaAsyncOp op) {
  auto isFloat8 = [](NVVM::WGMMATypes type) {
    return type == NVVM::WGMMATypes::e4m3 || type == NVVM::WGMMATypes::e5m2;
  };
  NVVM::WGMMATypes a = op.getTypeA(), b = op.getTypeB();
  bool areFactors = a == b || (isFloat8(a) && isFloat8(b));
  bool isInteger = a == NVVM::WGMMATypes::s8;
  return areFactors && !op.getSatfinite() &&
         op.getTypeD() ==
             (isInteger ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
}

LogicalResult AccumulatorLowering::lowerProduct(NVVM::WgmmaMmaAsyncOp op) {
  std::optional<emu::MmaElement> element = elementOf(op.getTypeA());
  auto shape = op.getShape();
  bool isKnownShape =
      element && hasKnownTypes(op) && shape.getM() == emu::kWgmmaM &&
      int64_t(shape.getK()) == int64_t(emu::wgmmaK(*element)) &&
      shape.getN() % 8 == 0 && shape.getN() <= int64_t(emu::kWgmmaMaxN);
  if (!isKnownShape)
    return op.emitOpError(
        "is emulated for m64nNk16 of f16 and bf16, m64nNk8 of tf32 and "
        "m64nNk32 of s8, e4m3 and e5m2 with accumulators of 32 bits only");
  auto &site = lowering.newSite<emu::WgmmaSite>(op);
  site.shape.n = shape.getN();
  site.shape.element = *element;
  site.shape.elementB = elementOf(op.getTypeB());
  site.shape.aMajor =
      op.getLayoutA() == NVVM::MMALayout::row ? emu::Major::K : emu::Major::MN;
  site.shape.bMajor =
      op.getLayoutB() == NVVM::MMALayout::col ? emu::Major::K : emu::Major::MN;
  site.shape.negated = op.getScaleA() != op.getScaleB();
  site.clears = op.getScaleD() == NVVM::WGMMAScaleOut::zero;
  return lowering.replaceWithCall(
      op, site, emu::multiplyAsync,
      {op.getInouts(), op.getDescriptorB(), op.getDescriptorA()});
}

LogicalResult AccumulatorLowering::lowerProduct(LLVM::InlineAsmOp op) {
  RegisterProduct product = *matchRegisterProduct(op);
  auto &site = lowering.newSite<emu::WgmmaSite>(op);
  site.op = "wgmma.mma_async";
  site.shape.n = product.n;
  site.shape.element = product.element;
  site.aInRegisters = true;
  site.clears = product.clears;
  SmallVector<Value> operands{op.getOperands()[RegisterProduct::kAccumulator],
                              op.getOperands()[RegisterProduct::kB]};
  llvm::append_range(operands,
                     op.getOperands().take_front(RegisterProduct::kB));
  return lowering.replaceWithCall(op, site, emu::multiplyAsync, operands);
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

LogicalResult AccumulatorLowering::run() {
  collect();
  // Each has two files, whose numbers are in 16 bits of a handle.
  constexpr size_t mostProducts = 1 << 13;
  if (products.size() > mostProducts)
    return products.front()->emitOpError("is one of ")
           << products.size() << ": expected at most " << mostProducts;
  if (failed(convertInputs()))
    return failure();
  SmallVector<LLVM::LLVMStructType> types;
  for (Value value : handles)
    types.push_back(cast<LLVM::LLVMStructType>(value.getType()));
  for (auto [handle, type] : llvm::zip(handles, types)) {
    Value value = handle;
    value.setType(builder.getI64Type());
    if (failed(convertReads(value, type)))
      return failure();
  }
  for (Operation *op : products) {
    auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op);
    if (failed(product ? lowerProduct(product)
                       : lowerProduct(cast<LLVM::InlineAsmOp>(op))))
      return failure();
  }
  return success();
}

LogicalResult
mlir::conv::emulator::lowerWgmmaProducts(KernelLowering &lowering) {
  untieWaits(lowering.function());
  joinAccumulators(lowering.function());
  return AccumulatorLowering(lowering).run();
}
