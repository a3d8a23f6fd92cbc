//===- Options.cpp - options of a command line ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Options.h"

namespace convmlir {

Status checkValue(const std::string &name, Arity arity,
                  const std::optional<std::string> &value) {
  if (arity == Arity::None && value)
    return Error{name + " takes no value, got '" + *value + "'"};
  bool isEmpty = !value || value->empty();
  if (arity == Arity::Needed && isEmpty)
    return Error{name + ": expected a value, as in " + name +
                 (name.starts_with("--") ? "=VALUE" : " VALUE")};
  if (arity == Arity::Optional && value && isEmpty)
    return Error{name + "=: expected a value after '='"};
  return {};
}

} // namespace convmlir
