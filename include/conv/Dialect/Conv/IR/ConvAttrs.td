//===- ConvAttrs.td - geometry and schedule attributes -----*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVATTRS_TD
#define CONV_DIALECT_CONV_IR_CONVATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "conv/Dialect/Conv/IR/ConvDialect.td"

class Conv_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Conv_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

def Conv_Layout : I32EnumAttr<"Layout", "memory order of a convolution's tensors", [
    I32EnumAttrCase<"NHWC", 0, "nhwc">,
    I32EnumAttrCase<"NCHW", 1, "nchw">]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_LayoutAttr : EnumAttr<Conv_Dialect, Conv_Layout, "layout"> {
  let summary = "memory order of the tensors of a convolution, in every rank";
  let description = [{
    `nhwc`: x is N,D,H,W,C, the filter K,T,R,S,C/G, y is N,Z,P,Q,K.
    `nchw`: x is N,C,D,H,W, the filter K,C/G,T,R,S, y is N,K,Z,P,Q.
    The names stand for the family: 1-D and 3-D use them too.
  }];
}

//===----------------------------------------------------------------------===//
// View
//===----------------------------------------------------------------------===//

def Conv_ViewAttr : Conv_Attr<"View", "view"> {
  let summary = "a channels-last tensor seen as a matrix of rows, taps and channels";
  let description = [{
    The index map shared by every implicit-GEMM operand (see
    `conv/Geometry/MatrixView.h`). For a tensor [batch, extent..., channels]:

    ```
    row m = (n, p...)   over batch and `rows`      tap t = (r...)   over `taps`
    view[m, t, g, c] = tensor[n, p_i*stride_i + r_i*step_i + offset_i, g*C/groups + c]
    ```

    and zero where a spatial coordinate leaves the tensor. All lists have one
    entry per spatial dimension, outermost first. The dimension `g` is there
    only when `groups` is more than one.

    With `row_groups` the rows are divided too, and the matrix has one more
    dimension in front, so that a tile of one group's rows ends where they end:

    ```
    view[h, m, t, g, c] = the same with row h * rows / row_groups + m
    ```

    Groups of a filter are such (its rows are gemm-n of forward), and the parts
    of a split reduction, which lie behind each other in one workspace.

    With `strips` the innermost dimension is cut into strips of as many positions
    as its `rows` say, and each strip is walked over whole before the next one:

    ```
    row m = (n, strip, p...)   with the innermost position strip * rows + p
    ```

    Rows may pass the tensor, so that tiles end where images end: `conv.im2col`
    reads zero there unless a tap leads back inside, `conv.scatter` drops them.

    Example: the input of a 3x3 convolution with padding 1 on 56x56:

    ```mlir
    #conv.view<rows = [56, 56], taps = [3, 3], stride = [1, 1], step = [1, 1], offset = [-1, -1], groups = 1>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "output positions per spatial dimension">:$rows,
    ArrayRefParameter<"int64_t", "filter taps per spatial dimension">:$taps,
    ArrayRefParameter<"int64_t", "distance of two output positions">:$stride,
    ArrayRefParameter<"int64_t", "distance of two taps, may be negative">:$step,
    ArrayRefParameter<"int64_t", "coordinate of tap 0 at output position 0">:$offset,
    "int64_t":$groups,
    DefaultValuedParameter<"int64_t", "1">:$rowGroups,
    DefaultValuedParameter<"int64_t", "1">:$strips);
  let assemblyFormat = [{
    `<` `rows` `=` `[` $rows `]` `,` `taps` `=` `[` $taps `]` `,`
    `stride` `=` `[` $stride `]` `,` `step` `=` `[` $step `]` `,`
    `offset` `=` `[` $offset `]` `,` `groups` `=` $groups
    `` custom<ViewOptions>($rowGroups, $strips) `` `>`
  }];
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "const ::convmlir::MatrixView &":$view,
                     CArg<"int64_t", "1">:$groups,
                     CArg<"int64_t", "1">:$rowGroups)>
  ];
  let extraClassDeclaration = [{
    int64_t getSpatialRank() const { return getRows().size(); }
    int64_t getNumTaps() const;
    /// Product of rows and strips, without the batch.
    int64_t getRowsPerImage() const;
    /// The plain C++ view of a tensor with this shape (batch, extents, channels).
    ::convmlir::MatrixView getMatrixView(::llvm::ArrayRef<int64_t> tensorShape) const;
    /// Extents [(row groups,) rows, taps, (groups,) channels] of the matrix that
    /// a tensor of this shape is seen as.
    ::llvm::SmallVector<int64_t> getMatrixShape(::llvm::ArrayRef<int64_t> tensorShape) const;
    /// Positions of rows and taps among those extents; channels are the last,
    /// groups right before them.
    unsigned getRowDim() const { return getRowGroups() > 1; }
    unsigned getTapDim() const { return getRowDim() + 1; }
    unsigned getMatrixRank() const { return 3 + (getRowGroups() > 1) + (getGroups() > 1); }
  }];
}

/// The views of a matrix, one for each phase.
def Conv_ViewArrayAttr : TypedArrayAttrBase<Conv_ViewAttr, "array of views">;

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Conv_Algorithm : I32EnumAttr<"Algorithm", "how a convolution is computed", [
    I32EnumAttrCase<"ImplicitGemm", 0, "implicit_gemm">,
    I32EnumAttrCase<"Im2col", 1, "im2col">,
    I32EnumAttrCase<"Loops", 2, "loops">]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_MmaKind : I32EnumAttr<"MmaKind", "matrix instruction of a kernel", [
    I32EnumAttrCase<"MmaSync", 0, "mma_sync">,
    I32EnumAttrCase<"Wgmma", 1, "wgmma">,
    I32EnumAttrCase<"Fma", 2, "fma">,
    I32EnumAttrCase<"Wmma", 3, "wmma">]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_CopyKind : I32EnumAttr<"CopyKind", "engine that fills operand tiles", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,
    I32EnumAttrCase<"Tma", 1, "tma">,
    I32EnumAttrCase<"Sync", 2, "sync">]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_ReadingKind : I32EnumAttr<"ReadingKind", "which thread reads which part of a tile", [
    I32EnumAttrCase<"Cyclic", 0, "cyclic">,
    I32EnumAttrCase<"Strided", 1, "strided">,
    I32EnumAttrCase<"WarpTile", 2, "warp_tile">]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_ScheduleAttr : Conv_Attr<"Schedule", "schedule"> {
  let summary = "every decision about one kernel";
  let description = [{
    Written by `conv-select-schedule` or by a user, read by every later pass. Its
    keys, what they mean and what is left out are those of ScheduleKeys.def, which
    docs/Schedules.md has as a table. The attribute is printed as `--schedule` is
    written, and read in either spelling (`split-k=2` or `split = 2,`):

    ```mlir
    #conv.schedule<algorithm=implicit_gemm tile=128x128x32 warps=2x2 stages=3 copy=cp_async mma=mma_sync split-k=1>
    ```
  }];
  // A field for each key of ScheduleKeys.def.
  let parameters = (ins
    AttrParameter<"::mlir::conv::ScheduleFields", "the value of each key",
                  "const ::mlir::conv::ScheduleFields &">:$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Name under which the attribute is attached to an operation.
    static constexpr ::llvm::StringLiteral attributeName() { return "conv.schedule"; }
    /// The value of each key, and the same schedule with another one.
#define CONV_SCHEDULE_KEY(Field, Key, Name, OtherName, Kind, ...)              \
    ScheduleView<schedule_kind::Kind> get##Key() const;                        \
    ScheduleAttr with##Key(ScheduleView<schedule_kind::Kind> value) const;
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
    /// Those of the warps that divide one tile.
    int64_t getThreads() const { return 32 * getWarps()[0] * getWarps()[1]; }
    /// Workgroups of a cluster; 1 without.
    int64_t getClusterSize() const {
      return getCluster().empty() ? 1 : getCluster()[0] * getCluster()[1];
    }
  }];
}

#endif // CONV_DIALECT_CONV_IR_CONVATTRS_TD
