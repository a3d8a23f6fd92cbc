//===- PtxAssemblerTest.cpp - ptxas as a subprocess -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembler is played by shell scripts.
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/PtxAssembler.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace convmlir;
namespace fs = std::filesystem;

namespace {
class PtxAssemblerTest : public testing::Test {
protected:
  PtxAssemblerTest()
      : toolkit(fs::temp_directory_path() /
                ("conv-ptxas-" + std::to_string(getpid()))) {
    fs::create_directories(toolkit / "bin");
  }
  ~PtxAssemblerTest() override { fs::remove_all(toolkit); }

  /// Makes toolkit/bin/ptxas; its arguments are -v -arch=… -o OUT IN.
  std::string script(const std::string &body) {
    fs::path path = toolkit / "bin" / "ptxas";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }

  std::string errorOf(const std::string &ptxas) {
    Result<AssembledPtx> result = assemblePtx(ptxas, "ptx", "sm_80");
    return result ? "" : result.error();
  }

  fs::path toolkit;
};
} // namespace

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST_F(PtxAssemblerTest, readsTheReport) {
  std::vector<KernelResources> kernels = parsePtxasReport(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'main_0' for 'sm_90'\n"
      "ptxas info    : Function properties for main_0\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 512 bytes smem, "
      "400 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'main_1' for 'sm_90'\n"
      "ptxas info    : Used 40 registers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "main_0");
  EXPECT_EQ(kernels[0].registers, 168);
  EXPECT_EQ(kernels[0].spillBytes, 20);
  EXPECT_EQ(kernels[0].staticSharedBytes, 512);
  EXPECT_EQ(kernels[1].kernel, "main_1");
  EXPECT_EQ(kernels[1].registers, 40);
  EXPECT_EQ(kernels[1].staticSharedBytes, 0);
  EXPECT_TRUE(parsePtxasReport("").empty());
}

TEST_F(PtxAssemblerTest, findsLosses) {
  std::string report =
      "ptxas info    : (C7510) Potential Performance Loss: 'setmaxnreg' "
      "ignored\n"
      "ptxas info    : (C7519) Potential Performance Loss: wgmma serialized\n"
      "ptxas info    : (C7510) Potential Performance Loss: 'setmaxnreg' "
      "ignored\n"
      "ptxas info    : (C7600) something else\n";
  std::vector<std::string> losses = parsePtxasLosses(report);
  EXPECT_EQ(losses, (std::vector<std::string>{
                        "(C7510) Potential Performance Loss: 'setmaxnreg' "
                        "ignored",
                        "(C7519) Potential Performance Loss: wgmma "
                        "serialized"}));
  EXPECT_EQ(describeFlaws({{}, {{"k", 40, 0, 0}}, {}}), "");
  EXPECT_EQ(describeFlaws({{}, {{"k", 40, 8, 0}}, {"(C7510) loss"}}),
            "(C7510) loss; k spills registers, 8 bytes a thread");
}

TEST_F(PtxAssemblerTest, assembles) {
  std::string ptxas = script("echo \"$2 `cat $5`\" > $4; echo \"ptxas info : "
                             "Compiling entry function 'k' for 'sm_80'\" >&2; "
                             "echo 'ptxas info : Used 7 registers' >&2");
  Result<AssembledPtx> result = assemblePtx(ptxas, "some ptx", "sm_80");
  ASSERT_TRUE(static_cast<bool>(result)) << result.error();
  EXPECT_EQ(std::string(result->cubin.begin(), result->cubin.end()),
            "-arch=sm_80 some ptx\n");
  ASSERT_EQ(result->kernels.size(), 1u);
  EXPECT_EQ(result->kernels[0].registers, 7);
}

TEST_F(PtxAssemblerTest, reportsFailure) {
  std::string message = errorOf(script(
      "echo 'ptxas warning : w'; echo 'ptxas x.ptx, line 3; error : bad'; "
      "exit 255"));
  EXPECT_TRUE(contains(message, "status 255")) << message;
  EXPECT_TRUE(contains(message, "line 3; error : bad")) << message;
  message = errorOf(script("exit 1"));
  EXPECT_TRUE(contains(message, "it said nothing")) << message;
}

TEST_F(PtxAssemblerTest, reportsDeath) {
  std::string message = errorOf(script("kill -SEGV $$"));
  EXPECT_TRUE(contains(message, "died")) << message;
  message = errorOf((toolkit / "bin" / "absent").string());
  EXPECT_TRUE(contains(message, "could not be run")) << message;
}

TEST_F(PtxAssemblerTest, reportsMissingOutput) {
  std::string message = errorOf(script("exit 0"));
  EXPECT_TRUE(contains(message, "wrote no cubin")) << message;
}

TEST_F(PtxAssemblerTest, isFoundInOrder) {
  std::string path = script("exit 0"), folder = (toolkit / "bin").string();
  std::string root = toolkit.string();
  Result<std::string> found = findPtxas({root, "", ""});
  ASSERT_TRUE(static_cast<bool>(found));
  EXPECT_EQ(*found, path);
  EXPECT_EQ(*findPtxas({"", root, ""}), path);
  EXPECT_EQ(*findPtxas({"", "/absent", "/nowhere:" + folder}), path);
  found = findPtxas({"/absent", root, folder});
  ASSERT_FALSE(static_cast<bool>(found));
  EXPECT_TRUE(contains(found.error(), "--cuda-path=/absent"));
}
