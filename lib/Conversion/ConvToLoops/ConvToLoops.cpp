//===- ConvToLoops.cpp - the definition as loops --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: conv.forward, conv.dgrad and conv.wgrad on buffers. Output: scf.for
// nests that compute each element of the result by the sum of docs/ConvSpec.md.
//
// All three sum the same products x[n, h, c] * w[k, r, c] * (or +) y[n, p, k],
// over the positions that are related by
//
//   p*stride + r*dilation - padLow = h*inputDilation
//
// so forward and wgrad loop over p and r and solve for h, dgrad loops over h
// and r and solves for p. A solution need not exist: that is the only branch.
//
//===----------------------------------------------------------------------===//

#include "conv/Conversion/Passes.h"
#include "conv/Dialect/Conv/IR/ConvOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVERTCONVTOLOOPS
#include "conv/Conversion/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;
using convmlir::ConvGeometry;
using convmlir::ConvKind;

namespace {

/// One value per letter: loop variables, or positions computed from them. `k`
/// and `c` count within the group `g`.
struct Indices {
  Value n, g, k, c;
  SmallVector<Value, 3> h, r, p; ///< per spatial dimension
};

/// A loop from zero and the place of its variable in Indices.
struct Loop {
  int64_t extent;
  Value *variable;
};
using Loops = SmallVector<Loop, 6>;

/// The loops over the elements of the result, and those over the terms of an
/// element's sum: first the loops that the missing position depends on.
struct LoopNests {
  Loops result, related, inner;
};

/// `dividend / divisor` must be a whole number in [0, extent); the dividend is
/// known to lie in [low, high].
struct Division {
  Value dividend;
  int64_t divisor, extent, low, high;
};

/// Emits the loops of one operation.
class LoopEmitter {
public:
  LoopEmitter(ConvOpInterface op, OpBuilder &builder)
      : op(op), geometry(*op.getGeometry()), builder(builder), loc(op.getLoc()),
        rank(geometry.spatialRank) {}

  void emit();

private:
  void appendSpatial(Loops &loops, const convmlir::Spatial &extents,
                     SmallVectorImpl<Value> &variables);
  LoopNests makeLoops();
  Value nest(ArrayRef<Loop> loops, Value carried,
             function_ref<Value(Value)> body);

  Value constant(int64_t value);
  Value apply(AffineExpr expr, ValueRange operands);
  Value convert(Value value, Type type);
  SmallVector<Value> coordinates(TensorRole role);
  SmallVector<Value> coordinatesOf(Value outer, Value channel,
                                   ArrayRef<Value> spatial);
  SmallVector<Value> flipTaps();
  Value getOldSum();
  Value source(unsigned operand);

  Division relate(int dim);
  Value holds(const Division &division);
  Value solve(const Division &division);
  Value addProduct(Value sum);
  Value whereDefined(Value sum, function_ref<Value(Value)> body);

