//===- Passes.td - copies of threads -----------------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms F6 to F7 of docs/Pipelines.md. The code is in lib/Transforms/Copies.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TRANSFORMS_COPIES_PASSES_TD
#define CONV_TRANSFORMS_COPIES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvLowerTileCopies : Pass<"conv-lower-tile-copies", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turn copies of operand tiles into each thread's gather";
  let description = [{
    A `conv.im2col` that fills a tile of workgroup memory becomes the copies that
    one thread makes. The tile is cut into chunks of 16 bytes, consecutive threads
    take consecutive chunks of a row, and chunks are permuted within their row as
    `SharedTile.h` says. What depends on the row alone (the division of the row
    index into image and position, the address of tap zero) is computed where the
    row is known, before the gemm-k loop; what is left in the loop is a bounds test
    and an addition for each chunk.

    An `async` copy becomes `nvgpu.device_async_copy` of the widest piece that the
    channel extents keep aligned (16, 8 or 4 bytes); rows past the matrix, taps
    outside the tensor and channels past the extent are filled with zeros by
    copying no element. Narrower pieces, and copies that are not `async`, are loads and one
    16-byte store to shared memory. An operand of the epilogue (`conv.im2col` with a
    vector result) is copied to shared memory likewise, where the operand tiles
    were, if its pieces have 8 bytes or more.

    ```mlir
    conv.im2col %x[%m, %t, %c] into %s async view <…> : memref<8x56x56x64xbf16> into memref<128x32xbf16, …>
    // four times, with %row and %element computed above the loop:
    %h = arith.addi %h0, %r : index
    %in = arith.cmpi ult, %h, %c56 : index
    …
    %size = arith.select %valid, %c8, %c0 : index
    %i = arith.addi %element, %delta : index
    nvgpu.device_async_copy %flat[%i], %s[%row, %column], 8, %size {bypassL1} : …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::conv::EngineDialect"];
}

def ConvLowerTileLoads : Pass<"conv-lower-tile-loads", "::mlir::ModuleOp"> {
  let summary = "turn loads and stores of tiles into bulk tensor copies";
  let description = [{
    An `engine.load_tile` becomes one `engine.tma_load` for each panel of its tile
    (`PanelTile` in SharedTile.h), an `engine.store_tile` one `engine.tma_store`. Mode and tensor map follow from the view, as
    `TmaView` in conv/Geometry/TmaView.h says. Coordinates of the tile's first row
    are computed where the row is known, before the gemm-k loop; a load adds
    the tap's offsets and the channel.

    Tensor maps are arguments of the kernel, shared by copies of one tile shape
    through one view. Each launch gets them from `engine.tensor_map`. Buffers that no
    other operation of the kernel uses are no longer passed to it.

    ```mlir
    engine.load_tile %x[%m, %t, %c] into %s, %full[%i] view <…>
      : memref<8x56x56x64xbf16> into memref<128x64xbf16, …>, !nvgpu.mbarrier.group<…>
    // becomes, with %w, %h and %n computed above the loop:
    engine.tma_load %map[%c, %w, %h, %n] offsets [%s, %r] to %flat[%c0], %full[%i] : …
    ```

    A copy that TMA cannot make is an error that names the limit.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect", "::mlir::conv::EngineDialect"];
}

#endif // CONV_TRANSFORMS_COPIES_PASSES_TD
