//===- TuningFuzzer.cpp - tuning files ------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Input: the text of a tuning file. What is taken is printed and read again,
// with a record that is added, as --tune does.
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"
#include "conv/Tuning/TuningFile.h"

using namespace convmlir;
using fuzzing::expect;

static void expectAdded(TuningFile file) {
  Result<Problem> problem = parseProblem("forward n=1 c=8 w=8 k=8 s=1");
  expect(bool(problem), "the problem of the added record is one");
  size_t most = file.records().size() + 1;
  file.add(makeTuningRecord(*problem, "sm_90a", "stages=3", "a GPU", 1.5));
  expect(file.records().size() <= most, "a record is added once");

  std::string text = file.print();
  Result<TuningFile> again = TuningFile::parse(text, "file");
  expect(bool(again), "what was printed can be read");
  expect(again->print() == text, "what was printed is read as it is");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<TuningFile> file =
      TuningFile::parse(fuzzing::asText(data, size), "file");
  if (!file)
    fuzzing::noteRefusal(file.error());
  else if (file->version() == tuningFormatVersion)
    expectAdded(std::move(*file));
  return 0;
}
