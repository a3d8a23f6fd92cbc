//===- KernelTensorMaps.cpp - tensor maps as kernel arguments -------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTensorMaps.h"

#include "conv/Dialect/Engine/IR/EngineOps.h"
#include "conv/Geometry/MatrixView.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::PanelTile;
using convmlir::TmaView;

PanelTile conv::getPanelTile(Value memref, int64_t parts) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t columns = type.getShape().back();
  return PanelTile(type.getNumElements() / columns / parts, columns,
                   type.getElementTypeBitWidth() / 8);
}

void conv::forEachPanel(
    IndexMath &math, const PanelTile &tile, ArrayRef<Value> coordinates,
    function_ref<void(Value element, ArrayRef<Value> coordinates)> create) {
  SmallVector<Value> moved(coordinates);
  for (int64_t panel = 0; panel < tile.getNumPanels(); ++panel) {
    moved.front() =
        math.add(coordinates.front(), panel * tile.getPanelColumns());
    create(math.constant(panel * tile.getPanelElements()), moved);
  }
}

static convmlir::Result<std::vector<TmaView>>
getStoreViews(const std::vector<convmlir::MatrixView> &views, int64_t groups,
              int64_t elementBytes, const PanelTile &tile, bool isInterleaved) {
  auto *getView = isInterleaved ? convmlir::getTmaInterleavedStoreView
                                : convmlir::getTmaStoreView;
  std::vector<TmaView> result;
  for (const convmlir::MatrixView &view : views) {
    convmlir::Result<TmaView> tma =
        getView(view, groups, elementBytes, tile.getRows(), tile.getColumns());
    if (!tma)
      return tma.takeError();
    result.push_back(std::move(*tma));
  }
  return result;
}

FailureOr<std::vector<TmaView>> conv::getTmaViewsOf(Operation *op, Value tensor,
                                                    ArrayRef<ViewAttr> views,
                                                    const PanelTile &tile,
                                                    TileCopyKind kind) {
  auto type = cast<MemRefType>(tensor.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op->emitOpError() << "needs a dense tensor, but has " << type;
  ViewAttr first = views.front();
  if (kind != TileCopyKind::Load && first.getRowGroups() > 1)
    return op->emitOpError("cannot be made by TMA: its view has row groups");
  std::vector<convmlir::MatrixView> matrices;
  for (ViewAttr view : views)
    matrices.push_back(view.getMatrixView(type.getShape()));
  int64_t groups = first.getGroups();
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  auto tma = kind == TileCopyKind::Load
                 ? convmlir::getTmaViews(matrices, groups, elementBytes,
                                         tile.getRows(), tile.getColumns(),
                                         first.getRowGroups())
                 : getStoreViews(matrices, groups, elementBytes, tile,
                                 kind == TileCopyKind::InterleavedStore);
  if (!tma)
    return op->emitOpError() << "cannot be made by TMA: " << tma.error();
  return std::move(*tma);
}

conv::KernelLaunches conv::findLaunches(ModuleOp module) {
  KernelLaunches launches;
  SymbolTableCollection symbols;
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (Operation *kernel =
            symbols.lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
      launches[kernel].push_back(launch);
  });
  return launches;
}

/// The argument that a buffer is all of, whatever its shape.
static BlockArgument getArgument(Value buffer, gpu::GPUFuncOp kernel) {
  while (Operation *op = buffer.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            op))
      return nullptr;
    buffer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(buffer);
  bool isKernels = argument.getOwner() == &kernel.getBody().front() &&
                   argument.getArgNumber() < kernel.getNumArguments();
  return isKernels ? argument : nullptr;
}

