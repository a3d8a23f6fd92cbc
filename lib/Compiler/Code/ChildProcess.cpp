//===- ChildProcess.cpp - another program, to its end ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three processes. This one forks a supervisor, which forks and becomes the
// parent of the program. The supervisor waits for the program's end, for the
// limit of time, and for the end of this process, of which the system tells it
// by a signal (PR_SET_PDEATHSIG). The program and its children are a process
// group of their own, which the supervisor kills. It reports in memory that it
// shares with us.
//
// Other threads of this process may hold any lock when it forks. So the
// supervisor calls only what a signal handler may call, and allocates nothing.
//
//===----------------------------------------------------------------------===//

#include "conv/Compiler/ChildProcess.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace convmlir {

/// Descriptors of the program: its three streams, and files from 3 on.
static constexpr int kFirstFile = 3, kMostFiles = 4;

//===----------------------------------------------------------------------===//
// Files in memory
//===----------------------------------------------------------------------===//

/// The same file under a number that is none of the program's.
static int moveUp(int descriptor) {
  int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFile + kMostFiles);
  int error = errno;
  ::close(descriptor);
  errno = error;
  return moved;
}

Result<MemoryFile> MemoryFile::create(std::string_view content) {
  int descriptor = ::memfd_create("conv-mlir", MFD_CLOEXEC);
  if (descriptor >= 0)
    descriptor = moveUp(descriptor);
  MemoryFile file(descriptor);
  if (descriptor < 0 ||
      !writeAll(descriptor, {reinterpret_cast<const uint8_t *>(content.data()),
                             content.size()}))
    return Error{std::string("cannot make a file in memory: ") +
                 std::strerror(errno)};
  return file;
}

