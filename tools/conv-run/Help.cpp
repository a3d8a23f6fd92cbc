//===- Help.cpp - the text of --help --------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "conv/Compiler/Compiler.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

const char *convmlir::versionText() {
  return "conv-run " CONV_MLIR_VERSION "\n";
}

static constexpr llvm::StringLiteral kHelp =
    R"(conv-run: compiles a convolution to GPU kernels, runs and checks them

usage: conv-run [options] FILE.mlir | FILE.plan | --problem="KIND key=value …"
       conv-run --fuzz[=COUNT] [--seed=S] [options]

what to run
  --problem="forward n=1 c=64 h=56 w=56 k=64 r=3 s=3 stride=1 pad=1
             dilation=1 groups=1 type=bf16 epilogue=bias,relu"
                        one convolution; docs/Problem.md has the grammar. Also
                        as MIOpenDriver has it: 'convbfp16 -n 8 -c 64 … -F 1'
  FILE.mlir             a module of any form from f0 to f8, as text or bytecode
                        (FILE.mlirbc); - is standard input
  --entry=NAME          the function of FILE.mlir (default: the only public one)
  --reference=FILE.mlir what --verify compares with (default: what the module
                        says that it came from, or its own operations)
  --input=SPEC          once per argument, in order: PATH.npy, PATH.npz:KEY,
                        random[:SEED], integers[:SEED], ones, zeros
                        (default: random)
  --output=PATH.npy     once per result, in order

how to compile it
  --target=CHIP         TARGETS
                        (default: the device's; on the emulator the last one)
  --multiprocessors=N   for a device with so many (default: the device's, else
                        those of the target in docs/Targets.md)
  --schedule="tile=128x128x32 warps=2x2 stages=3"
                        replaces parts of the chosen schedule; docs/Schedules.md
                        has what the keys mean:
                        KEYS
  --precision=more|text
                        products and sums of floats in convolutions of linalg:
                        in f32 at least (the default), or in the types of the
                        text, without tensor cores where these have others
  --algorithm=NAME      implicit-gemm, im2col, or loops for depthwise
                        convolutions
  --max-workspace=BYTES schedules that need no more workspace (default: any)
  --tuning-file=PATH    measured schedules, which come before the shipped ones
                        and the model's choice (default: CONV_MLIR_TUNING, else
                        conv-mlir/tuning.json in XDG_CONFIG_HOME or ~/.config)
  --tuning-device=NAME  the GPU whose records count (default: the one that
                        is opened; where none is, all count)
  --no-tuning           the model's choice, whatever was measured
  --cuda-path=PATH      CUDA toolkit whose ptxas is used (default: CUDA_HOME,
                        PATH, /usr/local/cuda)
  --ptxas-timeout=SECONDS
                        how long ptxas may take (default: 600)
  --cache[=DIR]         plans from disk where they are there, else compiled and
                        kept (default: CONV_MLIR_CACHE_DIR, else conv-mlir in
                        XDG_CACHE_HOME or ~/.cache)
  --emit=mlir[:FORM]|llvm|ptx|cubin|plan -o PATH
                        stop there and write it; FORM is f0 to f8, default
                        f1; PATH - is standard output
  --stages=DIR          write every stage of the compilation there, as IR and
                        code, with the schedule and the counters, and
                        index.html, which shows them side by side; then run
  --describe            say what the plan computes, in which types and order, with
                        what memory and code; nothing runs
  --explain             say what each form of kernels offers for the problem, or why
                        it has nothing, and which one was chosen; nothing runs

how to run it
  --device=auto|emulator|cuda[:N]
                        auto: the first CUDA device, else the emulator
  --verify[=full|sample:N]
                        compare with the definition in f64
  --benchmark[=RUNS]    times; on the emulator the counters of a run
  --tune[=COUNT]        time the COUNT schedules that the model ranks highest
                        (default: 12) and record the fastest; needs a GPU
  --fuzz[=COUNT]        random problems against the definition (default: 100)
  --fuzz-profile=edges|cudnn-frontend
                        where they come from: the edges of what is supported
                        (the default), or layers as networks have them
  --seed=S              of --fuzz (default: 0)

  --json                the report as one JSON object on standard output
  --help, --version

exit status: 0 done, and verified if asked; 1 a verification failed; 2 bad
usage, bad IR or bad input; 3 the device failed
)";

/// Words in lines that fit beside the options, with `end` behind all but the
/// last of them.
template <typename Words>
static std::string wrap(const Words &words, llvm::StringRef end) {
  constexpr size_t mostColumns = 54;
  constexpr llvm::StringLiteral indent = "\n                        ";
  std::string text;
  size_t columns = 0;
  for (llvm::StringRef word : words) {
    if (!text.empty())
      text += end;
    bool fits = columns + word.size() <= mostColumns;
    text += text.empty() ? "" : fits ? " " : indent.str();
    columns = (fits ? columns : 0) + word.size() + end.size() + 1;
    text += word;
  }
  return text;
}

static constexpr llvm::StringLiteral kScheduleKeys[] = {
#define CONV_SCHEDULE_KEY(Field, Key, Name, ...) Name,
#include "conv/Dialect/Conv/IR/ScheduleKeys.def"
};

std::string convmlir::helpText() {
  auto [before, rest] = kHelp.split("TARGETS");
  auto [between, after] = rest.split("KEYS");
  return (before + wrap(supportedTargets(), ",") + between +
          wrap(kScheduleKeys, "") + after)
      .str();
}