  ConvOpInterface op;
  ConvGeometry geometry;
  OpBuilder &builder;
  Location loc;
  int rank;
  Indices at;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LoopEmitter::appendSpatial(Loops &loops, const convmlir::Spatial &extents,
                                SmallVectorImpl<Value> &variables) {
  for (int d = 0; d < rank; ++d)
    loops.push_back({extents[d], &variables[d]});
}

LoopNests LoopEmitter::makeLoops() {
  at.h.resize(rank), at.r.resize(rank), at.p.resize(rank);
  LoopNests nests;
  Loop n{geometry.n, &at.n}, g{geometry.groups, &at.g};
  Loop k{geometry.k / geometry.groups, &at.k};
  Loop c{geometry.c / geometry.groups, &at.c};
  auto append = [&](Loops &loops, ArrayRef<Loop> more) {
    loops.append(more.begin(), more.end());
  };
  auto appendGroup = [&] {
    if (geometry.groups > 1)
      nests.result.push_back(g);
  };
  switch (op.getConvKind()) {
  case ConvKind::Forward:
    append(nests.result, n);
    appendSpatial(nests.result, geometry.outputs(), at.p);
    appendGroup();
    append(nests.result, k);
    appendSpatial(nests.related, geometry.filter, at.r);
    append(nests.inner, c);
    break;
  case ConvKind::Dgrad:
    append(nests.result, n);
    appendSpatial(nests.result, geometry.input, at.h);
    appendGroup();
    append(nests.result, c);
    appendSpatial(nests.related, geometry.filter, at.r);
    append(nests.inner, k);
    break;
  case ConvKind::Wgrad:
    appendGroup();
    append(nests.result, k);
    appendSpatial(nests.result, geometry.filter, at.r);
    append(nests.result, c);
    appendSpatial(nests.related, geometry.outputs(), at.p);
    append(nests.inner, n);
    break;
  }
  return nests;
}

/// Emits nested loops. With a `carried` value, `body` takes it and returns the
/// next one, and the last one is the result; without, there are no values.
Value LoopEmitter::nest(ArrayRef<Loop> loops, Value carried,
                        function_ref<Value(Value)> body) {
  SmallVector<Value> lower(loops.size(), constant(0));
  SmallVector<Value> step(loops.size(), constant(1));
  SmallVector<Value> upper;
  for (const Loop &loop : loops)
    upper.push_back(constant(loop.extent));
  scf::LoopNest result = scf::buildLoopNest(
      builder, loc, lower, upper, step,
      carried ? ValueRange(carried) : ValueRange(),
      [&](OpBuilder &, Location, ValueRange variables,
          ValueRange arguments) -> scf::ValueVector {
        for (auto [loop, variable] : llvm::zip_equal(loops, variables))
          *loop.variable = variable;
        Value next = body(carried ? arguments.front() : Value());
        return carried ? scf::ValueVector{next} : scf::ValueVector{};
      });
  return carried ? result.results.front() : Value();
}

void LoopEmitter::emit() {
  LoopNests nests = makeLoops();
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(op.getAccType()));
  nest(nests.result, /*carried=*/Value(), [&](Value) {
    Value begin = op.getAccumulate() ? getOldSum() : zero;
    Value sum = nest(nests.related, begin, [&](Value partial) {
      return whereDefined(partial, [&](Value sum) {
        return nest(nests.inner, sum,
                    [&](Value term) { return addProduct(term); });
      });
    });
    sum = convert(sum, op.getDestType().getElementType());
    memref::StoreOp::create(builder, loc, sum, op.getDest(),
                            coordinates(getRole(op.getConvKind(), 2)));
    return Value();
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value LoopEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value LoopEmitter::apply(AffineExpr expr, ValueRange operands) {
  OpFoldResult result = affine::makeComposedFoldedAffineApply(
      builder, loc, expr, getAsOpFoldResult(operands));
  return getValueOrCreateConstantIndexOp(builder, loc, result);
}

/// Converts between types of the same kind, float or integer.
Value LoopEmitter::convert(Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return from < to
               ? arith::ExtFOp::create(builder, loc, type, value)
               : arith::TruncFOp::create(builder, loc, type, value).getResult();
  return from < to
             ? arith::ExtSIOp::create(builder, loc, type, value).getResult()
             : arith::TruncIOp::create(builder, loc, type, value).getResult();
}

/// Where the current element of x, w or y lies in its buffer.
SmallVector<Value> LoopEmitter::coordinates(TensorRole role) {
  AffineExpr group, inner;
  bindDims(builder.getContext(), group, inner);
  auto ofAllGroups = [&](Value index, int64_t perGroup) {
    return geometry.groups == 1
               ? index
               : apply(group * perGroup + inner, {at.g, index});
  };
  Value outer = at.n, channel;
  ArrayRef<Value> spatial;
  switch (role) {
  case TensorRole::Input:
    channel = ofAllGroups(at.c, geometry.c / geometry.groups), spatial = at.h;
    break;
  case TensorRole::Filter:
    outer = ofAllGroups(at.k, geometry.k / geometry.groups);
    channel = at.c, spatial = at.r;
    if (geometry.flip)
      return coordinatesOf(outer, channel, flipTaps());
    break;
  case TensorRole::Output:
    channel = ofAllGroups(at.k, geometry.k / geometry.groups), spatial = at.p;
    break;
  }
  return coordinatesOf(outer, channel, spatial);
}

/// The taps in the order of the memory, where the filter is read backwards.
SmallVector<Value> LoopEmitter::flipTaps() {
  SmallVector<Value> taps;
  for (int d = 0; d < rank; ++d)
    taps.push_back(apply(builder.getAffineConstantExpr(geometry.filter[d] - 1) -
                             builder.getAffineDimExpr(0),
                         at.r[d]));
  return taps;
}

SmallVector<Value> LoopEmitter::coordinatesOf(Value outer, Value channel,
                                              ArrayRef<Value> spatial) {
  SmallVector<Value> result(rank + 2);
  result[kOuterDim] = outer;
  result[getChannelDim(op.getLayout(), rank)] = channel;
  for (int d = 0; d < rank; ++d)
    result[getSpatialDim(op.getLayout(), d)] = spatial[d];
  return result;
}

/// What the destination holds.
Value LoopEmitter::getOldSum() {
  Value old = memref::LoadOp::create(builder, loc, op.getDest(),
                                     coordinates(getRole(op.getConvKind(), 2)));
  return convert(old, op.getAccType());
}

/// The current element of one of the two sources, in the accumulation type.
Value LoopEmitter::source(unsigned operand) {
  Value value =
      memref::LoadOp::create(builder, loc, op->getOperand(operand),
                             coordinates(getRole(op.getConvKind(), operand)));
  if (std::optional<Type> precision = op.getPrecisionType())
    value = convert(value, *precision);
  return convert(value, op.getAccType());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The division that gives the position along a dimension that has no loop.
Division LoopEmitter::relate(int dim) {
  int64_t stride = geometry.stride[dim], dilation = geometry.dilation[dim];
  int64_t spread = geometry.inputDilation[dim], pad = geometry.padLow[dim];
  int64_t lastTap = (geometry.filter[dim] - 1) * dilation;
  AffineExpr position, tap;
  bindDims(builder.getContext(), position, tap);
  Division division;
  if (op.getConvKind() == ConvKind::Dgrad) {
    AffineExpr expr = position * spread - tap * dilation + pad;
    division.dividend = apply(expr, {at.h[dim], at.r[dim]});
    division.divisor = stride;
    division.extent = geometry.output(dim);
    division.low = pad - lastTap;
    division.high = pad + geometry.dilatedInput(dim) - 1;
  } else {
    AffineExpr expr = position * stride + tap * dilation - pad;
    division.dividend = apply(expr, {at.p[dim], at.r[dim]});
    division.divisor = spread;
    division.extent = geometry.input[dim];
    division.low = -pad;
    division.high = (geometry.output(dim) - 1) * stride + lastTap - pad;
  }
  return division;
}

/// Whether the quotient is a position; nothing where it always is.
Value LoopEmitter::holds(const Division &division) {
  Value result;
  auto require = [&](arith::CmpIPredicate predicate, Value value,
                     int64_t bound) {
    Value test =
        arith::CmpIOp::create(builder, loc, predicate, value, constant(bound));
    result = result ? arith::AndIOp::create(builder, loc, result, test) : test;
  };
  int64_t last = (division.extent - 1) * division.divisor;
  if (division.low < 0)
    require(arith::CmpIPredicate::sge, division.dividend, 0);
  if (division.high > last)
    require(arith::CmpIPredicate::sle, division.dividend, last);
  if (division.divisor != 1) {
    Value remainder = arith::RemSIOp::create(builder, loc, division.dividend,
                                             constant(division.divisor));
    require(arith::CmpIPredicate::eq, remainder, 0);
  }
  return result;
}

/// The quotient, where it holds.
Value LoopEmitter::solve(const Division &division) {
  if (division.divisor == 1)
    return division.dividend;
  return arith::DivSIOp::create(builder, loc, division.dividend,
                                constant(division.divisor));
}

/// sum + the product of the two sources at the current indices.
Value LoopEmitter::addProduct(Value sum) {
  Value lhs = source(0), rhs = source(1);
  if (isa<FloatType>(sum.getType())) {
    Value product = arith::MulFOp::create(builder, loc, lhs, rhs);
    return arith::AddFOp::create(builder, loc, sum, product);
  }
  Value product = arith::MulIOp::create(builder, loc, lhs, rhs);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// Solves for the positions without a loop, and replaces `sum` by body(sum)
/// where there are such positions.
Value LoopEmitter::whereDefined(Value sum, function_ref<Value(Value)> body) {
  SmallVector<Division> divisions;
  Value defined;
  for (int d = 0; d < rank; ++d) {
    divisions.push_back(relate(d));
    if (Value test = holds(divisions.back()))
      defined =
          defined ? arith::AndIOp::create(builder, loc, defined, test) : test;
  }
  auto bodyAtPositions = [&] {
    bool isDgrad = op.getConvKind() == ConvKind::Dgrad;
    for (auto [d, division] : llvm::enumerate(divisions))
      (isDgrad ? at.p : at.h)[d] = solve(division);
    return body(sum);
  };
  if (!defined)
    return bodyAtPositions();
  auto branch = scf::IfOp::create(builder, loc, sum.getType(), defined,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, bodyAtPositions());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sum);
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {

struct ConvertConvToLoops
    : public conv::impl::ConvertConvToLoopsBase<ConvertConvToLoops> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation()->walk([&](ConvOpInterface op) {
      if (!op.hasPureBufferSemantics()) {
        op.emitOpError("must be on buffers to become loops; run "
                       "-one-shot-bufferize first");
        return WalkResult::interrupt();
      }
      rewriter.setInsertionPoint(op);
      LoopEmitter(op, rewriter).emit();
      rewriter.eraseOp(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
