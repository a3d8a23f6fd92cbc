//===- SplitReduction.h - the sum of a split gemm-k -------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups that share a tile of the result, each with a part of gemm-k, leave
// their sums in a workspace: the result as often as there are parts, one behind
// the other along the batch. A second kernel adds them in a fixed order
// (conv-spread-sums), so that the result does not depend on which was ready
// first, and does what else the epilogue has to do.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_TILING_SPLITREDUCTION_H
#define CONV_LIB_TRANSFORMS_TILING_SPLITREDUCTION_H

#include "Matrices/StridePhases.h"

namespace mlir::conv {

/// The workspace for `split` parts of a result, in the type of the sums.
RankedTensorType getWorkspaceType(const StridePhases &phases, int64_t split);

/// The view of the workspace through which a part is written: that of the
/// result, the parts being row groups.
ViewAttr getWorkspaceView(ViewAttr result, int64_t split);

/// The parts of `part` in the row groups of such a view, for a group of the
/// result (null: it has none).
OpFoldResult getWorkspaceGroup(OpBuilder &builder, Location loc,
                               ViewAttr result, Value part, OpFoldResult group);

/// Adds the parts in `workspace` and applies the epilogue: the elementwise
/// operations between contraction and scatter, on tensors. The result takes the
/// place of what the scatters made.
FailureOr<Value> sumParts(RewriterBase &rewriter, const StridePhases &phases,
                          Value workspace, int64_t split);

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_TILING_SPLITREDUCTION_H
