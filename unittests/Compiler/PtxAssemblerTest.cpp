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

#include "FakeCubin.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <thread>
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

  std::string errorOf(const std::string &ptxas,
                      std::chrono::seconds limit = std::chrono::minutes(5)) {
    Result<AssembledPtx> result = assemblePtx(ptxas, "ptx", "sm_80", limit);
    return result ? "" : result.error();
  }

  /// What is wrong with the bytes as a cubin for sm_80.
  std::string errorOfCubin(const std::string &bytes) {
    std::ofstream(toolkit / "cubin") << bytes;
    std::string ptxas = script("cat " + (toolkit / "cubin").string() + " > $4");
    std::string message = errorOf(ptxas), prefix = ptxas +
                                                   " wrote no cubin for "
                                                   "sm_80: ";
    EXPECT_TRUE(message.empty() || message.starts_with(prefix)) << message;
    return message.substr(std::min(prefix.size(), message.size()));
  }

  fs::path toolkit;
};
} // namespace

/// Whether a process has ended, soon: whose child it is now has to notice it.
static bool isGone(pid_t process) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    if (!(stat >> number >> name >> state) || state == "Z")
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

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
  std::ofstream(toolkit / "cubin") << makeCubin(80);
  std::string folder = toolkit.string();
  std::string ptxas = script(
      "cat " + folder + "/cubin > $4; echo $2 `cat $5` > " + folder +
      "/given; echo \"ptxas info : Compiling entry function 'k' for 'sm_80'\" "
      ">&2; echo 'ptxas info : Used 7 registers' >&2");
  Result<AssembledPtx> result =
      assemblePtx(ptxas, "some ptx", "sm_80", std::chrono::minutes(5));
  ASSERT_TRUE(static_cast<bool>(result)) << result.error();
  EXPECT_EQ(std::string(result->cubin.begin(), result->cubin.end()),
            makeCubin(80));
  std::ifstream given(toolkit / "given");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(given), {}),
            "-arch=sm_80 some ptx\n");
  ASSERT_EQ(result->kernels.size(), 1u);
  EXPECT_EQ(result->kernels[0].registers, 7);
}

TEST_F(PtxAssemblerTest, checksTheCubin) {
  EXPECT_EQ(errorOfCubin(makeCubin(80)), "");
  EXPECT_EQ(errorOfCubin(makeCubin(80, /*isOld=*/true)), "");
  EXPECT_EQ(errorOfCubin(makeCubin(86)), "it is for sm_86");
  EXPECT_EQ(errorOfCubin(makeCubin(90, /*isOld=*/true)), "it is for sm_90");
  EXPECT_EQ(errorOfCubin(""), "it is empty");
  EXPECT_EQ(errorOfCubin(std::string(5000, '\x5a')), "it is no ELF file");
  std::string whole = makeCubin(80);
  for (size_t size = 4; size < whole.size(); ++size)
    EXPECT_NE(errorOfCubin(whole.substr(0, size)), "") << size;
  std::string other = whole;
  other[18] = 62; // x86-64.
  EXPECT_EQ(errorOfCubin(other), "it is an ELF file, but not one for CUDA");
  std::string empty = whole;
  empty[64 + 64 + 32] = 0; // The size of the code.
  EXPECT_EQ(errorOfCubin(empty), "it has no code");
}

TEST_F(PtxAssemblerTest, isEndedAfterItsTime) {
  std::string folder = toolkit.string();
  // Its own child is ended, too, whether it hears signals or not.
  std::string message =
      errorOf(script("trap '' TERM INT HUP; sleep 1000 & echo $! > " + folder +
                     "/pid; wait; sleep 1000"),
              std::chrono::seconds(1));
  EXPECT_TRUE(contains(message, "after 1 s, the limit of --ptxas-timeout"))
      << message;
  pid_t child = 0;
  std::ifstream(toolkit / "pid") >> child;
  ASSERT_GT(child, 0);
  EXPECT_TRUE(isGone(child));
}

TEST_F(PtxAssemblerTest, leavesNoChildBehind) {
  std::string folder = toolkit.string();
  errorOf(script("sleep 1000 & echo $! > " + folder + "/pid; exit 1"));
  pid_t child = 0;
  std::ifstream(toolkit / "pid") >> child;
  ASSERT_GT(child, 0);
  EXPECT_TRUE(isGone(child));
}

TEST_F(PtxAssemblerTest, messagesHaveALength) {
  std::string message = errorOf(script(
      "head -c 5000000 /dev/zero | tr '\\0' x; echo ' error : long'; exit 1"));
  EXPECT_TRUE(contains(message, "bytes left out")) << message.substr(0, 1000);
  EXPECT_LT(message.size(), 1000u);
  std::string report;
  for (int i = 0; i < 100; ++i)
    report +=
        "(C75" + std::to_string(i) + ") " + std::string(10000, 'x') + "\n";
  size_t bytes = 0;
  for (const std::string &loss : parsePtxasLosses(report))
    bytes += loss.size();
  EXPECT_LT(bytes, 50000u);
}

/// Signals that this process ignores, and those that it holds, are its own.
TEST_F(PtxAssemblerTest, startsWithUsualSignals) {
  auto before = std::signal(SIGPIPE, SIG_IGN);
  sigset_t term, old;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, &old);
  EXPECT_TRUE(
      contains(errorOf(script("kill -PIPE $$; exit 3")), "Broken pipe"));
  EXPECT_TRUE(contains(errorOf(script("kill -TERM $$; exit 3")), "Terminated"));
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  std::signal(SIGPIPE, before);
}

TEST_F(PtxAssemblerTest, seesNoDescriptorOfTheProcess) {
  int own = ::open("/dev/null", O_RDONLY); // Not closed by execve().
  std::string message = errorOf(
      script("test ! -e /proc/self/fd/" + std::to_string(own) + " || test " +
             std::to_string(own) + " -lt 5; echo error: status $?; exit 1"));
  ::close(own);
  EXPECT_TRUE(contains(message, "error: status 0")) << message;
}

TEST_F(PtxAssemblerTest, makesNoFiles) {
  std::string folder = (toolkit / "tmp").string();
  fs::create_directory(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  errorOf(script("kill -KILL $$"));
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(folder));
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
  EXPECT_TRUE(contains(message, "wrote no cubin for sm_80: it is empty"))
      << message;
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
