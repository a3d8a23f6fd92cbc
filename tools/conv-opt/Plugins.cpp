//===- Plugins.cpp - libraries of passes and dialects ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the command line. Output: an error for the first plugin that is none.
//
//===----------------------------------------------------------------------===//

#include "Plugins.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringRef.h"

using namespace convmlir;
using llvm::StringRef;

/// What is wrong with a library; empty where it is a plugin of this kind.
template <typename Plugin> static std::string whyNotLoaded(StringRef library) {
  llvm::Expected<Plugin> plugin = Plugin::load(library.str());
  return plugin ? "" : llvm::toString(plugin.takeError());
}

static std::string whyNoPlugin(StringRef option, StringRef library) {
  return option == "load-pass-plugin"
             ? whyNotLoaded<mlir::PassPlugin>(library)
             : whyNotLoaded<mlir::DialectPlugin>(library);
}

/// The name of an option without its dashes; empty for another argument.
static StringRef getOptionName(StringRef argument) {
  return argument.starts_with("-") ? argument.ltrim('-') : StringRef();
}

Status convmlir::tryPlugins(llvm::ArrayRef<const char *> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto [option, library] = getOptionName(arguments[i]).split('=');
    if (option != "load-pass-plugin" && option != "load-dialect-plugin")
      continue;
    bool isNext = !StringRef(arguments[i]).contains('=');
    if (isNext && i + 1 == arguments.size())
      break; // The parser of the command line says that a value is missing.
    if (isNext)
      library = arguments[++i];
    std::string why = whyNoPlugin(option, library);
    if (!why.empty())
      return Error{"--" + option.str() + ": expected a plugin of MLIR. " + why};
  }
  return {};
}
