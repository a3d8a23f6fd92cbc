//===- SiteTable.h - the sites of a module ----------------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the Site records whose addresses compiled code carries.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_LOWERING_SITETABLE_H
#define CONV_LIB_EMULATOR_LOWERING_SITETABLE_H

#include "Runtime/Machine/Site.h"

#include <memory>
#include <vector>

namespace convmlir::emu {

class SiteTable {
public:
  /// A new site; its address stays valid as long as the table.
  template <typename SiteT>
  SiteT &create(std::string op, std::string location) {
    auto site = std::make_unique<SiteT>();
    SiteT &result = *site;
    result.op = std::move(op);
    result.location = std::move(location);
    result.index = uint32_t(sites.size());
    sites.push_back(std::move(site));
    return result;
  }

  uint32_t size() const { return uint32_t(sites.size()); }

private:
  std::vector<std::unique_ptr<Site>> sites;
};

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_LOWERING_SITETABLE_H
