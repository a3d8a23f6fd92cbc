//===- BlockMapping.cpp - loops over workgroups ---------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMapping.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::conv;

ArrayAttr conv::getBlockMapping(Builder &builder, size_t rank) {
  auto first = rank <= 3 ? gpu::MappingId::DimX : gpu::MappingId::LinearDim0;
  SmallVector<Attribute> mapping;
  for (size_t i = rank; i-- > 0;)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        builder.getContext(),
        static_cast<gpu::MappingId>(static_cast<size_t>(first) + i)));
  return builder.getArrayAttr(mapping);
}
