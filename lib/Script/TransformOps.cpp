//===- TransformOps.cpp - operations of scripts ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Script/TransformOps.h"
#include "Criteria.h"
#include "conv/Dialect/Conv/IR/ConvChip.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"
#include "conv/Transforms/Operations/SelectSchedule.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::conv;

#define GET_OP_CLASSES
#include "conv/Script/TransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// conv.schedule
//===----------------------------------------------------------------------===//

LogicalResult TransformScheduleOp::verify() {
  if (getKeys() && getSchedule())
    return emitOpError("expected 'keys' or 'schedule', got both");
  if (std::string why = whyNoKeys(getKeys().value_or("")); !why.empty())
    return emitOpError("schedule: ") << why;
  if (getChip() && !convmlir::lookupChip(*getChip()))
    return emitOpError("unknown target '")
           << *getChip() << "', expected one of "
           << convmlir::supportedChips();
  return success();
}

void TransformScheduleOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

/// What errors say that `work` reports; remarks and warnings go their way.
static std::string catchErrors(MLIRContext *context,
                               function_ref<LogicalResult()> work) {
  std::string errors;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(work()) && errors.empty())
    errors = "the schedule cannot be set";
  return errors;
}

/// At the line of the script, with the operation that is meant.
static DiagnosedSilenceableFailure fail(TransformScheduleOp script,
                                        Operation *op, const Twine &why) {
  DiagnosedSilenceableFailure failure = script.emitSilenceableError() << why;
  failure.attachNote(op->getLoc()) << "this operation";
  return failure;
}

DiagnosedSilenceableFailure
TransformScheduleOp::applyToOne(transform::TransformRewriter &, Operation *op,
                                transform::ApplyToEachResultList &,
                                transform::TransformState &) {
  auto convolution = dyn_cast<ConvOpInterface>(op);
  if (!convolution)
    return fail(*this, op,
                "expected a convolution, got " + op->getName().getStringRef());
  // transform.alternatives tries copies that lie in none.
  Operation *root = op->getParentOfType<ModuleOp>();
  if (!root)
    return fail(*this, op,
                "expected a module around the convolution, which has the chip");
  std::string why = catchErrors(getContext(), [&] {
    if (failed(conv::setChip(root, getChip().value_or(""))))
      return failure();
    ChipInfo chip = conv::getChip(op);
    if (std::optional<ScheduleAttr> whole = getSchedule())
      return setSchedule(convolution, chip, *whole);
    return selectSchedule(convolution, chip, getKeys().value_or(""));
  });
  if (why.empty())
    return DiagnosedSilenceableFailure::success();
  return fail(*this, op, why);
}

//===----------------------------------------------------------------------===//
// conv.match and conv.find
//===----------------------------------------------------------------------===//

template <typename Op> static Criteria getCriteria(Op op) {
  return {op.getKind(), op.getFilter(), op.getStride(), op.getExtentsAttr(),
          op.getElementType()};
}

template <typename Op> static LogicalResult verifyCriteria(Op op) {
  if (std::string why = whyNever(getCriteria(op)); !why.empty())
    return op.emitOpError() << why;
  return success();
}

LogicalResult TransformMatchOp::verify() { return verifyCriteria(*this); }

DiagnosedSilenceableFailure
TransformMatchOp::matchOperation(Operation *op, transform::TransformResults &,
                                 transform::TransformState &) {
  std::string why = whyNoMatch(op, getCriteria(*this));
  if (why.empty())
    return DiagnosedSilenceableFailure::success();
  return emitSilenceableError() << why;
}

LogicalResult TransformFindOp::verify() { return verifyCriteria(*this); }

void TransformFindOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::onlyReadsPayload(effects);
}

DiagnosedSilenceableFailure
TransformFindOp::apply(transform::TransformRewriter &,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  Criteria criteria = getCriteria(*this);
  SetVector<Operation *> found;
  for (Operation *root : state.getPayloadOps(getTarget()))
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (whyNoMatch(op, criteria).empty())
        found.insert(op);
    });
  results.set(cast<OpResult>(getFound()), found.getArrayRef());
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class Extension : public transform::TransformDialectExtension<Extension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)

  void init() {
    declareDependentDialect<ConvDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "conv/Script/TransformOps.cpp.inc"
        >();
  }
};
} // namespace

void conv::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<Extension>();
}
