//===- PlanTensorMap.cpp - tensor maps of a plan --------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: `engine.tensor_map`. Output: the description in the plan. The
// attributes of the operation have the tensor and the type of its result has
// the box.
//
//===----------------------------------------------------------------------===//

#include "PlanTensorMap.h"

#include "conv/Interpreter/OpProblem.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;
using convmlir::TensorMap;

static convmlir::TensorMapSwizzle
convertSwizzle(nvgpu::TensorMapSwizzleKind kind) {
  switch (kind) {
  case nvgpu::TensorMapSwizzleKind::SWIZZLE_NONE:
    return convmlir::TensorMapSwizzle::None;
  case nvgpu::TensorMapSwizzleKind::SWIZZLE_32B:
    return convmlir::TensorMapSwizzle::B32;
  case nvgpu::TensorMapSwizzleKind::SWIZZLE_64B:
    return convmlir::TensorMapSwizzle::B64;
  case nvgpu::TensorMapSwizzleKind::SWIZZLE_128B:
    return convmlir::TensorMapSwizzle::B128;
  }
  llvm_unreachable("all kinds are listed");
}

static convmlir::TensorMapL2Promotion
convertPromotion(nvgpu::TensorMapL2PromoKind kind) {
  switch (kind) {
  case nvgpu::TensorMapL2PromoKind::L2PROMO_NONE:
    return convmlir::TensorMapL2Promotion::None;
  case nvgpu::TensorMapL2PromoKind::L2PROMO_64B:
    return convmlir::TensorMapL2Promotion::B64;
  case nvgpu::TensorMapL2PromoKind::L2PROMO_128B:
    return convmlir::TensorMapL2Promotion::B128;
  case nvgpu::TensorMapL2PromoKind::L2PROMO_256B:
    return convmlir::TensorMapL2Promotion::B256;
  }
  llvm_unreachable("all kinds are listed");
}

static convmlir::TensorMapInterleave
convertInterleave(nvgpu::TensorMapInterleaveKind kind) {
  switch (kind) {
  case nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE:
    return convmlir::TensorMapInterleave::None;
  case nvgpu::TensorMapInterleaveKind::INTERLEAVE_16B:
    return convmlir::TensorMapInterleave::B16;
  case nvgpu::TensorMapInterleaveKind::INTERLEAVE_32B:
    return convmlir::TensorMapInterleave::B32;
  }
  llvm_unreachable("all kinds are listed");
}

Result<TensorMap> conv::toTensorMap(TensorMapOp op, int64_t buffer) {
  nvgpu::TensorMapDescriptorType type = op.getMap().getType();
  MemRefType box = type.getTensor();
  std::optional<convmlir::ElementType> element =
      isa<FloatTF32Type>(box.getElementType())
          ? convmlir::ElementType::TF32
          : getElementType(box.getElementType());
  if (!element || box.getRank() != 2)
    return Error{"a tensor map needs boxes of rows x columns of numbers"};

  TensorMap map;
  map.type = *element;
  map.buffer = buffer;
  map.byteOffset = op.getByteOffset();
  map.extents = op.getExtents();
  map.byteStrides = op.getByteStrides();
  map.elementStrides = op.getElementStrides();
  if (op.getBox()) {
    map.box = *op.getBox();
  } else {
    map.mode = TensorMap::Mode::Im2col;
    map.lowerCorner = *op.getLower();
    map.upperCorner = *op.getUpper();
    map.pixelsPerColumn = box.getDimSize(0);
    map.channelsPerPixel = box.getDimSize(1);
  }
  map.swizzle = convertSwizzle(type.getSwizzle());
  map.interleave = convertInterleave(type.getInterleave());
  map.l2Promotion = convertPromotion(type.getL2promo());
  if (type.getOob() == nvgpu::TensorMapOOBKind::OOB_NAN)
    map.fill = convmlir::TensorMapFill::NanRequestZeroFma;
  if (Status status = validate(map); !status)
    return Error{"tensor map: " + status.error()};
  return map;
}
