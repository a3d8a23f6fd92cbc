//===- Help.cpp - the text of --help --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

const char *convmlir::versionText() {
  return "conv-launch " CONV_MLIR_VERSION "\n";
}

const char *convmlir::helpText() {
  return R"(conv-launch: runs a compiled convolution on a GPU, checks and times it

usage: conv-launch [options] FILE.plan

It needs a CUDA driver and nothing else. A plan is compiled by
conv-run --emit=plan -o FILE.plan, which needs no GPU.

options
  --input=[NAME=]SPEC   once per argument: PATH.npy, PATH.npz:KEY,
                        random[:SEED], integers[:SEED], ones, zeros
                        (default: random, with the numbers of conv-run)
  --expect=[NAME=]PATH.npy|PATH.npz:KEY
                        once per result: what it is compared with
  --tolerance=NUMBER    of --expect: the relative error that passes; 0: equal
                        numbers (default: that of the types of the plan)
  --output=[NAME=]PATH.npy
                        once per result: where it is written
  --time[=RUNS]         times of RUNS runs (default: 100)
  --device=cuda[:N]     the GPU (default: the first one)
  --describe            say what the plan is, with the names of its operands;
                        nothing runs, no GPU is needed
  --help, --version

Operands are meant in their order; with NAME= the one of that name is meant.

exit status: 0 done, and as expected; 1 a result is not as expected; 2 bad
usage or bad input; 3 the device failed, or there is none
)";
}
