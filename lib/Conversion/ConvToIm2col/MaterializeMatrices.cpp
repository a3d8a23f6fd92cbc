//===- MaterializeMatrices.cpp - implicit to explicit GEMM ----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input:  F2, a contraction of two whole virtual matrices over rows, taps,
// groups
//         and channels.
// Output: a contraction of dense matrices in which taps and channels are one
//         dimension; what had to be gathered or reordered for it has a
//         workspace.
//
// Taps move next to the channels and nothing else moves, so a matrix that has
// both as neighbours, and is its tensor in another shape, needs no copy.
//
//===----------------------------------------------------------------------===//

#include "DenseView.h"
#include "Reshape.h"
#include "conv/Conversion/ConvToIm2col/Passes.h"
#include "conv/Dialect/Conv/IR/ConvMatrixOps.h"
#include "conv/Geometry/MatrixView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::conv {
#define GEN_PASS_DEF_CONVMATERIALIZEMATRICES
#include "conv/Conversion/ConvToIm2col/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

/// The loops that index an operand, one for every dimension.
static SmallVector<unsigned> getLoops(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr index) {
    return cast<AffineDimExpr>(index).getPosition();
  });
}

namespace {

/// Flattens one contraction.
class Flattener {
public:
  explicit Flattener(linalg::GenericOp op)
      : builder(op), loc(op.getLoc()), op(op),
        extents(op.getStaticLoopRanges()) {}

  /// Whether the operation is a contraction of virtual matrices.
  bool matches();
  void rewrite();

private:
  bool findTapsAndChannels(OpOperand &operand);
  Value flattenMatrix(OpOperand &operand);
  Value flattenInit(Value init, ArrayRef<int64_t> shape);
  Value materialize(Im2colOp matrix, ArrayRef<unsigned> loops,
                    ArrayRef<unsigned> order);
  Value transpose(Value matrix, ArrayRef<unsigned> loops,
                  ArrayRef<unsigned> order);
  SmallVector<unsigned> getOrder(ArrayRef<unsigned> loops);
  SmallVector<unsigned> withoutUnits(ArrayRef<unsigned> loops);
  SmallVector<int64_t> getShape(ArrayRef<unsigned> loops);
  SmallVector<int64_t> getFlatShape(ArrayRef<unsigned> loops);
  AffineMap getFlatMap(ArrayRef<unsigned> order);

  OpBuilder builder;
  Location loc;
  linalg::GenericOp op;
  SmallVector<int64_t> extents;
  unsigned tap = 0, channel = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

static Im2colOp getWholeMatrix(Value value) {
  auto matrix = value.getDefiningOp<Im2colOp>();
  bool isVirtual = matrix && matrix.getOffsets().empty() && !matrix.getDest();
  return isVirtual ? matrix : Im2colOp();
}

/// Sets `tap` and `channel` if the operand is the matrix that both belong to:
/// they index the same operands. (The last dimension of a filter can be
/// gemm-n.)
bool Flattener::findTapsAndChannels(OpOperand &operand) {
  Im2colOp matrix = getWholeMatrix(operand.get());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() != matrix.getFullShape().size())
    return false;
  tap = map.getDimPosition(matrix.getView().getTapDim());
  channel = map.getDimPosition(map.getNumResults() - 1);
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap other) {
    return other.isFunctionOfDim(tap) == other.isFunctionOfDim(channel);
  });
}

bool Flattener::matches() {
  if (auto schedule =
          op->getAttrOfType<ScheduleAttr>(ScheduleAttr::attributeName()))
    if (schedule.getAlgorithm() != Algorithm::Im2col)
      return false;
  return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2 &&
         op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getDpsInputs(), getWholeMatrix) &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return findTapsAndChannels(*operand);
         });
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The loops with the taps right before the channels.
SmallVector<unsigned> Flattener::getOrder(ArrayRef<unsigned> loops) {
  SmallVector<unsigned> order;
  for (unsigned loop : loops) {
    if (loop == channel)
      order.push_back(tap);
    if (loop != tap)
      order.push_back(loop);
  }
  return order;
}

SmallVector<unsigned> Flattener::withoutUnits(ArrayRef<unsigned> loops) {
  return llvm::filter_to_vector(
      loops, [&](unsigned loop) { return extents[loop] != 1; });
}

SmallVector<int64_t> Flattener::getShape(ArrayRef<unsigned> loops) {
  return llvm::map_to_vector(loops,
                             [&](unsigned loop) { return extents[loop]; });
}

