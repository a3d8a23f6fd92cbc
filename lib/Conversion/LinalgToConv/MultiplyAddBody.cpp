//===- MultiplyAddBody.cpp - what a sum of products means -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the body of a linalg operation. Output: the types of its products and
// sums, or why it is no convolution.
//
// Integers: a convolution adds the exact products of signed integers modulo
// 2^bits of its result. A text does the same if its factors are sign-extended,
// its sums have the type of the result, and its products either have that type,
// too (then they wrap where sums do), or are wide enough never to wrap and are
// sign-extended.
//
//===----------------------------------------------------------------------===//

#include "MultiplyAddBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::conv;
using convmlir::Error;
using convmlir::Result;
using convmlir::Status;

bool conv::isMultiplyAdd(linalg::LinalgOp op) {
  return linalg::detail::isContractionBody(
      *op.getBlock(), [](Operation *multiply, Operation *add) {
        return (isa<arith::MulFOp>(multiply) && isa<arith::AddFOp>(add)) ||
               (isa<arith::MulIOp>(multiply) && isa<arith::AddIOp>(add));
      });
}

//===----------------------------------------------------------------------===//
// The chain of operations
//===----------------------------------------------------------------------===//

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Where a value comes from, behind extensions that keep its number.
static Value skipExtensions(Value value) {
  while (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

static Error hasOther(Operation *op) {
  return Error{"its body has a '" + op->getName().getStringRef().str() +
               "'; only widening, multiplication and addition of signed "
               "integers or floats can be imported"};
}

/// An element of an input, sign-extended or as it is.
static Status checkFactor(Value factor) {
  Value source = skipExtensions(factor);
  return isa<BlockArgument>(source) ? Status()
                                    : Status(hasOther(source.getDefiningOp()));
}

/// Whether the product of two integers, each of the width of its element, may
/// wrap in its own type where the sum would not.
static Status checkWrapping(Operation *product, Type sumType) {
  auto type = dyn_cast<IntegerType>(product->getResult(0).getType());
  if (!type || type == sumType)
    return {};
  unsigned bits = 0;
  for (Value factor : product->getOperands())
    bits += skipExtensions(factor).getType().getIntOrFloatBitWidth();
  if (type.getWidth() >= bits)
    return {};
  return Error{"its products are formed in '" + toText(type) +
               "', where they wrap; those of a convolution do not"};
}

Result<MultiplyAddBody> conv::readMultiplyAdd(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  Value old = body.getArguments().back();
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa<arith::AddFOp, arith::AddIOp>(sum))
    return hasOther(sum);
  bool isOldFirst = sum->getOperand(0) == old;
  if (!isOldFirst && sum->getOperand(1) != old)
    return Error{"its body does not add to the element of its result as that "
                 "is"};
  Operation *product =
      skipExtensions(sum->getOperand(isOldFirst ? 1 : 0)).getDefiningOp();
  if (!isa<arith::MulFOp, arith::MulIOp>(product))
    return hasOther(product);
  for (Value factor : product->getOperands())
    if (Status status = checkFactor(factor); !status)
      return status.takeError();
  Type sumType = sum->getResult(0).getType();
  if (Status status = checkWrapping(product, sumType); !status)
    return status.takeError();
  return MultiplyAddBody{product->getResult(0).getType(), sumType};
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// "its products, which the text forms in f16"; none where they are as precise.
static std::string describe(const char *what, Type type, Type accType) {
  bool isNarrower =
      type.getIntOrFloatBitWidth() < accType.getIntOrFloatBitWidth();
  if (!isa<FloatType>(type) || !isNarrower)
    return "";
  return std::string(what) + ", which the text forms in '" + toText(type) + "'";
}

std::string conv::describeMorePrecision(const MultiplyAddBody &body,
                                        Type accType) {
  std::string products = describe("products", body.productType, accType);
  std::string sums = describe("sums", body.sumType, accType);
  if (products.empty() && sums.empty())
    return "";
  return "it forms " + products +
         (products.empty() || sums.empty() ? "" : ", and ") + sums + ", in '" +
         toText(accType) + "'";
}

Status conv::checkTextPrecision(const MultiplyAddBody &body, Type source,
                                Type accType) {
  if (std::string more = describeMorePrecision(body, accType); !more.empty())
    return Error{"the precision of the text is asked for, and a convolution "
                 "has more: " +
                 more};
  // Tensor cores of Hopper sum a block of products with 14 significant bits.
  if (isa<FloatType>(source) && source.getIntOrFloatBitWidth() == 8)
    return Error{"the precision of the text is asked for, and a convolution "
                 "of 8-bit floats may have less: its sums, which the text "
                 "forms in '" +
                 toText(body.sumType) + "', have 14 significant bits"};
  return {};
}
