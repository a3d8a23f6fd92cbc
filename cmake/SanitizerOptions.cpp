//===- SanitizerOptions.cpp - defaults of the asan preset -----------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every executable of the asan preset. libMLIR and libLLVM are not
// instrumented, but share inlined headers with code that is. So containers that
// one side has annotated are unannotated on the other, and memory that our copy
// of BumpPtrAllocator has poisoned is handed out by theirs: both checks would
// report correct code. LLVM's registries live until the process ends, which the
// leak check would report. ASAN_OPTIONS and UBSAN_OPTIONS override these.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0";
}

extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}
