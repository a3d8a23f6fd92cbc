//===- MmaShape.cpp - the matrix instruction of a type --------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/Shape/MmaShape.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::conv;

Type conv::getSumType(Type factor) {
  Builder builder(factor.getContext());
  if (factor.isInteger(8))
    return builder.getI32Type();
  return factor.isF64() ? factor : Type(builder.getF32Type());
}

std::optional<MmaShape> MmaShape::lookup(Type factor) {
  auto get = [&](int64_t elementBytes) {
    return MmaShape{factor, getSumType(factor), elementBytes, /*wordBytes=*/4,
                    /*rows=*/FragmentShape::kBlockM};
  };
  if (factor.isF16() || factor.isBF16())
    return get(2);
  if (isa<FloatTF32Type>(factor))
    return get(4);
  if (factor.isInteger(8) || isFloat8(factor))
    return get(1);
  if (factor.isF64())
    return MmaShape{factor, factor, 8, /*wordBytes=*/8,
                    /*rows=*/FragmentShape::kBlockM / 2};
  return std::nullopt;
}

VectorType MmaShape::getFragmentType(Operand operand) const {
  Builder builder(factor.getContext());
  Type element = isa<FloatTF32Type>(factor) ? builder.getF32Type() : factor;
  return VectorType::get(
      {getHeldRows(operand) * getHeldWords(), getWordElements()}, element);
}

std::string conv::getTypeName(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  if (type.isSignlessInteger())
    return "s" + std::to_string(type.getIntOrFloatBitWidth());
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}
