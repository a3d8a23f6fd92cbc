//===- EngineOps.td - operations for engines of sm_90a -----*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tensor memory accelerator and the warpgroup matrix units of sm_90a
// can do and `nvgpu` cannot say: copies in im2col mode, copies of tiles that
// are made of several boxes, products of tiles with any swizzle and either
// major and of taps that share a window, accumulators that an epilogue reads
// element by element, and matrices that a warp stores at once.
// Barriers and accumulators are of nvgpu's types.
//
// Operand tiles in shared memory are made of *panels*: the columns of a tile
// are cut into panels of at most 128 bytes, a panel is a row-major matrix whose
// rows are that wide, swizzled over its width, and panels follow each other
// (`PanelTile` in conv/Geometry/SharedTile.h). This is what one box of TMA
// writes, and what a matrix descriptor of wgmma walks over.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_ENGINE_IR_ENGINEOPS_TD
#define CONV_DIALECT_ENGINE_IR_ENGINEOPS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "conv/Dialect/Engine/IR/EngineDialect.td"
include "mlir/Dialect/NVGPU/IR/NVGPUTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Copies by the tensor memory accelerator
//===----------------------------------------------------------------------===//

def Engine_LoadTileOp : Engine_Op<"load_tile", [AttrSizedOperandSegments]> {
  let summary = "copy a tile of a matrix to shared memory; a barrier counts its bytes";
  let description = [{
    What `conv.im2col … into … async` is for `cp.async`, for TMA: the tile of the
    matrix `view` at `offsets` (row, tap, (group,) channel) is copied to `dest`,
    laid out in panels. The copy is complete when the barrier `barriers[slot]`
    has counted all bytes of the tile; bytes of elements past the matrix, which
    become zero, count too. As in `conv.im2col`, a phase chooses among several views.

    ```mlir
    engine.load_tile %x[%m, %t, %c] into %slot, %full[%i] view <…>
      : memref<8x56x56x64xbf16> into memref<128x64xbf16, #gpu.address_space<workgroup>>, !nvgpu.mbarrier.group<…>
    ```

    Workgroups of a cluster that want the same tile load it together: `part p of P
    to W` copies only rows [p * R / P, (p + 1) * R / P) of the R rows, to the same
    place of the tile in the shared memory of each workgroup whose rank in the cluster is a bit of
    W; its own barrier counts the bytes there. A part may begin past the matrix.
    It has a multiple of eight rows.

    ```mlir
    engine.load_tile %w[%n, %t, %c] into %slot, %full[%i] view <…> part %rank of 2 to %mask : …
    ```

    With `to_tf32`, the elements are f32 and are rounded to tf32 on their way, to nearest even.

    With `inner_panels`, panels that begin past the columns of the matrix are not copied, with `inner_rows` rows past
    those of the matrix: such elements are undefined, and their bytes do not count.
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the tensor that is read", [MemRead]>:$source,
    Variadic<Index>:$offsets,
    Arg<AnyStridedMemRef, "the tile in shared memory", [MemWrite]>:$dest,
    Arg<NVGPU_MBarrierGroup, "", [MemRead, MemWrite]>:$barriers,
    Index:$slot,
    Optional<Index>:$phase,
    Optional<Index>:$part,
    Optional<Index>:$workgroups,
    Conv_ViewArrayAttr:$views,
    DefaultValuedAttr<I64Attr, "1">:$parts,
    UnitAttr:$to_tf32,
    UnitAttr:$inner_panels,
    UnitAttr:$inner_rows);
  let assemblyFormat = [{
    $source `[` $offsets `]` `into` $dest `,` $barriers `[` $slot `]` custom<Views>($phase, $views)
    (`part` $part^ `of` $parts `to` $workgroups)? attr-dict
    `:` type($source) `into` type($dest) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
  let builders = [
    /// Of a whole tile.
    OpBuilder<(ins "Value":$source, "ValueRange":$offsets, "Value":$dest,
        "Value":$barriers, "Value":$slot, "Value":$phase, "ArrayAttr":$views,
        "bool":$to_tf32), [{
      build($_builder, $_state, source, offsets, dest, barriers, slot, phase,
            /*part=*/Value(), /*workgroups=*/Value(), views, /*parts=*/1, to_tf32);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The view; where there are several, the one of the first phase.
    ViewAttr getView() { return cast<ViewAttr>(getViews()[0]); }
    /// Of every phase.
    SmallVector<ViewAttr> getAllViews() { return llvm::to_vector(getViews().getAsRange<ViewAttr>()); }
    /// Offset of the tile's first row.
    Value getRowOffset() { return getOffsets()[getView().getRowDim()]; }
  }];
}

def Engine_LoadBoxOp : Engine_Op<"load_box"> {
  let summary = "copy a box of a tensor to shared memory; a barrier counts its bytes";
  let description = [{
    The box of `source` that begins at `coordinates`, one for each dimension, is
    copied to `dest`. The shape of `dest` says how large it is: its extents are
    those of the innermost dimensions, and those that it leaves out are 1.
    Coordinates may be negative or past the tensor: what lies outside becomes zero.

    A *line* of `dest` is a row of channels, the last dimension. Lines follow
    each other in the order of the tensor and are laid out in panels, like the rows
    of a tile. The barrier `barriers[slot]` counts the bytes of the whole box. With `to_tf32`,
    f32 are rounded to tf32, as by `engine.load_tile`.

    With `dense`, lines are what the last dimension is, of at most 256 elements and a multiple of
    16 bytes, and follow each other as they are: no panels, no swizzle. The copy begins at
    a multiple of 16 bytes of the last dimension.

    With `skewed`, the box is [channel, position], one panel, of a tensor [image, channel, position] of 16-bit elements, with any number P of positions,
    at least 16. The copy begins at a multiple of 16 of them. Line c begins (c mod g) (P mod 16) elements in front of its coordinate, where g, 16 / gcd(16, P), divides the first channel: what is in front of an image there are
    elements of other channels. Past an image a line is undefined, past the last image zero.

    ```mlir
    // 6 x 66 positions of one image
    engine.load_box %x[%n, %h, %w, %c] into %window, %full[%i]
      : memref<8x64x64x384xbf16> into memref<6x66x64xbf16, #gpu.address_space<workgroup>>, !nvgpu.mbarrier.group<…>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the tensor that is read", [MemRead]>:$source,
    Variadic<Index>:$coordinates,
    Arg<AnyStridedMemRef, "the box in shared memory", [MemWrite]>:$dest,
    Arg<NVGPU_MBarrierGroup, "", [MemRead, MemWrite]>:$barriers,
    Index:$slot,
    UnitAttr:$to_tf32,
    UnitAttr:$dense,
    UnitAttr:$skewed);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `into` $dest `,` $barriers `[` $slot `]` attr-dict
    `:` type($source) `into` type($dest) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
}

def Engine_GatherBoxOp : Engine_Op<"gather_box"> {
  let summary = "copy a box of a tensor with channels first to shared memory";
  let description = [{
    What `engine.load_box` is for a tensor with its channels last, for one that has
    them first: [batch, channels, extent...]. `coordinates` and the shape of `dest` have
    the order of the tensor with its channels last, and lines are rows of channels. All
    threads of the producer transpose the box on its way; a thread's part has
    been written when it goes on. Without a barrier: those that read the box wait for all threads.

    ```mlir
    // 6 x 66 positions of one image
    engine.gather_box %x[%n, %h, %w, %c] into %window
      : memref<8x384x64x64xbf16> into memref<6x66x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the tensor that is read", [MemRead]>:$source,
    Variadic<Index>:$coordinates,
    Arg<AnyStridedMemRef, "the box in shared memory", [MemWrite]>:$dest);
  let assemblyFormat = [{
    $source `[` $coordinates `]` `into` $dest attr-dict `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Engine_TransposeRowsOp : Engine_Op<"transpose_rows"> {
  let summary = "make lines of a window of positions with channels first";
  let description = [{
    `box` is [channel, (1,) position] in shared memory, in panels as `engine.load_box` leaves it, or with rows that follow each other
    (`dense`), of a tensor with channels first. The first `lines` lines of `window` are a window with its channels last, in rows of `pitch` columns,
    laid out in panels as `engine.load_box` would leave it; what lies behind them is scratch, of
    1024 bytes for each warp.

    Position `first + width i + j` of the box is column `column + j` of row `row + i` of the window, for i
    below `rows` and j below `width`. What is in front of the first or behind the last of these
    positions, and columns that the window does not have, are left out. Nothing else of the window is
    written. `first` may be negative: then the rows begin in front of the box.

    With a `stride`, of rows and columns, the window has a part for each phase (y mod stride[0], x mod stride[1]) of
    rows y and columns x, which begins `phase_lines[0]` lines behind that of the phase of rows before, and
    `phase_lines[1]` behind that of columns: in it row y is row y / stride[0], and column x is column x / stride[1].
    There are `phases` of them, and positions of other phases are left out.

    All threads of several warps of the producer share out the work, and a thread's part has been written when
    it goes on. Without a barrier, as `engine.gather_box`.

    ```mlir
    // four rows of an image 28 positions wide, of which the box begins with a part; one column of padding at the left
    engine.transpose_rows %box[%first] into %window row 0 rows 4 width 28 column 1 pitch 66 lines 264
      : memref<64x64xbf16, #gpu.address_space<workgroup>> into memref<280x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the box in shared memory", [MemRead]>:$box,
    Index:$first,
    Arg<AnyStridedMemRef, "the window and scratch in shared memory", [MemWrite]>:$window,
    I64Attr:$row,
    I64Attr:$rows,
    I64Attr:$width,
    I64Attr:$column,
    I64Attr:$pitch,
    I64Attr:$lines,
    OptionalAttr<DenseI64ArrayAttr>:$stride,
    OptionalAttr<DenseI64ArrayAttr>:$phases,
    OptionalAttr<DenseI64ArrayAttr>:$phase_lines,
    UnitAttr:$dense);
  let assemblyFormat = [{
    $box `[` $first `]` `into` $window `row` $row `rows` $rows `width` $width `column` $column
    `pitch` $pitch `lines` $lines attr-dict `:` type($box) `into` type($window)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getBoxType() { return cast<MemRefType>(getBox().getType()); }
    MemRefType getWindowType() { return cast<MemRefType>(getWindow().getType()); }
    int64_t getChannels() { return getWindowType().getShape().back(); }
    int64_t getPositions() { return getBoxType().getShape().back(); }
    /// Bytes of `window` behind its lines that each warp needs.
    static constexpr int64_t kScratchBytes = 1024;
  }];
}

def Engine_DeskewRowsOp : Engine_Op<"deskew_rows"> {
  let summary = "make a tile of positions of boxes whose lines are skewed";
  let description = [{
    `boxes` is [number, channel, position] in shared memory: what `engine.load_box … skewed` leaves of neighbouring
    images of P `positions` each. `tile` is [channel, row], laid out in panels, of which the lines from `channel` on, a multiple of 8, are made. Its rows are the positions of all
    images one after the other, from `row` on. The first box is of the image of
    that row, from the multiple of 16 at or below its position on; an image has as many boxes, one behind the other, as its rows in
    the tile need, with the most that a channel is skewed, and those of the next image, from its beginning on, follow.

    All threads of several warps of the producer share out the work, and a thread's part has been written when
    it goes on. Without a barrier, as `engine.gather_box`.

    ```mlir
    // 128 positions of at most two images of 14x14; channel c has 4 (c mod 4) positions of others in front
    engine.deskew_rows %boxes[%row] into %tile channel 32 positions 196
      : memref<4x32x64xbf16, #gpu.address_space<workgroup>> into memref<64x128xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the boxes in shared memory", [MemRead]>:$boxes,
    Index:$row,
    Arg<AnyStridedMemRef, "the tile in shared memory", [MemWrite]>:$tile,
    I64Attr:$channel,
    I64Attr:$positions);
  let assemblyFormat = [{
    $boxes `[` $row `]` `into` $tile `channel` $channel `positions` $positions attr-dict `:` type($boxes) `into` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getBoxesType() { return cast<MemRefType>(getBoxes().getType()); }
    MemRefType getTileType() { return cast<MemRefType>(getTile().getType()); }
  }];
}

def Engine_JoinImagesOp : Engine_Op<"join_images"> {
  let summary = "make a tile of positions of whole images";
  let description = [{
    `images` is [image, channel, position] in shared memory, rows that follow each other as they are in a tensor with
    channels first. `tile` is [channel, row], laid out in panels: its rows are the positions of the first image, then those of
    the next. Rows behind the last image are undefined.

    All threads of several warps of the producer share out the work, and a thread's part has been written when
    it goes on. Without a barrier, as `engine.gather_box`.

    ```mlir
    // 4 images of 7x7
    engine.join_images %images into %tile
      : memref<4x64x49xbf16, #gpu.address_space<workgroup>> into memref<64x208xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the images in shared memory", [MemRead]>:$images,
    Arg<AnyStridedMemRef, "the tile in shared memory", [MemWrite]>:$tile);
  let assemblyFormat = [{
    $images `into` $tile attr-dict `:` type($images) `into` type($tile)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getImagesType() { return cast<MemRefType>(getImages().getType()); }
    MemRefType getTileType() { return cast<MemRefType>(getTile().getType()); }
  }];
}

def Engine_StoreBoxOp : Engine_Op<"store_box"> {
  let summary = "copy a box in shared memory to a tensor, by TMA";
  let description = [{
    The inverse of `engine.load_box`: the box `source` goes to where it begins at
    `coordinates` of `dest`; what lies outside of the tensor is dropped. Proxy
    fences, barriers and bulk groups are those of `engine.store_tile`. With `dense`,
    lines follow each other as they are, as those that `engine.load_box` loads so.

    ```mlir
    // two rows of 64 positions; columns past the image are dropped
    engine.store_box %s into %y[%n, %p, %q, %k]
      : memref<2x64x128xbf16, #gpu.address_space<workgroup>> into memref<8x56x56x128xbf16>
    nvvm.cp.async.bulk.commit.group
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the box in shared memory", [MemRead]>:$source,
    Arg<AnyStridedMemRef, "the tensor that is written", [MemWrite]>:$dest,
    Variadic<Index>:$coordinates,
    UnitAttr:$dense);
  let assemblyFormat = [{
    $source `into` $dest `[` $coordinates `]` attr-dict `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

def Engine_TensorMapOp : Engine_Op<"tensor_map", [Pure]> {
  let summary = "the tensor map of a buffer";
  let description = [{
    Stands in the host function, beside the launch that gets its result as an
    argument, and becomes a tensor map in the plan (`conv/Runtime/TensorMap.h`).
    The type of the result says what one box is (rows x columns), its swizzle
    and L2 promotion. Through a box of tf32, f32 of the buffer are rounded to tf32 as they are loaded. Lists have the tensor's innermost dimension first, as the driver has them;
    `byte_strides` are those of dimensions 1, 2, ….

    Tiled mode: `box` has the elements of each dimension. Im2col mode, where
    `lower` is there: base positions of the spatial dimensions lie in
    [lower, extent - 1 + upper], W first; a box has `columns` channels and
    `rows` base positions.

    ```mlir
    %map = engine.tensor_map %x extents [64, 56, 56, 8] byte_strides [128, 7168, 401408]
             element_strides [1, 1, 1, 1] lower [-1, -1] upper [-1, -1]
      : memref<8x56x56x64xbf16> -> !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
    ```
  }];
  let arguments = (ins
    AnyStridedMemRef:$buffer,
    DefaultValuedAttr<I64Attr, "0">:$byte_offset,
    DenseI64ArrayAttr:$extents,
    DenseI64ArrayAttr:$byte_strides,
    DenseI64ArrayAttr:$element_strides,
    OptionalAttr<DenseI64ArrayAttr>:$box,
    OptionalAttr<DenseI64ArrayAttr>:$lower,
    OptionalAttr<DenseI64ArrayAttr>:$upper);
  let results = (outs NVGPU_TensorMapDescriptor:$map);
  let assemblyFormat = [{
    $buffer `extents` $extents `byte_strides` $byte_strides
    `element_strides` $element_strides (`box` $box^)? (`lower` $lower^ `upper` $upper)?
    attr-dict `:` type($buffer) `->` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Engine_TmaLoadOp : Engine_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "one bulk tensor copy to shared memory";
  let description = [{
    `cp.async.bulk.tensor` of one box, from `coordinates` (innermost dimension
    first) of the tensor map to the bytes of `dest`, a memref of rank 1, that
    begin at index `element`. `offsets`, W first, make it a copy in im2col mode:
    they are added to every base position.

    With `multicast`, the box goes to the same bytes of each workgroup of the cluster
    whose rank is a bit of that number, and each one's barrier counts it.

    ```mlir
    engine.tma_load %map[%c, %w, %h, %n] offsets [%s, %r] to %flat[%element], %full[%i]
      : !nvgpu.tensormap.descriptor<…>, memref<8192xbf16, #gpu.address_space<workgroup>>, !nvgpu.mbarrier.group<…>
    ```
  }];
  let arguments = (ins
    NVGPU_TensorMapDescriptor:$map,
    Variadic<Index>:$coordinates,
    Variadic<Index>:$offsets,
    Arg<AnyStridedMemRef, "", [MemWrite]>:$dest,
    Index:$element,
    Arg<NVGPU_MBarrierGroup, "", [MemRead, MemWrite]>:$barriers,
    Index:$slot,
    Optional<Index>:$workgroups);
  let assemblyFormat = [{
    $map `[` $coordinates `]` (`offsets` `[` $offsets^ `]`)? `to` $dest `[` $element `]` `,`
    $barriers `[` $slot `]` (`multicast` $workgroups^)? attr-dict
    `:` qualified(type($map)) `,` type($dest) `,` qualified(type($barriers))
  }];
  let hasVerifier = 1;
  let builders = [
    /// To the own workgroup.
    OpBuilder<(ins "Value":$map, "ValueRange":$coordinates, "ValueRange":$offsets,
        "Value":$dest, "Value":$element, "Value":$barriers, "Value":$slot), [{
      build($_builder, $_state, map, coordinates, offsets, dest, element,
            barriers, slot, /*workgroups=*/Value());
    }]>
  ];
}

def Engine_ArriveRemoteOp : Engine_Op<"arrive_remote"> {
  let summary = "arrive at a barrier in each of several workgroups of the cluster";
  let description = [{
    One arrival at `barriers[slot]` in the shared memory of every workgroup whose
    rank in the cluster `workgroups` names; the own one may be among them. `nvgpu.mbarrier.arrive`
    knows the own one only.

    The arrivals say that asynchronous reads are over for which this thread has
    waited. They release nothing to the other workgroups, for which the thread would
    have to wait for all of its stores.

    ```mlir
    engine.arrive_remote %empty[%slot] of %r0, %r1 : !nvgpu.mbarrier.group<…>
    ```
  }];
  let arguments = (ins
    Arg<NVGPU_MBarrierGroup, "", [MemRead, MemWrite]>:$barriers,
    Index:$slot,
    Variadic<Index>:$workgroups);
  let assemblyFormat = [{
    $barriers `[` $slot `]` `of` $workgroups attr-dict `:` qualified(type($barriers))
  }];
}

def Engine_ArriveCopiedOp : Engine_Op<"arrive_copied"> {
  let summary = "let a barrier know when the thread's copies are there";
  let description = [{
    One arrival at `barriers[slot]` as soon as all asynchronous copies are complete
    that the thread has started before (`nvgpu.device_async_copy`, without bulk copies). The thread
    does not wait. `wgmma` reads what was copied behind a proxy fence of the threads that
    wait for the barrier.

    ```mlir
    engine.arrive_copied %full[%slot] : !nvgpu.mbarrier.group<…>
    ```
  }];
  let arguments = (ins
    Arg<NVGPU_MBarrierGroup, "", [MemRead, MemWrite]>:$barriers,
    Index:$slot);
  let assemblyFormat = [{
    $barriers `[` $slot `]` attr-dict `:` qualified(type($barriers))
  }];
}

def Engine_StoreTileOp : Engine_Op<"store_tile", [AttrSizedOperandSegments]> {
  let summary = "copy a tile in shared memory to rows of a matrix, by TMA";
  let description = [{
    The inverse of `engine.load_tile` for a view that names no element twice, as
    `conv.scatter` is that of `conv.im2col`: the tile `source`, laid out in panels,
    goes to the matrix `view` at `offsets` (row, tap, (group,) channel); what lies
    past its extents is dropped. Panels may be `interleaved`: eight rows of each,
    then the next eight of all.

    One thread starts the copy, after a proxy fence of the threads that wrote
    the tile, and a barrier. The copy joins its bulk group: commit and wait are
    `nvvm.cp.async.bulk.commit.group` and `nvvm.cp.async.bulk.wait_group`, with
    `{read}` where only the tile's memory is waited for.

    ```mlir
    engine.store_tile %s into %y[%m, %t, %c] view <…>
      : memref<64x128xbf16, #gpu.address_space<workgroup>> into memref<8x56x56x128xbf16>
    nvvm.cp.async.bulk.commit.group
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the tile in shared memory", [MemRead]>:$source,
    Arg<AnyStridedMemRef, "the tensor that is written", [MemWrite]>:$dest,
    Variadic<Index>:$offsets,
    Optional<Index>:$phase,
    Conv_ViewArrayAttr:$views,
    UnitAttr:$interleaved);
  let assemblyFormat = [{
    $source `into` $dest `[` $offsets `]` custom<Views>($phase, $views)
    (`interleaved` $interleaved^)? attr-dict `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The view; where there are several, the one of the first phase.
    ViewAttr getView() { return cast<ViewAttr>(getViews()[0]); }
    /// Of every phase.
    SmallVector<ViewAttr> getAllViews() { return llvm::to_vector(getViews().getAsRange<ViewAttr>()); }
    /// Offset of the tile's first row.
    Value getRowOffset() { return getOffsets()[getView().getRowDim()]; }
  }];
}

def Engine_TmaStoreOp : Engine_Op<"tma_store"> {
  let summary = "one bulk tensor copy from shared memory";
  let description = [{
    `cp.async.bulk.tensor` of one box, from the bytes of `source`, a memref of
    rank 1, that begin at index `element`, to `coordinates` (innermost dimension
    first) of the tensor map. Elements past the tensor are dropped. With `im2col`
    the rows of the box go to consecutive base positions.

    ```mlir
    engine.tma_store %flat[%element] to %map[%c, %w, %h, %n] im2col
      : memref<8192xbf16, #gpu.address_space<workgroup>>, !nvgpu.tensormap.descriptor<…>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "", [MemRead]>:$source,
    Index:$element,
    Arg<NVGPU_TensorMapDescriptor, "", [MemWrite]>:$map,
    Variadic<Index>:$coordinates,
    UnitAttr:$im2col);
  let assemblyFormat = [{
    $source `[` $element `]` `to` $map `[` $coordinates `]` (`im2col` $im2col^)? attr-dict
    `:` type($source) `,` qualified(type($map))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Products of warpgroups, matrices of warps
//===----------------------------------------------------------------------===//

def Engine_WarpgroupMmaOp : Engine_Op<"warpgroup_mma", [
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "64 rows of the product of two tiles in shared memory, by wgmma";
  let description = [{
    accumulator[m, n] + sum over k of A[row + m, k] * B[n, k], for m below 64 and
    all k of the tiles and the n of the accumulator, as one `wgmma.mma_async` for each 32 bytes of
    gemm-k. A K-major A may have any number of rows, and `row` any value; an MN-major B may have more columns than the accumulator. Tiles are laid out in panels. A tile is stored K-major, as (m, k) or
    (n, k), unless `transpose_a` or `transpose_b` says that it is MN-major, as (k, m)
    or (k, n); only operands of 16 bits can be that. Factors are f16, bf16, s8, e4m3, e5m2, or f32 that are multiplied
    as tf32, of which the low 13 bits are ignored. Accumulators are i32 for s8, else f32. Of 8-bit floats
    they keep 14 significant bits.

    The result is that of an asynchronous operation: it may go into another
    `engine.warpgroup_mma`, into a loop, or, after a wait for its group, into
    `engine.read_accumulator`. Fences, groups and waits are `nvvm` operations around it. An
    accumulator made by `engine.zero_accumulator` is not added: the first instruction
    overwrites (scale-d is zero).

    ```mlir
    nvvm.wgmma.fence.aligned
    %d = engine.warpgroup_mma %a[%row], %b, %acc {transpose_b}
      : memref<128x64xbf16, #smem>, memref<64x128xbf16, #smem>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "", [MemRead]>:$a,
    Index:$row,
    Arg<AnyStridedMemRef, "", [MemRead]>:$b,
    NVGPU_WarpgroupAccumulator:$accumulator,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b);
  let results = (outs NVGPU_WarpgroupAccumulator:$result);
  let assemblyFormat = [{
    $a `[` $row `]` `,` $b `,` $accumulator attr-dict
    `:` type($a) `,` type($b) `,` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getN() { return getResult().getType().getFragmented().getDimSize(1); }
    /// Extent of gemm-k of the tiles.
    int64_t getK();
  }];
}

def Engine_ZeroAccumulatorOp : Engine_Op<"zero_accumulator", [Pure]> {
  let summary = "an accumulator of zeros";
  let description = [{
    What `nvgpu.warpgroup.mma.init.accumulator` is for floats, for integers too.

    ```mlir
    %zero = engine.zero_accumulator : !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xi32>>
    ```
  }];
  let results = (outs NVGPU_WarpgroupAccumulator:$accumulator);
  let assemblyFormat = "attr-dict `:` qualified(type($accumulator))";
  let hasVerifier = 1;
}

def Engine_ReadTapsOp : Engine_Op<"read_taps"> {
  let summary = "the taps of a block of positions, from their window in shared memory";
  let description = [{
    Row p and tap t of the result are the line of `window` where position p of the
    block and tap t meet: with p the box `box` in row-major order (images, then
    spatial dimensions) and t the box `taps`,

    result[p, t, c] = window[n, p_i + t_i * step_i, c]

    The window is as large as that needs: box + (taps - 1) * step. It is a box in
    shared memory as `engine.load_box` leaves it. What multiplies the result reads
    these lines where they are; nothing is gathered.

    With `stride`, positions of the same phase are neighbours, as `engine.transpose_rows` writes
    them: rows of the window are those of all phases, its last dimension is their pitch, and
    tap t is (t_i * step_i) / stride_i positions from the first one of phase (t_i * step_i) mod stride_i,
    which begins that often `phase_lines[i]` lines behind the first.

    ```mlir
    %x = engine.read_taps %window box [1, 4, 56] taps [3, 3] step [1, 1]
      : memref<1x6x58x64xbf16, #gpu.address_space<workgroup>> -> vector<224x9x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "the window", [MemRead]>:$window,
    DenseI64ArrayAttr:$box,
    DenseI64ArrayAttr:$taps,
    DenseI64ArrayAttr:$step,
    OptionalAttr<DenseI64ArrayAttr>:$stride,
    OptionalAttr<DenseI64ArrayAttr>:$phase_lines);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $window `box` $box `taps` $taps `step` $step attr-dict `:` type($window) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getWindowType() { return cast<MemRefType>(getWindow().getType()); }
    VectorType getType() { return cast<VectorType>(getResult().getType()); }
    /// Lines of the window from a position to the next one along a spatial dimension.
    int64_t getPitch(int64_t dim);
  }];
}

def Engine_ReadImageTapsOp : Engine_Op<"read_image_taps"> {
  let summary = "the taps of a block of positions, from boxes of an image as it lies";
  let description = [{
    What `engine.read_taps` is for a window, for boxes [channel, position] of an image with its
    channels first (conv/Geometry/ImageTaps.h). Position p of the block, in rows of `width`, and tap t
    meet at element

    front + margin + column + (p div width) row_stride + (p mod width) column_stride
                            + (t div S) row_step + (t mod S) column_step

    of a channel, counted through the boxes one after the other, with S taps along a row. Where
    the column that this is of its row, without front, margin and rows, is negative or not below `extent`,
    the result is zero. `front` is even. What multiplies the result takes it from where it is, in registers.

    ```mlir
    // 4 rows of 28 positions, 3x3: 6 rows of x, of which column 0 of the first is 4 elements behind the start
    %x = engine.read_image_taps %boxes[%c2] {width = 28, taps = array<i64: 3, 3>, extent = 28, column = -1, margin = 2,
                                           columns = array<i64: 1, 1>, rows = array<i64: 28, 28>}
      : memref<1x64x184xbf16, #gpu.address_space<workgroup>> -> vector<112x9x64xbf16>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "[box, channel, position]", [MemRead]>:$boxes,
    Index:$front,
    I64Attr:$width,
    DenseI64ArrayAttr:$taps,
    I64Attr:$extent,
    I64Attr:$column,
    I64Attr:$margin,
    DenseI64ArrayAttr:$columns,
    DenseI64ArrayAttr:$rows);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $boxes `[` $front `]` attr-dict `:` type($boxes) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    MemRefType getBoxesType() { return cast<MemRefType>(getBoxes().getType()); }
    VectorType getType() { return cast<VectorType>(getResult().getType()); }
  }];
}

def Engine_WindowMmaOp : Engine_Op<"window_mma", [
    AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "64 rows of the product of a tile and neighbouring taps of a window, by wgmma";
  let description = [{
    accumulator[m, C t + c] + sum over p of A[p, m] * window[line(p) + line + distance * t, c],
    for the m of A, 64 of them, and all C channels c of a line: with the positions p of a
    block in row-major order of `box`, and line(p) the line of `window` where position p
    is at tap 0. So `line` names the first tap, `distance` the lines from a tap to the next,
    and the accumulator's columns say how many taps there are.

    One `wgmma.mma_async` for each 16 positions: both operands are MN-major, but A with `k_major`,
    which is A[m, p] in panels, and may have more columns, which are left out. In B each tap is a panel. Positions come in groups of eight that follow each other in
    A and in the window, since the innermost extent of `box` is a multiple of eight;
    groups may lie apart. Accumulator, fences and waits are as for `engine.warpgroup_mma`.

    ```mlir
    %d = engine.window_mma %dy, %window[%line] box [1, 4, 56] distance 1, %acc
      : memref<224x64xbf16, #smem>, memref<1x6x58x64xbf16, #smem>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>
    ```
  }];
  let arguments = (ins
    Arg<AnyStridedMemRef, "", [MemRead]>:$a,
    Arg<AnyStridedMemRef, "", [MemRead]>:$window,
    Index:$line,
    DenseI64ArrayAttr:$box,
    I64Attr:$distance,
    NVGPU_WarpgroupAccumulator:$accumulator,
    UnitAttr:$k_major);
  let results = (outs NVGPU_WarpgroupAccumulator:$result);
  let assemblyFormat = [{
    $a `,` $window `[` $line `]` `box` $box `distance` $distance `,` $accumulator attr-dict
    `:` type($a) `,` type($window) `,` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getN() { return getResult().getType().getFragmented().getDimSize(1); }
    /// The line of the window at which each group of eight positions begins, at tap 0.
    SmallVector<int64_t> getGroupLines();
  }];
}

def Engine_RegisterMmaOp : Engine_Op<"register_mma", [
    TypesMatchWith<"the accumulator has the type of the result", "result", "accumulator", "$_self">,
    RangedTypesMatchWith<"A is four pairs of elements of B", "b", "a",
      "SmallVector<Type>(4, VectorType::get({2}, cast<MemRefType>($_self).getElementType()))">]> {
  let summary = "64 rows of a product whose first factor is in registers, by wgmma";
  let description = [{
    accumulator[m, n] + sum over i of A[m, i] * B[n, k + i], for m below 64, i below 16 and the n of the
    accumulator: one `wgmma.mma_async`. B is a K-major tile, as for `engine.warpgroup_mma`, that may have more rows
    than the accumulator has columns. A is what the warpgroup's threads hold: of lane l of warp w pair p
    is that of row 16 w + l / 4 + 8 (p mod 2) and columns 2 (l mod 4) + 8 (p / 2) and the next.

    Accumulator, fences and waits are as for `engine.warpgroup_mma`; A is computed in front of the fence.

    ```mlir
    %d = engine.register_mma [%a0, %a1, %a2, %a3], %b at 16, %acc
      : memref<192x112xbf16, #smem>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x192xf32>>
    ```
  }];
  let arguments = (ins
    Variadic<VectorOfLengthAndType<[2], [F16, BF16]>>:$a,
    Arg<StridedMemRefRankOf<[F16, BF16], [2]>, "", [MemRead]>:$b,
    I64Attr:$k,
    NVGPU_WarpgroupAccumulator:$accumulator);
  let results = (outs NVGPU_WarpgroupAccumulator:$result);
  let assemblyFormat = [{
    ` ` `[` $a `]` `,` $b `at` $k `,` $accumulator attr-dict `:` type($b) `,` qualified(type($result))
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "ValueRange":$a, "Value":$b, "int64_t":$k, "Value":$accumulator), [{
      build($_builder, $_state, accumulator.getType(), a, b, k, accumulator);
    }]>
  ];
  let extraClassDeclaration = [{
    int64_t getN() { return getResult().getType().getFragmented().getDimSize(1); }
    MemRefType getBType() { return cast<MemRefType>(getB().getType()); }
    /// Extent of gemm-k of the instruction.
    static constexpr int64_t kStep = 16;
  }];
}

def Engine_ReadAccumulatorOp : Engine_Op<"read_accumulator", [Pure]> {
  let summary = "the elements of an accumulator that a thread holds";
  let description = [{
    One result for each eight columns of the accumulator: with lane l of warp w of
    the warpgroup, element (i, j) is that of row 16 w + l / 4 + 8 i and column
    2 (l mod 4) + j of those columns. Every `engine.warpgroup_mma` that the value comes from must have
    been waited for.

    ```mlir
    %f:16 = engine.read_accumulator %acc : !nvgpu.warpgroup.accumulator<fragmented = vector<64x128xf32>>
    ```
  }];
  let arguments = (ins NVGPU_WarpgroupAccumulator:$accumulator);
  let results = (outs Variadic<VectorOfRankAndType<[2], [F32, I32]>>:$fragments);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let builders = [
    /// Results follow from the accumulator.
    OpBuilder<(ins "Value":$accumulator)>
  ];
}

def Engine_StoreMatricesOp : Engine_Op<"store_matrices"> {
  let summary = "store 8x8 matrices that a warp holds to shared memory";
  let description = [{
    `stmatrix`: the inverse of `nvgpu.ldmatrix`. Each operand is what a lane holds of
    an 8x8 matrix of 16-bit elements: row lane / 4, columns 2 (lane mod 4) and the
    next. Row r of matrix i goes to the eight elements of `dest`, a memref of rank 1,
    that begin at the index that lane 8 i + r gives: a multiple of eight. With
    `transposed`, column r of it does.

    ```mlir
    engine.store_matrices %a, %b to %flat[%element]
      : vector<2xbf16>, vector<2xbf16> to memref<8192xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Variadic<VectorOfLengthAndType<[2], [F16, BF16]>>:$matrices,
    Arg<AnyStridedMemRef, "", [MemWrite]>:$dest,
    Index:$element,
    UnitAttr:$transposed);
  let assemblyFormat = [{
    $matrices `to` $dest `[` $element `]` (`transposed` $transposed^)? attr-dict
    `:` type($matrices) `to` type($dest)
  }];
  let hasVerifier = 1;
}

#endif // CONV_DIALECT_ENGINE_IR_ENGINEOPS_TD
