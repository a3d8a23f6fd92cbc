//===- KernelTensorMaps.h - tensor maps as kernel arguments -----*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that copies by TMA gets tensor maps of its buffers as arguments. The
// maps are described by `engine.tensor_map` before each launch; kernel and
// launches change together.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_TRANSFORMS_COPIES_KERNELTENSORMAPS_H
#define CONV_LIB_TRANSFORMS_COPIES_KERNELTENSORMAPS_H

#include "Support/IndexMath.h"
#include "conv/Dialect/Conv/IR/ConvDialect.h"
#include "conv/Geometry/SharedTile.h"
#include "conv/Geometry/TmaView.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::conv {

/// The tile in panels that a memref in workgroup memory is: its last dimension
/// are the columns, all others the rows. With several `parts`, one of them: the
/// rows are divided.
convmlir::PanelTile getPanelTile(Value memref, int64_t parts = 1);

/// Calls `create` for every panel of a tile with its first element and the
/// coordinates of its box; `coordinates`, the channel first, are those of the
/// first panel.
void forEachPanel(
    IndexMath &math, const convmlir::PanelTile &tile,
    ArrayRef<Value> coordinates,
    function_ref<void(Value element, ArrayRef<Value> coordinates)> create);

enum class TileCopyKind { Load, Store, InterleavedStore };

/// How TMA loads or stores tiles of the views of `tensor`, one for each phase;
/// reports at `op` where it cannot.
FailureOr<std::vector<convmlir::TmaView>>
getTmaViewsOf(Operation *op, Value tensor, ArrayRef<ViewAttr> views,
              const convmlir::PanelTile &tile, TileCopyKind kind);

/// The launches of each kernel.
using KernelLaunches =
    llvm::DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp, 1>>;
KernelLaunches findLaunches(ModuleOp module);

/// The tensor maps of one kernel, as they are needed.
class KernelTensorMaps {
public:
  KernelTensorMaps(gpu::GPUFuncOp kernel, ArrayRef<gpu::LaunchFuncOp> launches)
      : kernel(kernel), launches(launches) {}

  /// The argument that is this map of `tensor`, itself an argument or all of
  /// one in another shape, for a copy `op`, which may round to tf32. Reports at
  /// `op` where it is neither.
  FailureOr<Value> getMap(Operation *op, Value tensor,
                          const convmlir::TmaView &view);

  /// Erases the buffers that only copies used.
  void eraseUnusedBuffers();

private:
  struct Map {
    unsigned buffer; ///< Number of the argument.
    Type elementType;
    convmlir::TmaView view;
    Value argument;
  };
  Value addMap(Location loc, unsigned buffer, Type elementType,
               const convmlir::TmaView &view);

  gpu::GPUFuncOp kernel;
  SmallVector<gpu::LaunchFuncOp> launches;
  SmallVector<Map> maps;
};

} // namespace mlir::conv

#endif // CONV_LIB_TRANSFORMS_COPIES_KERNELTENSORMAPS_H
