//===- Fault.cpp - ending a launch with a message -------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Fault.h.
//
//===----------------------------------------------------------------------===//

#include "Fault.h"

#include <cstdarg>
#include <cstdio>

namespace convmlir::emu {

std::string describeThread(const Thread &thread) {
  const SpecialRegisters &r = thread.registers;
  char text[160];
  std::snprintf(text, sizeof text,
                "cta (%u,%u,%u) thread (%u,%u,%u), warp %u lane %u", r.ctaid[0],
                r.ctaid[1], r.ctaid[2], r.tid[0], r.tid[1], r.tid[2], r.warpid,
                thread.lane);
  return text;
}

static std::string describeList(const Thread &thread, const Site &site,
                                const char *format, va_list arguments) {
  char text[640];
  std::vsnprintf(text, sizeof text, format, arguments);
  return site.op + " at " + site.location + ": " + text + " [" +
         describeThread(thread) + "]";
}

std::string describe(const Thread &thread, const Site &site, const char *format,
                     ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = describeList(thread, site, format, arguments);
  va_end(arguments);
  return text;
}

void fault(Thread &thread, const Site &site, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = describeList(thread, site, format, arguments);
  va_end(arguments);
  faultWithMessage(*thread.worker, std::move(text));
}

void faultWithMessage(Worker &worker, std::string message) {
  worker.faulted = true;
  worker.fault = std::move(message);
  emuResumeFiber(worker.hostStack);
}

} // namespace convmlir::emu
