//===- CheckSupported.cpp - refusing what is not known --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CheckSupported.h. Of the `llvm` dialect a kernel may have the ops below:
// those that compute, and those that access memory through addresses that the
// instrumentation checks.
//
//===----------------------------------------------------------------------===//

#include "CheckSupported.h"
#include "Lowering/HostSymbols.h"
#include "Lowering/KernelTypes.h"
#include "Lowering/MmaBatching.h"
#include "Lowering/OpTable.h"
#include "Lowering/RegisterProducts.h"
#include "Lowering/TiedWaits.h"
#include "Runtime/Memory/MemoryOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv::emulator;

//===----------------------------------------------------------------------===//
// Known ops
//===----------------------------------------------------------------------===//

/// Without the prefix "llvm.".
static constexpr StringRef kOps[] = {
    // Control flow and constants.
    "br", "cond_br", "return", "switch", "mlir.addressof", "mlir.constant",
    "mlir.poison", "mlir.undef", "mlir.zero",
    // Numbers.
    "add", "and", "ashr", "fadd", "fcmp", "fdiv", "fmul", "fneg", "freeze",
    "frem", "fsub", "icmp", "lshr", "mul", "or", "sdiv", "select", "shl",
    "srem", "sub", "udiv", "urem", "xor",
    // Conversions.
    "addrspacecast", "bitcast", "fpext", "fptosi", "fptoui", "fptrunc",
    "inttoptr", "ptrtoint", "sext", "sitofp", "trunc", "uitofp", "zext",
    // Parts.
    "extractelement", "extractvalue", "insertelement", "insertvalue",
    "shufflevector",
    // Memory.
    "atomicrmw", "cmpxchg", "fence", "getelementptr", "load", "store",
    "intr.memcpy", "intr.memmove", "intr.memset"};

/// Functions of numbers, without the prefix "llvm.intr.".
static constexpr StringRef kFunctions[] = {"abs",
                                           "acos",
                                           "asin",
                                           "assume",
                                           "atan",
                                           "atan2",
                                           "bitreverse",
                                           "bswap",
                                           "ceil",
                                           "copysign",
                                           "cos",
                                           "cosh",
                                           "ctlz",
                                           "ctpop",
                                           "cttz",
                                           "exp",
                                           "exp10",
                                           "exp2",
                                           "expect",
                                           "fabs",
                                           "floor",
                                           "fma",
                                           "fmuladd",
                                           "fptosi.sat",
                                           "fptoui.sat",
                                           "fshl",
                                           "fshr",
                                           "is.fpclass",
                                           "log",
                                           "log10",
                                           "log2",
                                           "maximum",
                                           "maxnum",
                                           "minimum",
                                           "minnum",
                                           "nearbyint",
                                           "pow",
                                           "powi",
                                           "rint",
                                           "round",
                                           "roundeven",
                                           "sadd.sat",
                                           "sadd.with.overflow",
                                           "sin",
                                           "sinh",
                                           "smax",
                                           "smin",
                                           "smul.with.overflow",
                                           "sqrt",
                                           "sshl.sat",
                                           "ssub.sat",
                                           "ssub.with.overflow",
                                           "tan",
                                           "tanh",
                                           "trunc",
                                           "uadd.sat",
                                           "uadd.with.overflow",
                                           "umax",
                                           "umin",
                                           "umul.with.overflow",
                                           "ushl.sat",
                                           "usub.sat",
                                           "usub.with.overflow",
                                           "vector.reduce.add",
                                           "vector.reduce.and",
                                           "vector.reduce.fadd",
                                           "vector.reduce.fmax",
                                           "vector.reduce.fmaximum",
                                           "vector.reduce.fmin",
                                           "vector.reduce.fminimum",
                                           "vector.reduce.fmul",
                                           "vector.reduce.mul",
                                           "vector.reduce.or",
                                           "vector.reduce.smax",
                                           "vector.reduce.smin",
                                           "vector.reduce.umax",
                                           "vector.reduce.umin",
                                           "vector.reduce.xor"};

static llvm::StringSet<> buildOps() {
  llvm::StringSet<> ops;
  for (StringRef name : kOps)
    ops.insert(("llvm." + name).str());
  for (StringRef name : kFunctions)
    ops.insert(("llvm.intr." + name).str());
  return ops;
}

