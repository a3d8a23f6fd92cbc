//===- TestFiles.h - a temporary directory of a test ------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_RUNTIME_TESTFILES_H
#define CONV_UNITTESTS_RUNTIME_TESTFILES_H

#include "conv/Runtime/FileIO.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <string>

namespace convmlir::test {

/// A directory of its own for every test, removed after it.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "conv-runtime-XXXXXX";
    directory = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(directory); }

  std::string path(const std::string &name) const {
    return directory + "/" + name;
  }
  size_t fileCount() const {
    std::filesystem::directory_iterator begin(directory);
    return static_cast<size_t>(std::distance(begin, {}));
  }

private:
  std::string directory;
};

/// Whether `text` contains `part`.
inline testing::AssertionResult contains(const std::string &text,
                                         const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << text << "' lacks '" << part << "'";
}

} // namespace convmlir::test

#endif // CONV_UNITTESTS_RUNTIME_TESTFILES_H