static nvgpu::TensorMapDescriptorType getMapType(Type elementType,
                                                 const TmaView &view) {
  MLIRContext *context = elementType.getContext();
  int64_t bits = isa<FloatTF32Type>(elementType)
                     ? 32
                     : elementType.getIntOrFloatBitWidth();
  int64_t span = view.boxColumns * bits / 8;
  auto swizzle = view.isDense  ? nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE
                 : span == 128 ? nvgpu::TensorMapSwizzleKind::SWIZZLE_128B
                 : span == 64  ? nvgpu::TensorMapSwizzleKind::SWIZZLE_64B
                               : nvgpu::TensorMapSwizzleKind::SWIZZLE_32B;
  auto box = MemRefType::get({view.boxRows, view.boxColumns}, elementType,
                             MemRefLayoutAttrInterface(),
                             Builder(context).getI64IntegerAttr(3));
  return nvgpu::TensorMapDescriptorType::get(
      context, box, swizzle, nvgpu::TensorMapL2PromoKind::L2PROMO_128B,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
}

static bool roundsToTF32(Operation *op) {
  if (auto load = dyn_cast<LoadTileOp>(op))
    return load.getToTf32();
  auto load = dyn_cast<LoadBoxOp>(op);
  return load && load.getToTf32();
}

FailureOr<Value> conv::KernelTensorMaps::getMap(Operation *op, Value tensor,
                                                const TmaView &view) {
  BlockArgument buffer = getArgument(tensor, kernel);
  if (!buffer)
    return op->emitOpError("needs a tensor that is an argument of the kernel");
  Type elementType = roundsToTF32(op)
                         ? FloatTF32Type::get(op->getContext())
                         : cast<MemRefType>(tensor.getType()).getElementType();
  for (const Map &map : maps)
    if (map.buffer == buffer.getArgNumber() && map.elementType == elementType &&
        hasSameMap(map.view, view))
      return map.argument;
  Value argument =
      addMap(op->getLoc(), buffer.getArgNumber(), elementType, view);
  maps.push_back({buffer.getArgNumber(), elementType, view, argument});
  return argument;
}

Value conv::KernelTensorMaps::addMap(Location loc, unsigned buffer,
                                     Type elementType, const TmaView &view) {
  auto type = getMapType(elementType, view);
  unsigned number = kernel.getNumArguments();
  if (failed(kernel.insertArgument(number, type, /*argAttrs=*/{}, loc)))
    llvm_unreachable("a kernel takes arguments of any type");
  for (gpu::LaunchFuncOp launch : launches) {
    OpBuilder builder(launch);
    auto list = [&](const std::vector<int64_t> &values) {
      return builder.getDenseI64ArrayAttr(values);
    };
    auto listIf = [&](bool isThere, const std::vector<int64_t> &values) {
      return isThere ? list(values) : DenseI64ArrayAttr();
    };
    Value map = TensorMapOp::create(
        builder, loc, type, launch.getKernelOperand(buffer),
        builder.getI64IntegerAttr(view.byteOffset), list(view.extents),
        list(view.byteStrides), list(view.elementStrides),
        listIf(!view.isIm2col, view.box), listIf(view.isIm2col, view.lower),
        listIf(view.isIm2col, view.upper));
    launch.getKernelOperandsMutable().append(map);
  }
  return kernel.getArgument(number);
}

/// Erases views of a buffer that nothing uses.
static void eraseDeadViews(Value buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers()))
    if (isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            user)) {
      eraseDeadViews(user->getResult(0));
      if (user->use_empty())
        user->erase();
    }
}

void conv::KernelTensorMaps::eraseUnusedBuffers() {
  for (unsigned i = kernel.getNumArguments(); i-- > 0;) {
    BlockArgument argument = kernel.getArgument(i);
    if (!isa<MemRefType>(argument.getType()))
      continue;
    eraseDeadViews(argument);
    if (!argument.use_empty())
      continue;
    if (failed(kernel.eraseArgument(i)))
      llvm_unreachable("a kernel's arguments can be erased");
    for (gpu::LaunchFuncOp launch : launches)
      launch.getKernelOperandsMutable().erase(i);
  }
}