static bool isKnown(Operation *op) {
  static const llvm::StringSet<> ops = buildOps();
  StringRef name = op->getName().getStringRef();
  return ops.contains(name) || getOpTable().contains(name) ||
         isa<NVVM::WgmmaMmaAsyncOp>(op) || isMmaProduct(op);
}

//===----------------------------------------------------------------------===//
// Ops with rules of their own
//===----------------------------------------------------------------------===//

static LogicalResult checkSignature(LLVM::CallOp call,
                                    const emu::HostSymbol &callee) {
  MLIRContext *context = call.getContext();
  Type type = callee.isDouble ? Type(Float64Type::get(context))
                              : Type(Float32Type::get(context));
  bool isPlain = call.getCConv() == LLVM::CConv::C &&
                 call.getTailCallKind() == LLVM::TailCallKind::None &&
                 call.getOpBundleOperands().empty() && !call.getVarCalleeType();
  auto isType = [&](Type other) { return other == type; };
  if (isPlain && call->getNumOperands() == callee.arguments &&
      call->getNumResults() == 1 && isType(call->getResult(0).getType()) &&
      llvm::all_of(call->getOperandTypes(), isType))
    return success();
  return call.emitOpError("of '")
         << callee.name << "' expects a plain call with " << callee.arguments
         << " arguments and a result of type " << type;
}

static LogicalResult check(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return call.emitOpError("through a pointer is not emulated");
  const emu::HostSymbol *symbol = emu::findHostSymbol(*callee);
  if (symbol && symbol->arguments)
    return checkSignature(call, *symbol);
  return call.emitOpError("of '")
         << *callee << "' is not emulated: device functions must be inlined";
}

static LogicalResult check(LLVM::AddressOfOp address) {
  auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
      address, address.getGlobalNameAttr());
  if (global && global.getAddrSpace() == emu::kSharedSpace)
    return success();
  return address.emitOpError("of '")
         << address.getGlobalName()
         << "' is not emulated: kernels take addresses of their shared arrays "
            "only";
}

static bool isSharedPointer(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && (pointer.getAddressSpace() == emu::kSharedSpace ||
                     pointer.getAddressSpace() == emu::kClusterSpace);
}

static LogicalResult check(LLVM::PtrToIntOp cast) {
  if (isSharedPointer(cast.getArg().getType()))
    return success();
  return cast.emitOpError("is emulated for addresses of shared memory only");
}

/// An address of the own shared memory, as one among those of the cluster.
static LogicalResult check(LLVM::IntToPtrOp cast) {
  if (isSharedPointer(cast.getType()) &&
      cast.getArg().getDefiningOp<LLVM::PtrToIntOp>())
    return success();
  return cast.emitOpError(
      "is emulated for the number of a shared address only, which becomes a "
      "shared address again");
}

/// What LLVM's own verifier finds too late: its builder folds constants.
static LogicalResult check(LLVM::BitcastOp cast) {
  Type from = cast.getArg().getType(), to = cast.getType();
  auto bitsOf = [](Type type) -> uint64_t {
    Type element = getElementTypeOrSelf(type);
    std::optional<uint64_t> count = countScalars(type);
    return element.isIntOrFloat() && count
               ? element.getIntOrFloatBitWidth() * *count
               : 0;
  };
  if (from == to || (bitsOf(from) && bitsOf(from) == bitsOf(to)))
    return success();
  return cast.emitOpError("expects types of numbers with as many bits, got ")
         << from << " and " << to;
}

static LogicalResult check(LLVM::ShuffleVectorOp shuffle) {
  int64_t elements =
      2 * cast<VectorType>(shuffle.getV1().getType()).getNumElements();
  for (int32_t index : shuffle.getMask())
    if (index < -1 || index >= elements)
      return shuffle.emitOpError("takes element ")
             << index << " of " << elements;
  return success();
}

static LogicalResult check(LLVM::GEPOp address) {
  if (isStorageType(address.getElemType()))
    return success();
  return address.emitOpError("steps over type ")
         << address.getElemType() << ", which is not emulated";
}

