//===- IdlePasses.h - passes that found nothing to run on -------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass on `gpu.func` that is named alone is for those directly within the
// module, where there are none: the tool would say nothing, and change nothing.
// So it would where a pass ran on a module of another form. Input: the passes
// that the command line names, and those that ran. Output: an error for a pass
// that ran on no operation, or changed nothing in another form.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_CONV_OPT_IDLEPASSES_H
#define CONV_TOOLS_CONV_OPT_IDLEPASSES_H

#include "conv/Support/Result.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace mlir {
class PassManager;
}

namespace convmlir {

class IdlePasses {
public:
  IdlePasses();
  ~IdlePasses();

  /// Notes which passes of `pm`, which is complete, run from now on.
  void watch(mlir::PassManager &pm);
  /// An error for the first pass that `arguments` name and that has not run, or
  /// for nothing.
  Status check(llvm::ArrayRef<const char *> arguments) const;

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace convmlir

#endif // CONV_TOOLS_CONV_OPT_IDLEPASSES_H