MemoryFile::MemoryFile(MemoryFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Bytes MemoryFile::read(size_t most) const {
  off_t end = ::lseek(descriptor, 0, SEEK_END);
  Bytes content(std::min(most, static_cast<size_t>(std::max<off_t>(end, 0))));
  size_t done = 0;
  while (done < content.size()) {
    ssize_t got = ::pread(descriptor, content.data() + done,
                          content.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

//===----------------------------------------------------------------------===//
// The supervisor
//===----------------------------------------------------------------------===//

namespace {
/// What the supervisor needs, ready before it exists.
struct Launch {
  const char *path;
  char *const *arguments;
  int input, output;
  std::array<int, kMostFiles> files;
  size_t fileCount;
  std::chrono::nanoseconds limit;
  std::optional<size_t> largestFile;
  pid_t parent;
  ChildEnd *end; ///< Shared with the parent.
};
} // namespace

[[noreturn]] static void report(const Launch &launch, ChildEnd::Kind kind,
                                int code) {
  *launch.end = {kind, code};
  ::_exit(0);
}

/// Leaves open what the program has, and nothing of the parent's.
static void arrangeDescriptors(const Launch &launch) {
  ::dup2(launch.input, STDIN_FILENO);
  ::dup2(launch.output, STDOUT_FILENO);
  ::dup2(launch.output, STDERR_FILENO);
  int next = kFirstFile;
  for (size_t i = 0; i < launch.fileCount; ++i)
    ::dup2(launch.files[i], next++);
  ::syscall(SYS_close_range, next, ~0U, 0);
}

/// Ends with the supervisor at the latest.
[[noreturn]] static void becomeProgram(const Launch &launch) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  rlimit most;
  if (launch.largestFile && ::getrlimit(RLIMIT_FSIZE, &most) == 0) {
    most.rlim_cur = std::min(most.rlim_max, rlim_t{*launch.largestFile});
    ::setrlimit(RLIMIT_FSIZE, &most);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(launch.path, launch.arguments, environ);
  *launch.end = {ChildEnd::Kind::NotStarted, errno};
  ::_exit(127);
}

static void killGroup(pid_t program) {
  ::kill(-program, SIGKILL);
  ::kill(program, SIGKILL); // Should it not lead its group yet.
}

/// Waits for a signal of the set until `deadline`; 0: none came.
static int awaitSignal(const sigset_t &awaited,
                       std::chrono::steady_clock::time_point deadline) {
  using namespace std::chrono;
  while (true) {
    nanoseconds left = deadline - steady_clock::now();
    left = std::max(left, nanoseconds(0));
    timespec time;
    time.tv_sec = static_cast<time_t>(left / 1s);
    time.tv_nsec = static_cast<long>((left % 1s).count());
    int signal = ::sigtimedwait(&awaited, nullptr, &time);
    if (signal > 0)
      return signal;
    if (errno == EAGAIN)
      return 0;
  }
}

/// Where execve() failed, the end is known already.
[[noreturn]] static void reportStatus(const Launch &launch, int status) {
  if (launch.end->kind == ChildEnd::Kind::NotStarted)
    ::_exit(0);
  if (WIFSIGNALED(status))
    report(launch, ChildEnd::Kind::Died, WTERMSIG(status));
  report(launch, ChildEnd::Kind::Exited, WEXITSTATUS(status));
}

/// Whether it came to an end, rather than that it was stopped.
static bool ended(pid_t program) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(program), &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == program;
}

[[noreturn]] static void watch(const Launch &launch, pid_t program) {
  // From the terminal, as all of the parent's group, or at the parent's end.
  constexpr int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  for (int signal : ends)
    sigaddset(&awaited, signal);
  auto deadline = std::chrono::steady_clock::now() + launch.limit;
  int signal = SIGCHLD, status = 0;
  while ((signal = awaitSignal(awaited, deadline)) == SIGCHLD &&
         !ended(program))
    ;
  // Also what the program left behind. Its number is its own until waitpid().
  killGroup(program);
  ::waitpid(program, &status, 0);
  if (signal == SIGCHLD)
    reportStatus(launch, status);
  if (signal == 0)
    report(launch, ChildEnd::Kind::TimedOut, 0);
  report(launch, ChildEnd::Kind::Interrupted, signal);
}

/// All signals are blocked here.
[[noreturn]] static void supervise(const Launch &launch) {
  for (int signal = 1; signal < NSIG; ++signal)
    ::signal(signal, SIG_DFL); // Those that were ignored as well.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != launch.parent)
    ::_exit(0);
  arrangeDescriptors(launch);
  pid_t program = ::_Fork();
  if (program == 0)
    becomeProgram(launch);
  if (program < 0)
    report(launch, ChildEnd::Kind::NotStarted, errno);
  ::setpgid(program, program);
  watch(launch, program);
}

//===----------------------------------------------------------------------===//
// This process
//===----------------------------------------------------------------------===//

/// A fork whose end sends no SIGCHLD, and which only waits for __WALL or
/// __WCLONE see: whoever else waits for children here does not meet it.
static pid_t forkSilently() {
  return static_cast<pid_t>(
      ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0));
}

/// Runs the supervisor with all signals blocked, so that no handler of this
/// process ever runs there.
static int superviseInChild(const Launch &launch) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t supervisor = forkSilently();
  if (supervisor == 0)
    supervise(launch);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (supervisor < 0)
    return error;
  while (::waitpid(supervisor, nullptr, __WALL) < 0 && errno == EINTR)
    ;
  return 0;
}

namespace {
/// The place for the end, in memory that forks share.
class SharedEnd {
public:
  SharedEnd()
      : memory(::mmap(nullptr, sizeof(ChildEnd), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (isMapped())
      *get() = {};
  }
  ~SharedEnd() {
    if (isMapped())
      ::munmap(memory, sizeof(ChildEnd));
  }
  SharedEnd(const SharedEnd &) = delete;
  SharedEnd &operator=(const SharedEnd &) = delete;

  bool isMapped() const { return memory != MAP_FAILED; }
  ChildEnd *get() const { return static_cast<ChildEnd *>(memory); }

private:
  void *memory;
};
} // namespace

ChildEnd runChild(const ChildProgram &program) {
  SharedEnd end;
  int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int input = null < 0 ? null : moveUp(null);
  if (!end.isMapped() || input < 0)
    return {ChildEnd::Kind::NotStarted, errno};
  std::vector<char *> arguments = {const_cast<char *>(program.path.c_str())};
  for (const std::string &argument : program.arguments)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  Launch launch = {program.path.c_str(),
                   arguments.data(),
                   input,
                   program.output->get(),
                   {},
                   program.files.size(),
                   program.limit,
                   program.largestFile,
                   ::getpid(),
                   end.get()};
  for (size_t i = 0; i < program.files.size(); ++i)
    launch.files.at(i) = program.files[i]->get();
  int error = superviseInChild(launch);
  ::close(input);
  return error ? ChildEnd{ChildEnd::Kind::NotStarted, error} : *end.get();
}

std::string describeEnd(const ChildProgram &program, const ChildEnd &end,
                        std::string_view limitOption) {
  switch (end.kind) {
  case ChildEnd::Kind::Exited:
    return program.path + " failed with status " + std::to_string(end.code);
  case ChildEnd::Kind::Died:
    return program.path + " died: " + strsignal(end.code);
  case ChildEnd::Kind::NotStarted:
    return program.path + " could not be run: " + std::strerror(end.code);
  case ChildEnd::Kind::TimedOut:
    return program.path + " was ended: it had not come to an end after " +
           std::to_string(program.limit.count()) + " s, the limit of " +
           std::string(limitOption);
  case ChildEnd::Kind::Interrupted:
    return program.path + " was ended: " + strsignal(end.code);
  case ChildEnd::Kind::Lost:
    break;
  }
  return program.path + " was lost: the process that watched it was killed";
}

} // namespace convmlir
