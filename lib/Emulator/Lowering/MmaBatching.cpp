//===- MmaBatching.cpp - several mma.sync at once -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MmaBatching.h. A window of a block is a run of ops in which products and
// the pure ops that use their results can be put off. Each gets a level: a
// product lies one above the products that it depends on, a pure op on the
// level of those. At the end of the window the levels follow one another: the
// batches of a level, then its pure ops.
//
//===----------------------------------------------------------------------===//

#include "MmaBatching.h"
#include "Runtime/Matrices/MmaOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::conv::emulator;
using emu::MmaElement;

namespace {

/// What two products must share to be in one batch.
struct MmaKind {
  MmaElement element;
  MmaElement elementB;
  unsigned k;
  bool saturates = false;
  bool operator==(const MmaKind &) const = default;
};

/// A product, `nvvm.mma.sync` or the intrinsic that stands in its place where
/// the dialect has no types for it.
class MmaProduct {
public:
  /*implicit*/ MmaProduct(Operation *op) : op(op) {}
  static bool isOne(Operation *op);

  Operation *getOperation() const { return op; }
  OperandRange getA() const { return getOperands(0); }
  OperandRange getB() const { return getOperands(1); }
  OperandRange getC() const { return getOperands(2); }
  Value getResult() const { return op->getResult(0); }

private:
  OperandRange getOperands(unsigned index) const;

  Operation *op;
};

/// The distinct operand fragments of a batch.
class Fragments {
public:
  /// The position of a fragment, which is added if it is new.
  unsigned intern(OperandRange registers) {
    SmallVector<Value> fragment(registers);
    auto found = llvm::find(fragments, fragment);
    if (found == fragments.end())
      found = fragments.insert(fragments.end(), fragment);
    return found - fragments.begin();
  }
  ArrayRef<SmallVector<Value>> get() const { return fragments; }

private:
  SmallVector<SmallVector<Value>> fragments;
};

class MmaWindow {
public:
  explicit MmaWindow(KernelLowering &lowering) : lowering(lowering) {}

  LogicalResult lowerBlock(Block &block);

private:
  unsigned levelOf(Operation *op) const;
  /// Takes `op` into the window; returns whether it can be put off.
  bool putOff(Operation *op);
  LogicalResult flush(Operation *before);
  LogicalResult emitLevel(ArrayRef<MmaProduct> products, Operation *before);
  void emitBatch(MmaKind kind, ArrayRef<MmaProduct> products,
                 Operation *before);
  void replaceResults(ArrayRef<MmaProduct> products, unsigned offset);

  KernelLowering &lowering;
  DenseMap<Operation *, unsigned> levels;
  SmallVector<SmallVector<MmaProduct>> productsOfLevel;
  SmallVector<SmallVector<Operation *>> pureOpsOfLevel;
  /// Extractions of results that turned into loads, in the whole block.
  DenseSet<Operation *> erased;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is supported
//===----------------------------------------------------------------------===//

/// The product of m16n8k32 on 8-bit floats, the types of whose factors the
/// intrinsic's name says.
static std::optional<MmaKind> float8KindOf(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  if (!call)
    return std::nullopt;
  StringRef name = call.getIntrin();
  if (!name.consume_front("llvm.nvvm.mma.m16n8k32.row.col.f32.") ||
      !name.consume_back(".f32"))
    return std::nullopt;
  auto elementOf = [](StringRef type) {
    return llvm::StringSwitch<std::optional<MmaElement>>(type)
        .Case("e4m3", MmaElement::E4M3)
        .Case("e5m2", MmaElement::E5M2)
        .Default(std::nullopt);
  };
  auto [typeA, typeB] = name.split('.');
  std::optional<MmaElement> a = elementOf(typeA), b = elementOf(typeB);
  if (!a || !b)
    return std::nullopt;
  return MmaKind{*a, *b, 32};
}

bool MmaProduct::isOne(Operation *op) {
  return isa<NVVM::MmaOp>(op) || float8KindOf(op);
}

OperandRange MmaProduct::getOperands(unsigned index) const {
  if (auto mma = dyn_cast<NVVM::MmaOp>(op))
    return mma.getODSOperands(index);
  constexpr unsigned starts[] = {0, 4, 6}, counts[] = {4, 2, 4};
  return op->getOperands().slice(starts[index], counts[index]);
}

static std::optional<MmaElement> elementOf(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> type = op.getMultiplicandAPtxType();
  if (!type)
    type = NVVM::MmaOp::inferOperandMMAType(op.getOperandA()[0].getType(),
                                            /*isAccumulator=*/false);
  if (!type || op.getMultiplicandBPtxType().value_or(*type) != *type)
    return std::nullopt;
  switch (*type) {
  case NVVM::MMATypes::f16:
    return MmaElement::F16;
  case NVVM::MMATypes::bf16:
    return MmaElement::BF16;
  case NVVM::MMATypes::tf32:
    return MmaElement::TF32;
  case NVVM::MMATypes::s8:
    return MmaElement::S8;
  case NVVM::MMATypes::f64:
    return MmaElement::F64;
  default:
    return std::nullopt;
  }
}

static bool isSupportedK(MmaElement element, int64_t k) {
  switch (element) {
  case MmaElement::TF32:
    return k == 8 || k == 4;
  case MmaElement::F16:
  case MmaElement::BF16:
    return k == 16 || k == 8;
  case MmaElement::F64:
    return k == emu::kMmaF64K;
  default:
    return k == 32;
  }
}

static bool isSum(MmaElement element, Type type) {
  return element == MmaElement::S8    ? type.isInteger(32)
         : element == MmaElement::F64 ? type.isF64()
                                      : type.isF32();
}

static FailureOr<MmaKind> kindOf(MmaProduct product) {
  if (std::optional<MmaKind> kind = float8KindOf(product.getOperation()))
    return *kind;
  auto op = cast<NVVM::MmaOp>(product.getOperation());
  auto shape = op.getShape();
  std::optional<MmaElement> element = elementOf(op);
  int64_t rows = element == MmaElement::F64 ? emu::kMmaF64M : emu::kMmaM;
  if (element && shape.getM() == rows && shape.getN() == emu::kMmaN &&
      isSupportedK(*element, shape.getK()) &&
      op.getLayoutA() == NVVM::MMALayout::row &&
      op.getLayoutB() == NVVM::MMALayout::col &&
      llvm::all_of(op.getOperandC(), [&](Value value) {
        return isSum(*element, value.getType());
      }))
    return MmaKind{*element, *element, unsigned(shape.getK()),
                   op.getIntOverflowBehavior() ==
                       NVVM::MMAIntOverflow::satfinite};
  return op.emitOpError(
      "is emulated for m16n8k16 and m16n8k8 of f16 and bf16, m16n8k8 and "
      "m16n8k4 of tf32 and m16n8k32 of e4m3 and e5m2, with f32 accumulators, "
      "m16n8k32 of s8 with s32 accumulators and m8n8k4 of f64, row-major A and "
      "column-major B only");
}

//===----------------------------------------------------------------------===//
// The window
//===----------------------------------------------------------------------===//

unsigned MmaWindow::levelOf(Operation *op) const {
  unsigned level = 0;
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp())
      level = std::max(level, levels.lookup(definition));
  return level;
}

bool MmaWindow::putOff(Operation *op) {
  unsigned level = levelOf(op);
  bool product = MmaProduct::isOne(op);
  if (!product && level == 0)
    return true; // Independent of the window: stays where it is.
  if (!product && (!isPure(op) || op->hasTrait<OpTrait::IsTerminator>()))
    return false;
  if (product)
    ++level;
  levels[op] = level;
  productsOfLevel.resize(std::max<size_t>(productsOfLevel.size(), level + 1));
  pureOpsOfLevel.resize(productsOfLevel.size());
  if (product)
    productsOfLevel[level].push_back(op);
  else
    pureOpsOfLevel[level].push_back(op);
  return true;
}

LogicalResult MmaWindow::lowerBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (erased.contains(op))
      continue;
    if (!op->hasTrait<OpTrait::IsTerminator>() && putOff(op))
      continue;
    if (failed(flush(op)))
      return failure();
  }
  return success();
}