/// Inline assembly is emulated where it stands for an op that NVVM lacks.
static LogicalResult check(LLVM::InlineAsmOp assembly) {
  auto isSums = [](Type type) {
    auto sums = dyn_cast<LLVM::LLVMStructType>(type);
    return sums &&
           llvm::all_of(sums.getBody(), [](Type sum) { return sum.isF32(); });
  };
  if (matchTiedWait(assembly) || (matchRegisterProduct(assembly) &&
                                  isSums(assembly->getResult(0).getType())))
    return success();
  return assembly.emitOpError("is not emulated: \"")
         << assembly.getAsmString() << "\"";
}

/// A result of the product's registers, which a handle stands for.
static LogicalResult check(NVVM::WgmmaMmaAsyncOp product) {
  Type type = product->getResult(0).getType();
  auto sums = dyn_cast<LLVM::LLVMStructType>(type);
  auto isRegister = [](Type element) {
    return element.isF32() || element.isInteger(32);
  };
  int64_t n = product.getShape().getN();
  if (sums && n % 8 == 0 && int64_t(sums.getBody().size()) * 2 == n &&
      llvm::all_of(sums.getBody(), isRegister) &&
      product.getInouts().getType() == type)
    return success();
  return product.emitOpError("has accumulators of type ")
         << type << ", which is not emulated";
}

/// A pointer in memory could be anything when it is read.
static LogicalResult checkNoPointer(Operation *op, TypeRange types) {
  for (Type type : types)
    if (holdsPointer(type))
      return op->emitOpError("of pointers is not emulated");
  return success();
}

static LogicalResult checkRules(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<LLVM::CallOp, LLVM::AddressOfOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp,
            LLVM::BitcastOp, LLVM::ShuffleVectorOp, LLVM::GEPOp,
            LLVM::InlineAsmOp, NVVM::WgmmaMmaAsyncOp>(
          [](auto own) { return check(own); })
      .Case<LLVM::LoadOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
          [](auto load) {
            return checkNoPointer(load, load->getResultTypes());
          })
      .Case([](LLVM::StoreOp store) {
        return checkNoPointer(store, store.getValue().getType());
      })
      .Default(success());
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

LogicalResult mlir::conv::emulator::checkAlignment(Operation *op) {
  constexpr uint64_t largest = 1024;
  auto alignment = op->getAttrOfType<IntegerAttr>("alignment");
  if (!alignment)
    return success();
  uint64_t bytes = alignment.getValue().getLimitedValue();
  if (llvm::isPowerOf2_64(bytes) && bytes <= largest)
    return success();
  return op->emitOpError("has an alignment of ")
         << bytes << " bytes: expected a power of two up to " << largest;
}

namespace {

/// Most values of a kernel have one of few types.
class TypeCheck {
public:
  LogicalResult check(Operation *op) {
    for (Value value : op->getOperands())
      if (!isKnown(value.getType()))
        return refuse(op, value.getType());
    for (Type type : op->getResultTypes())
      if (!isKnown(type))
        return refuse(op, type);
    return success();
  }
  LogicalResult check(Block &block) {
    for (BlockArgument argument : block.getArguments())
      if (!isKnown(argument.getType()))
        return emitError(argument.getLoc(), "a block has an argument of type ")
               << argument.getType() << ", which is not emulated";
    return success();
  }

private:
  static LogicalResult refuse(Operation *op, Type type) {
    return op->emitOpError("has a value of type ")
           << type << ", which is not emulated";
  }

  bool isKnown(Type type) {
    if (known.contains(type))
      return true;
    if (!isValueType(type))
      return false;
    known.insert(type);
    return true;
  }

  DenseSet<Type> known;
};

} // namespace

static LogicalResult checkOp(Operation *op, TypeCheck &types) {
  if (!isKnown(op) && !isa<LLVM::CallOp, LLVM::InlineAsmOp>(op)) {
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      return op->emitOpError("is not emulated: ") << call.getIntrin();
    return op->emitOpError("is not known to the emulator");
  }
  if (failed(checkRules(op)) || failed(checkAlignment(op)))
    return failure();
  return types.check(op);
}

LogicalResult mlir::conv::emulator::checkSupported(LLVM::LLVMFuncOp kernel) {
  TypeCheck types;
  for (Block &block : kernel.getBody()) {
    if (failed(types.check(block)))
      return failure();
    for (Operation &op : block)
      if (failed(checkOp(&op, types)))
        return failure();
  }
  return success();
}
