//===- ConvMatrixOps.td - virtual matrices of implicit GEMM -*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_CONVMATRIXOPS_TD
#define CONV_DIALECT_CONV_IR_CONVMATRIXOPS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/ParallelCombiningOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Conv_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;
def Conv_TensorOrVector : AnyTypeOf<[AnyRankedTensor, AnyVectorOfNonZeroRank]>;

def Conv_Im2colOp : Conv_Op<"im2col", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
       "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "read a tensor as the matrix [(row group,) row, tap, (group,) channel]";
  let description = [{
    The matrix that `view` describes, or a tile of it at `offsets`. Nothing is
    materialised until the op has a `dest`. Elements past the extents of the
    matrix read zero, so a tile keeps its static shape at every edge.

    It lives in these forms, in the order in which a compilation meets them:

    ```mlir
    // the whole matrix
    %X = conv.im2col %x view #view : tensor<8x56x56x64xbf16> -> tensor<25088x9x64xbf16>
    // a tile of it; unit taps and groups may be left out of the type
    %a = conv.im2col %x[%m, %t, %c] view #view : tensor<8x56x56x64xbf16> -> tensor<128x64xbf16>
    // the tile with a place to live
    %a = conv.im2col %x[%m, %t, %c] into %d view #view : tensor<8x56x56x64xbf16> into tensor<128x64xbf16> -> tensor<128x64xbf16>
    // buffers: a copy into shared memory
    conv.im2col %x[%m, %t, %c] into %s view #view : memref<8x56x56x64xbf16> into memref<128x64xbf16, #gpu.address_space<workgroup>>
    // registers: an operand of the epilogue
    %r = conv.im2col %x[%m, %t, %c] view #view : memref<8x56x56x64xbf16> -> vector<128x64xbf16>
    ```

    `async` says that the copy may complete as late as the next wait for it.

    With `channels_first` the source is a tensor [batch, channels, extent...]; the
    view is that of the tensor with its channels last. A copy of it into shared
    memory is made by the threads of the producer, and the tile is laid out in panels:

    ```mlir
    conv.im2col %x[%m, %t, %c] into %s view #view channels_first : memref<8x64x56x56xbf16> into memref<128x64xbf16, #gpu.address_space<workgroup>>
    ```

    With `transposed` besides, the tile that it is copied into is [channels, rows]:
    neighbours in the tensor stay neighbours. The rows of such a view are the
    positions of the images in their order.

    ```mlir
    conv.im2col %x[%m, %t, %c] into %s view #view channels_first transposed : memref<8x64x14x14xbf16> into memref<64x128xbf16, #gpu.address_space<workgroup>>
    ```

    With `tap_shift` the taps are not those of the view, but move along the
    channels: element […, tap, channel] is that of tap 0 and channel + tap * step
    + offset, and zero where there is no such channel. So an image with its
    channels first, whose positions are the view's channels, has taps that are
    whole lines apart:

    ```mlir
    // 64 channels of 56x56 positions, three taps
    %X = conv.im2col %x view <rows = [64], taps = [1], …, row_groups = 8> tap_shift step 56 offset -56 : tensor<8x64x3136xbf16> -> tensor<8x64x3x3136xbf16>
    ```

    A tile is of one tap, whose shift is in its offsets. They may be negative.

    A tile of one of several matrices, the stride phases of `dgrad`, names which
    by its position in the list of their views. They differ in rows, taps and
    offset only:

    ```mlir
    %a = conv.im2col %dy[%m, %t, %k] at %phase views [#phase0, #phase1] : tensor<8x28x28x64xbf16> -> tensor<128x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<Conv_TensorOrMemRef, "the tensor that is read">:$source,
    Variadic<Index>:$offsets,
    Optional<Conv_TensorOrMemRef>:$dest,
    Optional<Index>:$phase,
    Conv_ViewArrayAttr:$views,
    UnitAttr:$async,
    UnitAttr:$channels_first,
    UnitAttr:$transposed,
    OptionalAttr<I64Attr>:$tap_step,
    OptionalAttr<I64Attr>:$tap_offset);
  let results = (outs Optional<Conv_TensorOrVector>:$result);
  let assemblyFormat = [{
    $source (`[` $offsets^ `]`)? (`into` $dest^)? (`async` $async^)? custom<Views>($phase, $views)
    (`channels_first` $channels_first^)? (`transposed` $transposed^)?
    (`tap_shift` `step` $tap_step^ `offset` $tap_offset)? attr-dict `:` type($source) (`into` type($dest)^)? (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let builders = [
    /// The whole matrix; a unit tap is left out when `dropTap` is set.
    OpBuilder<(ins "Value":$source, "ViewAttr":$view, CArg<"bool", "false">:$dropTap)>,
    /// Whatever holds, but taps that are shifted; `result` is empty where there is none.
    OpBuilder<(ins "TypeRange":$result, "Value":$source, "ValueRange":$offsets, "Value":$dest, "Value":$phase, "ArrayAttr":$views,
      "UnitAttr":$async, CArg<"UnitAttr", "UnitAttr()">:$channelsFirst, CArg<"UnitAttr", "UnitAttr()">:$transposed)>,
    /// The whole matrix [(row group,) row, tap, channel] with so many taps, which move along the channels.
    OpBuilder<(ins "Value":$source, "ViewAttr":$view, "int64_t":$taps, "int64_t":$columns, "int64_t":$step, "int64_t":$offset)>
  ];
  let extraClassDeclaration = [{
    /// The view; where there are several, the one of the first phase, which
    /// has its rank, groups, strides and steps in common with the others.
    ViewAttr getView() { return cast<ViewAttr>(getViews()[0]); }
    /// Of every phase.
    SmallVector<ViewAttr> getAllViews() { return llvm::to_vector(getViews().getAsRange<ViewAttr>()); }
    /// Offset of the tile's first row; zero for a whole matrix.
    OpFoldResult getRowOffset() { return getMixedOffsets()[getView().getRowDim()]; }
    ShapedType getSourceType() { return cast<ShapedType>(getSource().getType()); }
    /// Extents of the source, its channels last.
    SmallVector<int64_t> getTensorShape();
    /// Whether rows are the positions of a tensor with its channels first, in
    /// their order: neighbouring rows of an image are neighbours in memory.
    bool readsNeighbours();
    /// Shape of the matrix or tile that the op makes: of its result or dest.
    ShapedType getMatrixType();
    /// Extents of the whole matrix (of the first phase), padding excluded.
    SmallVector<int64_t> getFullShape() { return getView().getMatrixShape(getTensorShape()); }
    /// A position for each dimension of getFullShape(): the offsets, or zeros.
    SmallVector<OpFoldResult> getMixedOffsets();
  }];
}

def Conv_DepthwiseOp : Conv_Op<"depthwise", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
       "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "sums over the taps of a filter, channel by channel";
  let description = [{
    A depthwise convolution without matrices: at every position of the view
    the sum over its taps of source times filter, in the type of the result. The
    filter is [tap, channel], its taps in the order of the view, or [batch, tap,
    channel], one for each image, and the result [batch, position…, channel].

    ```mlir
    %y = conv.depthwise %x, %w view #view : tensor<8x56x56x96xbf16>, tensor<9x96xbf16> -> tensor<8x56x56x96xf32>
    // a tile of it: what a thread computes
    %t = conv.depthwise %x, %w[%n, %p, %q, %c] view #view : tensor<8x56x56x96xbf16>, tensor<9x96xbf16> -> tensor<1x1x7x8xf32>
    // of buffers, in registers
    %v = conv.depthwise %x, %w[%n, %p, %q, %c] view #view : memref<8x56x56x96xbf16>, memref<9x96xbf16> -> vector<1x1x7x8xf32>
    // of images with their channels first
    %u = conv.depthwise %x, %w view #view channels_first : tensor<8x96x56x56xbf16>, tensor<96x9xbf16> -> tensor<8x96x56x56xf32>
    ```

    With `dilated` the view is of a source that has as many places for each of
    its elements, the others zeros: `dilated [2, 2]` of dy of a dgrad with that
    stride. Tiles then begin, along the last dimension, at such places.

    With `channels_first` the source is a tensor [batch, channel, extent…], the
    filter [channel, tap], or [batch, channel, tap], and the result [batch,
    channel, position…].

    `schedule`, if there is one, says how many positions of a line and channels a
    thread has, as gemm-m and gemm-n of its tile, and how many taps of a line are
    a block, as gemm-k (1: all). With a `split` of P the result has P times the
    batch: the sums of an image, each over a P-th of its blocks. Blocks are
    counted across the lines of the filter first, and a part has neighbouring
    ones; with `channels_first` they are counted along the lines, and a part has
    every P-th: either way neighbouring threads read neighbouring elements.

    A schedule with `mma=mma_sync` is for f16 and bf16. Of the gradient of a
    filter, [batch, tap, channel], tensor cores multiply 16 images at a time and
    add them: with a `split` of P the result has P sums, not P times the batch.
    A filter without images is then as it lies in memory, [channel, tap].

    With `precision tf32` elements of source and filter, which are f32, are
    rounded to it before they are multiplied.
  }];
  let arguments = (ins
    Arg<Conv_TensorOrMemRef, "x, or dy of dgrad">:$source,
    Arg<Conv_TensorOrMemRef, "the filter, or dy of wgrad">:$filter,
    Variadic<Index>:$offsets,
    Conv_ViewAttr:$view,
    OptionalAttr<DenseI64ArrayAttr>:$dilation,
    UnitAttr:$channels_first,
    OptionalAttr<Conv_ScheduleAttr>:$schedule,
    OptionalAttr<TypeAttr>:$precision_type);
  let results = (outs Conv_TensorOrVector:$result);
  let assemblyFormat = [{
    $source `,` $filter (`[` $offsets^ `]`)? `view` $view (`dilated` $dilation^)?
    (`channels_first` $channels_first^)? (`schedule` $schedule^)?
    (`precision` $precision_type^)? attr-dict
    `:` type($source) `,` type($filter) `->` type($result)
  }];
  let hasVerifier = 1;
  let builders = [
    /// All positions and channels.
    OpBuilder<(ins "Value":$source, "Value":$filter, "ViewAttr":$view, "ArrayRef<int64_t>":$dilation,
                   "bool":$channelsFirst, "ScheduleAttr":$schedule, "Type":$sumType, "TypeAttr":$precisionType)>
  ];
  let extraClassDeclaration = [{
    ShapedType getSourceType() { return cast<ShapedType>(getSource().getType()); }
    ShapedType getResultType() { return cast<ShapedType>(getResult().getType()); }
    /// Extents [batch, position…, channel], or with the channel behind the
    /// batch, of all that there is to compute.
    SmallVector<int64_t> getFullShape();
    /// The dimension of channels, and the first one of positions or extents, of
    /// result and source.
    int64_t getChannelDim() { return getChannelsFirst() ? 1 : getView().getSpatialRank() + 1; }
    int64_t getFirstSpatialDim() { return getChannelsFirst() ? 2 : 1; }
    /// Places for an element of the source along a dimension.
    int64_t getDilationOf(int64_t dim) { return getDilation() ? (*getDilation())[dim] : 1; }
    int64_t getNumChannels() { return getSourceType().getDimSize(getChannelDim()); }
    /// Sums that an image has at each position.
    int64_t getParts();
    /// Taps of a line that are a block.
    int64_t getBlock();
    /// Blocks of an image: what parts divide.
    int64_t getNumBlocks();
    /// Whether each image has a filter of its own.
    bool hasFilterOfImage() {
      return cast<ShapedType>(getFilter().getType()).getRank() == 3;
    }
    /// Whether the one filter is [channel, tap], whatever the layout.
    bool hasFilterInMemoryOrder();
  }];
}

def Conv_ScatterOp : Conv_Op<"scatter", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ParallelCombiningOpInterface,
      ["getUpdatedDestinations", "getIteratingParent"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
       "getResultTilePosition"]>]> {
  let summary = "write a matrix into a tensor through a view";
  let description = [{
    The inverse of `conv.im2col` for a view that names no element twice: rows
    and channels of `value` go to the elements that the view names; those that
    lie past its extents are dropped. Elements that the view does not name stay
    as they were.

    ```mlir
    %y = conv.scatter %m into %y0 view #view : tensor<25088x128xbf16> into tensor<8x56x56x128xbf16>
    // in scf.forall.in_parallel: without a result
    conv.scatter %tile into %o[%m0, %t0, %n0] view #view : tensor<128x128xbf16> into tensor<8x56x56x128xbf16>
    // only where a condition holds, which is for this region alone
    conv.scatter %tile into %o[%m0, %t0, %n0] if %isWhole view #view : tensor<128x128xbf16> into tensor<8x56x56x128xbf16>
    // a part of one row
    conv.scatter %row into %o[%m, %t0, %n0] view #view : tensor<128xf32> into tensor<1x4x128xf32>
    // buffers and registers
    conv.scatter %v into %buf[%m0, %t0, %n0] view #view : vector<128x128xbf16> into memref<8x56x56x128xbf16>
    // the result of one of several stride phases
    conv.scatter %v into %buf[%m0, %t0, %n0] at %phase views [#phase0, #phase1] : vector<128x128xbf16> into memref<8x56x56x128xbf16>
    ```

    With `channels_first` the destination is a tensor [batch, channels,
    extent...]; the view is that of the tensor with its channels last.

    ```mlir
    %y = conv.scatter %m into %y0 view #view channels_first : tensor<25088x128xbf16> into tensor<8x128x56x56xbf16>
    ```

    With `zero_fill` the rows of the view are at distances of its stride, from
    position 0 on to the end of the tensor, and what lies between them becomes
    zero. Of a tile, which zeros it writes is left open, but for their channels:
    all tiles of a matrix together write each of them.

    ```mlir
    // the gradient by the input of a 1x1 convolution with stride 2
    %dx = conv.scatter %m into %dx0 view <rows = [28, 28], taps = [1, 1], stride = [2, 2], …> zero_fill : tensor<6272x128xbf16> into tensor<8x56x56x128xbf16>
    %dx = conv.scatter %m into %dx0 view <rows = [28, 28], taps = [1, 1], stride = [2, 2], …> channels_first zero_fill : tensor<6272x128xbf16> into tensor<8x128x56x56xbf16>
    ```
  }];
  let arguments = (ins
    Conv_TensorOrVector:$value,
    Arg<Conv_TensorOrMemRef, "the tensor that is written">:$dest,
    Variadic<Index>:$offsets,
    Optional<I1>:$condition,
    Optional<Index>:$phase,
    Conv_ViewArrayAttr:$views,
    UnitAttr:$channels_first,
    UnitAttr:$zero_fill);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $value `into` $dest (`[` $offsets^ `]`)? (`if` $condition^)? custom<Views>($phase, $views)
    (`channels_first` $channels_first^)? (`zero_fill` $zero_fill^)? attr-dict `:` type($value) `into` type($dest) (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let builders = [
    /// Whatever holds.
    OpBuilder<(ins "TypeRange":$results, "Value":$value, "Value":$dest, "ValueRange":$offsets, "Value":$phase, "ArrayAttr":$views, "UnitAttr":$channelsFirst)>,
    /// Through one view.
    OpBuilder<(ins "TypeRange":$results, "Value":$value, "Value":$dest, "ValueRange":$offsets, "ViewAttr":$view)>
  ];
  let extraClassDeclaration = [{
    /// The view; where there are several, the one of the first phase, which
    /// has its rank, groups, strides and steps in common with the others.
    ViewAttr getView() { return cast<ViewAttr>(getViews()[0]); }
    /// Of every phase.
    SmallVector<ViewAttr> getAllViews() { return llvm::to_vector(getViews().getAsRange<ViewAttr>()); }
    /// Offset of the tile's first row; zero for a whole matrix.
    OpFoldResult getRowOffset() { return getMixedOffsets()[getView().getRowDim()]; }
    ShapedType getValueType() { return cast<ShapedType>(getValue().getType()); }
    ShapedType getDestType() { return cast<ShapedType>(getDest().getType()); }
    /// Extents of the destination, its channels last.
    SmallVector<int64_t> getTensorShape();
    SmallVector<int64_t> getFullShape() { return getView().getMatrixShape(getTensorShape()); }
    SmallVector<OpFoldResult> getMixedOffsets();
  }];
}

def Conv_AddTapsOp : Conv_Op<"add_taps", [Pure]> {
  let summary = "add the sums of each tap along a line, shifted";
  let description = [{
    The last step of a convolution whose taps along the innermost dimension have
    sums of their own ("kn2row"). Rows of `source` come in blocks of 64, for tap
    after tap: row 64 * (S * b + s) + i has tap s of the filter 64 * b + i,
    where S is the number of shifts. Columns are the positions of images, lines
    of `line` of them behind each other, from the begin of a line on.

    ```
    result[…, 64 * b + i, p] = sum over s of source[…, 64 * (S * b + s) + i, p + shifts[s]]
    ```

    over those s whose p + shifts[s] is in the line of p. The sums are added in
    the order of s. Columns of `source` past those of the result are not read.

    ```mlir
    %y = conv.add_taps %sums line 56 shifts [-1, 0, 1] : tensor<8x192x3136xf32> -> tensor<8x64x3136xf32>
    %y = conv.add_taps %sums line 56 shifts [-1, 0, 1] : vector<192x128xf32> -> vector<64x112xf32>
    ```

    Source of the algorithm: A. Anderson, A. Vasudevan, C. Keane, D. Gregg,
    "Low-memory GEMM-based convolution algorithms for deep neural networks",
    2017 (kn2row), here for the taps of one dimension only.
  }];
  let arguments = (ins
    Conv_TensorOrVector:$source,
    I64Attr:$line,
    DenseI64ArrayAttr:$shifts);
  let results = (outs Conv_TensorOrVector:$result);
  let assemblyFormat = [{
    $source `line` $line `shifts` $shifts attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows of a block, those of an instruction.
    static constexpr int64_t kBlockRows = 64;
    int64_t getNumTaps() { return getShifts().size(); }
  }];
}

#endif // CONV_DIALECT_CONV_IR_CONVMATRIXOPS_TD