LogicalResult MmaWindow::flush(Operation *before) {
  for (size_t level = 0; level < productsOfLevel.size(); ++level) {
    if (failed(emitLevel(productsOfLevel[level], before)))
      return failure();
    for (Operation *op : pureOpsOfLevel[level])
      if (!erased.contains(op))
        op->moveBefore(before);
  }
  levels.clear();
  productsOfLevel.clear();
  pureOpsOfLevel.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

LogicalResult MmaWindow::emitLevel(ArrayRef<MmaProduct> products,
                                   Operation *before) {
  SmallVector<MmaProduct> batch;
  std::optional<MmaKind> batchKind;
  auto emit = [&] {
    if (!batch.empty())
      emitBatch(*batchKind, batch, before);
    batch.clear();
  };
  for (MmaProduct product : products) {
    FailureOr<MmaKind> kind = kindOf(product);
    if (failed(kind))
      return failure();
    if (batch.size() == emu::kMmaMaxBatch || !(batchKind == *kind))
      emit();
    batchKind = *kind;
    batch.push_back(product);
  }
  emit();
  return success();
}

void MmaWindow::emitBatch(MmaKind kind, ArrayRef<MmaProduct> products,
                          Operation *before) {
  Operation *first = products.front().getOperation();
  auto &site = lowering.newSite<emu::MmaSite>(first);
  site.element = kind.element;
  site.elementB = kind.elementB;
  site.k = kind.k;
  site.saturates = kind.saturates;
  Fragments a, b;
  for (MmaProduct product : products)
    site.products.push_back({uint16_t(a.intern(product.getA())),
                             uint16_t(b.intern(product.getB()))});
  site.aFragments = a.get().size();
  site.bFragments = b.get().size();

  OpBuilder &builder = lowering.rewriter();
  builder.setInsertionPoint(before);
  Location loc = first->getLoc();
  unsigned offset = 0;
  auto put = [&](Value value) {
    Value address = lowering.mailboxAddress(loc, offset);
    LLVM::StoreOp::create(builder, loc, value, address, /*alignment=*/4);
    offset += hostBytes(value.getType());
  };
  for (const Fragments *fragments : {&a, &b})
    for (ArrayRef<Value> fragment : fragments->get())
      llvm::for_each(fragment, put);
  for (MmaProduct product : products)
    llvm::for_each(product.getC(), put);
  lowering.callHandler(loc, site, emu::multiplyBatch);
  lowering.useMailbox(site.mailboxBytes());
  replaceResults(products, site.accumulatorOffset());
}

void MmaWindow::replaceResults(ArrayRef<MmaProduct> products, unsigned offset) {
  for (MmaProduct product : products) {
    for (Operation *user : product.getResult().getUsers())
      if (isa<LLVM::ExtractValueOp>(user))
        erased.insert(user);
    lowering.loadResult(product.getResult(), offset);
    product.getOperation()->erase();
    offset += emu::kMmaAccumulatorBytes;
  }
}

bool mlir::conv::emulator::isMmaProduct(Operation *op) {
  return MmaProduct::isOne(op);
}

LogicalResult mlir::conv::emulator::lowerMmaOps(KernelLowering &lowering) {
  for (Block &block : lowering.function().getBody())
    if (failed(MmaWindow(lowering).lowerBlock(block)))
      return failure();
  return success();
}