/// The shape in which taps and channels are one dimension.
SmallVector<int64_t> Flattener::getFlatShape(ArrayRef<unsigned> order) {
  SmallVector<int64_t> shape;
  for (unsigned loop : order)
    if (loop != tap)
      shape.push_back(loop == channel ? extents[tap] * extents[channel]
                                      : extents[loop]);
  return shape;
}

/// The indexing map of a flat operand: the loop of the taps is gone.
AffineMap Flattener::getFlatMap(ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> indices;
  for (unsigned loop : order)
    if (loop != tap)
      indices.push_back(builder.getAffineDimExpr(loop - (loop > tap)));
  return AffineMap::get(extents.size() - 1, 0, indices, builder.getContext());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// A copy of the matrix, indexed by `loops`, that is indexed by `order`.
Value Flattener::transpose(Value matrix, ArrayRef<unsigned> loops,
                           ArrayRef<unsigned> order) {
  SmallVector<int64_t> permutation;
  for (unsigned loop : order)
    permutation.push_back(llvm::find(loops, loop) - loops.begin());
  auto type = cast<RankedTensorType>(matrix.getType());
  Value workspace = tensor::EmptyOp::create(builder, loc, getShape(order),
                                            type.getElementType());
  return linalg::TransposeOp::create(builder, loc, matrix, workspace,
                                     permutation)
      ->getResult(0);
}

/// A dense tensor with the elements of the matrix in the `order` of loops.
Value Flattener::materialize(Im2colOp matrix, ArrayRef<unsigned> loops,
                             ArrayRef<unsigned> order) {
  ArrayRef<int64_t> shape = matrix.getSourceType().getShape();
  bool isTensor = isTensorItself(matrix.getView().getMatrixView(shape));
  Value source = isTensor ? matrix.getSource() : matrix.getResult();
  if (withoutUnits(loops) != withoutUnits(order))
    return transpose(reshape(builder, loc, source, getShape(loops)), loops,
                     order);
  if (isTensor)
    return source;
  ShapedType type = matrix.getMatrixType();
  Value workspace = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType());
  return Im2colOp::create(builder, loc, TypeRange{type}, matrix.getSource(),
                          /*offsets=*/ValueRange(), workspace,
                          /*phase=*/Value(), matrix.getViews(),
                          /*async=*/UnitAttr())
      .getResult();
}

Value Flattener::flattenMatrix(OpOperand &operand) {
  SmallVector<unsigned> loops = getLoops(op.getMatchingIndexingMap(&operand));
  SmallVector<unsigned> order = getOrder(loops);
  Value dense = materialize(getWholeMatrix(operand.get()), loops, order);
  return reshape(builder, loc, dense, getFlatShape(order));
}

/// What the sums begin with; a fill is one of the flat shape.
Value Flattener::flattenInit(Value init, ArrayRef<int64_t> shape) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill || cast<RankedTensorType>(init.getType()).getShape() == shape)
    return reshape(builder, loc, init, shape);
  Value empty = tensor::EmptyOp::create(builder, loc, shape,
                                        getElementTypeOrSelf(init.getType()));
  return linalg::FillOp::create(builder, loc, fill.value(), empty).getResult(0);
}

void Flattener::rewrite() {
  SmallVector<Value> matrices;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : op.getDpsInputOperands())
    matrices.push_back(flattenMatrix(*operand));
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(getFlatMap(getOrder(getLoops(map))));

  // Where the result has taps, they are next to its channels already.
  OpOperand &init = *op.getDpsInitOperand(0);
  SmallVector<unsigned> loops = getLoops(op.getMatchingIndexingMap(&init));
  Value dest = flattenInit(init.get(), getFlatShape(loops));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + tap);

  auto flat = linalg::GenericOp::create(builder, loc, dest.getType(), matrices,
                                        dest, maps, iterators);
  flat.getRegion().takeBody(op.getRegion());
  flat->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getResult(0).replaceAllUsesWith(
      reshape(builder, loc, flat.getResult(0), getShape(loops)));

  SmallVector<Value> inputs(op.getDpsInputs());
  op.erase();
  for (Value input : inputs)
    if (input.use_empty())
      input.getDefiningOp()->erase();
}

namespace {
struct ConvMaterializeMatrices
    : public conv::impl::ConvMaterializeMatricesBase<ConvMaterializeMatrices> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops)
      if (Flattener flattener(op); flattener.matches())
        flattener.rewrite();
  }
};
} // namespace
