//===- Passes.td - passes that run pipelines ---------------*- tablegen -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_PIPELINES_PASSES_TD
#define CONV_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvLimitWorkspace : Pass<"conv-limit-workspace", "::mlir::ModuleOp"> {
  let summary = "choose schedules whose kernels need little workspace";
  let description = [{
    Within form F0, in front of `conv-select-schedule`. Nothing changes where the
    kernels of each function need at most `max-workspace` bytes with the schedules
    that would be chosen. Elsewhere the convolutions
    without a schedule get one without parts of gemm-k, and then, one after the
    other, the one that is ranked highest of those with which the function is below,
    or the one with which it needs least.

    How much a function needs is found by lowering a copy of it to buffers (F4).
    So everything counts: the parts of a split gemm-k, transposed and padded copies,
    explicit matrices, and what lies between two kernels. Each buffer begins at a
    multiple of 256 bytes.

    A function that needs more in any case is an error that says by how much. A
    schedule that is there already, and the keys of `schedule`, stay as they are.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "the target, a name in docs/Targets.md; empty: that of the module's "
           "`conv.chip`, or sm_90a where it has none">,
    Option<"multiprocessors", "multiprocessors", "int64_t", "0",
           "of the device; 0: of `conv.chip`, or as the table of chips says">,
    Option<"schedule", "schedule", "std::string", "\"\"",
           "keys that replace the choice: tile=128x128x32 warps=2x2 stages=4">,
    Option<"maxWorkspace", "max-workspace", "int64_t", "-1",
           "bytes of workspace that a function may have; -1: any number">
  ];
  let dependentDialects = ["::mlir::conv::ConvDialect"];
}

def ConvNoteOrigin : Pass<"conv-note-origin", "::mlir::ModuleOp"> {
  let summary = "keep the text of each function, for whoever verifies later forms";
  let description = [{
    Within form F0. The attribute `conv.origin` of the module gets the text of each
    function that it does not have yet. Later forms no longer say what they compute,
    so `conv-run --verify` compares them with this. The pipelines from F0 run it first.

    ```mlir
    module attributes {conv.origin = {main = "func.func @main(…) -> … {…}"}} { … }
    ```
  }];
}

def ConvCheckForm : Pass<"conv-check-form", "::mlir::ModuleOp"> {
  let summary = "refuse a module of another form than the next pass expects";
  let description = [{
    Every pipeline begins with it. The error says in one line which form was
    expected, and which came. Forms are `f0` to `f8`, as in docs/Pipelines.md.
  }];
  let options = [
    Option<"first", "first", "std::string", "\"f0\"", "the first form that is right">,
    Option<"last", "last", "std::string", "\"f8\"", "the last form that is right">,
    Option<"pipeline", "pipeline", "std::string", "\"\"",
           "the pipeline that begins with it, for the error">
  ];
}

#endif // CONV_PIPELINES_PASSES_TD
