//===- CudaDriver.cpp - opens the CUDA driver -----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dlopen needs the C library's dynamic linker, and the driver brings its own
// dependence on the shared libc. So a program that is to find a GPU links libc
// dynamically, even where it links everything else statically; a fully static
// executable would load a second libc, or fail here.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <dlfcn.h>

namespace convmlir::cuda {

/// The dynamic linker's reason for the last failure.
static std::string linkerError() {
  const char *text = dlerror();
  return text ? text : "unknown reason";
}

/// Stores the address of a symbol; false where the library lacks it.
template <typename Pointer>
static bool lookUp(void *library, const char *symbol, Pointer &function) {
  function = reinterpret_cast<Pointer>(dlsym(library, symbol));
  return function != nullptr;
}

Result<std::shared_ptr<const Driver>> Driver::open(const std::string &library) {
  // Never closed: the driver keeps threads and exit handlers of its own.
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{"no CUDA driver: cannot open " + library + " (" +
                 linkerError() + ")"};
  auto driver = std::make_shared<Driver>();
#define CONV_CUDA_LOOKUP(member, symbol, required, parameters)                 \
  if (!lookUp(handle, #symbol, driver->member) && required)                    \
    return Error{"the CUDA driver " + library +                                \
                 " is too old: it has no function " #symbol};
  CONV_CUDA_API(CONV_CUDA_LOOKUP)
#undef CONV_CUDA_LOOKUP

  if (Status status = driver->check(driver->init(0), "start the driver");
      !status)
    return status.takeError();
  return std::shared_ptr<const Driver>(std::move(driver));
}

Status Driver::check(Code code, const std::string &attempt) const {
  if (code == success)
    return {};
  const char *name = nullptr, *text = nullptr;
  getErrorName(code, &name);
  getErrorString(code, &text);
  std::string message = "CUDA: cannot " + attempt + ": ";
  message += name ? name : "error " + std::to_string(code);
  if (text)
    message += std::string(" (") + text + ")";
  return Error{std::move(message)};
}

} // namespace convmlir::cuda
