//===- HostSignalsTest.cpp - signals beside a launch ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Machine/HostSignals.h"

#include "gtest/gtest.h"

#include <csignal>
#include <sys/mman.h>
#include <unistd.h>

using namespace convmlir::emu;

namespace {

char *page = nullptr;
int mended = 0;

/// As a host does that reads pages when they are first touched.
void mendPage(int, siginfo_t *info, void *) {
  if (info->si_addr != page)
    _exit(1);
  mprotect(page, static_cast<size_t>(getpagesize()), PROT_READ | PROT_WRITE);
  ++mended;
}

void protectPage() {
  mprotect(page, static_cast<size_t>(getpagesize()), PROT_NONE);
}

class HostSignals : public testing::Test {
protected:
  HostSignals() {
    page = static_cast<char *>(mmap(nullptr, static_cast<size_t>(getpagesize()),
                                    PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                    0));
    struct sigaction action = {};
    action.sa_sigaction = mendPage;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before);
    mended = 0;
  }
  ~HostSignals() override {
    sigaction(SIGSEGV, &before, nullptr);
    munmap(page, static_cast<size_t>(getpagesize()));
  }

  struct sigaction before;
};

TEST_F(HostSignals, handlersOfTheHostGoOn) {
  HostSignalGuard guard;
  struct sigaction ours, still;
  sigaction(SIGSEGV, nullptr, &ours);
  EXPECT_NE(ours.sa_sigaction, mendPage);
  for (int i = 0; i < 2; ++i) {
    *static_cast<volatile char *>(page) = 1;
    protectPage();
  }
  EXPECT_EQ(mended, 2);
  sigaction(SIGSEGV, nullptr, &still);
  EXPECT_EQ(still.sa_sigaction, ours.sa_sigaction);
}

TEST_F(HostSignals, handlersAreBackAfterwards) {
  struct sigaction now;
  {
    HostSignalGuard guard, other;
  }
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_sigaction, mendPage);
}

TEST_F(HostSignals, newHandlersOfTheHostStay) {
  struct sigaction action = {}, now;
  {
    HostSignalGuard guard;
    action.sa_handler = SIG_IGN;
    sigaction(SIGBUS, &action, nullptr);
  }
  sigaction(SIGBUS, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
  std::signal(SIGBUS, SIG_DFL);
}

} // namespace
