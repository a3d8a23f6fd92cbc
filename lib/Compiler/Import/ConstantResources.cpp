//===- ConstantResources.cpp - constants whose data is elsewhere ----------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantResources.h"
#include "conv/Dialect/Conv/Utils/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Result;
using convmlir::Status;

/// The same elements in the place of a resource.
static Result<DenseElementsAttr> readElements(Location loc,
                                              DenseResourceElementsAttr value) {
  std::string name =
      ("dense_resource<" + value.getRawHandle().getKey() + ">").str();
  ShapedType type = value.getType();
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return errorAt(loc, name + ": expected elements of whole bytes");
  AsmResourceBlob *blob = value.getRawHandle().getBlob();
  if (!blob)
    return errorAt(loc, name + ": expected its bytes in dialect_resources at "
                               "the end of the file, there are none");
  ArrayRef<char> data = blob->getData();
  size_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  if (data.size() != bytes)
    return errorAt(loc, name + ": expected " + Twine(bytes) + " bytes, got " +
                            Twine(data.size()));
  return DenseElementsAttr::getFromRawBuffer(type, data);
}

Status conv::readConstantResources(ModuleOp module) {
  Status status;
  module.walk([&](arith::ConstantOp op) {
    auto value = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!value)
      return WalkResult::advance();
    Result<DenseElementsAttr> elements = readElements(op.getLoc(), value);
    if (!elements) {
      status = elements.takeError();
      return WalkResult::interrupt();
    }
    op.setValueAttr(*elements);
    return WalkResult::advance();
  });
  return status;
}
