//===- Help.cpp - the text of --help --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

const char *convmlir::reducer::versionText() {
  return "conv-reduce " CONV_MLIR_VERSION "\n";
}

const char *convmlir::reducer::helpText() {
  return R"(conv-reduce: makes a module smaller that still shows a fault

usage: conv-reduce FILE.mlir --still=WHAT [options] [-o SMALL.mlir]

what the smaller module still does
  --still=differs       its results differ from the definition: conv-run --verify
                        on the emulator fails
  --still=crashes       conv-opt, or --tool, is ended by a signal
  --still=kernel:NAME   one of its kernels has NAME in its name, as conv-run
                        --describe prints them
  --test=SCRIPT         what a program says, which gets the file as its argument:
                        status 1 for yes, 0 for no

options
  --with="OPTIONS"      of conv-run, conv-opt or --tool:
                        --with="--conv-to-threads=chip=sm_90a"
  --tool=NAME|PATH      the tool of --still=crashes: conv-run, mlir-opt-22, …
                        (default: conv-opt)
  --message=TEXT        what the tool still prints, too
  --timeout=SECONDS     how long one run may take; a longer one is a no
                        (default: 60)
  -o PATH               where the module is written (default: standard output)
  --ask                 only say whether FILE.mlir does it: status 1 for yes, 0
                        for no, as mlir-reduce's tests do
  --memory=DIR          of --ask: where answers are kept, so that a module is
                        asked about once
  --help, --version

Tools are those beside conv-reduce, else those of PATH.

exit status: 0 written; 2 bad usage or bad input, or the module does not do it
)";
}
