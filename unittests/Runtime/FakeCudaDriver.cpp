//===- FakeCudaDriver.cpp - a driver without a GPU ------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the functions of the CUDA driver that the runtime uses.
// Memory is host memory, the stream is a thread, and the kernels of
// TestKernels.h are C++ functions. So the whole CUDA path, but for the GPU, is
// tested everywhere. Kernels whose names begin with "conv_" are those of a
// convolution of single bf16 elements to f32, whatever their image says. Images
// beginning with "WRONG ARCH" and "BAD PTX" fail to load; the kernel "fault"
// fails at the next synchronisation.
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaApi.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace convmlir::cuda;

namespace {

constexpr Code invalidValue = 1, outOfMemory = 2, invalidContext = 201,
               noBinary = 209, invalidPtx = 218, notFound = 500,
               illegalAddress = 700;

/// Runs tasks in order on a thread of its own.
class Queue {
public:
  Queue() : worker([this] { work(); }) {}
  ~Queue() {
    push([this] { isDone = true; });
    worker.join();
  }
  void push(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      tasks.push_back(std::move(task));
    }
    changed.notify_all();
  }
  void drain() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return tasks.empty(); });
  }

private:
  void work() {
    while (!isDone) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return !tasks.empty(); });
      std::function<void()> &task = tasks.front();
      lock.unlock();
      task();
      lock.lock();
      tasks.pop_front();
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool isDone = false;
  std::thread worker;
};

Queue &queue() {
  static Queue instance;
  return instance;
}

Code pendingFault = success;

/// The primary context; others are whatever a test sets.
Context primaryContext() { return reinterpret_cast<Context>(&queue()); }

thread_local Context currentContext = nullptr;

/// Calls that a launch must not make: allocations, copies, waits.
std::atomic<int64_t> heavyCalls{0};
std::atomic<Stream> lastStream{nullptr};
std::atomic<int64_t> lastSharedBytes{0};
std::atomic<bool> lastAhead{false};
std::atomic<int64_t> lastCluster{1};

using Parameters = std::vector<uint64_t>;

template <typename T> T *pointer(uint64_t address) {
  return reinterpret_cast<T *>(address);
}

template <typename T> T scalar(uint64_t slot) {
  T value;
  std::memcpy(&value, &slot, sizeof value);
  return value;
}

void axpy(const Parameters &p) {
  for (int i = 0; i < scalar<int>(p[4]); ++i)
    pointer<float>(p[2])[i] = std::fma(
        scalar<float>(p[3]), pointer<float>(p[0])[i], pointer<float>(p[1])[i]);
}

void overrun(const Parameters &p) {
  pointer<float>(p[0])[scalar<int>(p[1])] = 1;
}

void reverse(const Parameters &p) {
  auto n = scalar<int64_t>(p[2]);
  for (int64_t i = 0; i < n; ++i)
    pointer<float>(p[1])[i] = static_cast<float>(
        scalar<double>(p[3]) * pointer<float>(p[0])[n - 1 - i]);
}

float toFloat(uint16_t bf16) {
  return scalar<float>(static_cast<uint64_t>(bf16) << 16);
}

void multiply(const Parameters &p) {
  *pointer<float>(p[2]) =
      toFloat(*pointer<uint16_t>(p[0])) * toFloat(*pointer<uint16_t>(p[1]));
}

void fault(const Parameters &) { pendingFault = illegalAddress; }

struct Kernel {
  std::vector<size_t> parameterBytes;
  void (*body)(const Parameters &);
  int64_t allowedShared = 48 * 1024;
};

const std::map<std::string, Kernel> kernels = {
    {"axpy", {{8, 8, 8, 4, 4}, axpy}},    {"overrun", {{8, 4}, overrun}},
    {"reverse", {{8, 8, 8, 8}, reverse}}, {"fault", {{}, fault}},
    {"conv_", {{8, 8, 8}, multiply}},
};

/// What cuModuleLoadData makes: functions have attributes of their own in each.
struct LoadedModule {
  std::string text;
  std::map<std::string, Kernel> functions;
};

LoadedModule *moduleOf(Module module) {
  return reinterpret_cast<LoadedModule *>(module);
}

Kernel *kernelOf(Function function) {
  return reinterpret_cast<Kernel *>(function);
}

template <typename Handle, typename T> Handle handleOf(T *object) {
  return reinterpret_cast<Handle>(object);
}

using TimePoint = std::chrono::steady_clock::time_point;

} // namespace

extern "C" {

Code cuInit(unsigned) {
  const char *code = std::getenv("CONV_MLIR_FAKE_CUDA_INIT");
  return code ? std::atoi(code) : success;
}

Code cuGetErrorName(Code code, const char **name) {
  *name = code == illegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == noBinary     ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : code == 100          ? "CUDA_ERROR_NO_DEVICE"
                                 : nullptr;
  return *name ? success : invalidValue;
}

Code cuGetErrorString(Code code, const char **text) {
  *text = code == 100 ? "no CUDA-capable device is detected" : nullptr;
  return *text ? success : invalidValue;
}

Code cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}

Code cuDeviceGet(DeviceId *device, int ordinal) {
  *device = ordinal;
  return success;
}

Code cuDeviceGetName(char *name, int size, DeviceId) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return success;
}

Code cuDeviceGetAttribute(int *value, int attribute, DeviceId) {
  static const std::map<int, int> values = {
      {attributeClockKHz, 1000000},      {attributeMultiprocessors, 10},
      {attributeMemoryClockKHz, 500000}, {attributeMemoryBusBits, 1024},
      {attributeL2Bytes, 100000},        {attributeCapabilityMajor, 9},
      {attributeCapabilityMinor, 0},     {attributeSharedBytesOptIn, 232448}};
  *value = values.at(attribute);
  return success;
}

Code cuDeviceTotalMem_v2(size_t *bytes, DeviceId) {
  *bytes = size_t(1) << 30;
  return success;
}

Code cuDevicePrimaryCtxRetain(Context *context, DeviceId) {
  *context = primaryContext();
  return success;
}

Code cuDevicePrimaryCtxRelease_v2(DeviceId) { return success; }
Code cuCtxGetCurrent(Context *context) {
  *context = currentContext;
  return success;
}

Code cuCtxSetCurrent(Context context) {
  currentContext = context;
  return success;
}

Code cuCtxGetDevice(DeviceId *device) {
  *device = 0;
  return currentContext ? success : invalidContext;
}

/// For tests: how often the driver allocated, copied or waited so far.
int64_t fakeHeavyCalls() { return heavyCalls; }

/// For tests: the stream of the last launch, its dynamic shared memory, whether
/// it may begin before the kernel in front of it has ended, and the blocks of a
/// cluster in x.
Stream fakeLastStream() { return lastStream; }
int64_t fakeLastSharedBytes() { return lastSharedBytes; }
bool fakeLastAhead() { return lastAhead; }
int64_t fakeLastCluster() { return lastCluster; }

Code cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                        int *options, void **values) {
  std::string text(static_cast<const char *>(image));
  if (text.starts_with("WRONG ARCH"))
    return noBinary;
  if (text.starts_with("BAD PTX")) {
    if (count == 2 && options[0] == jitErrorLog &&
        options[1] == jitErrorLogBytes)
      std::strncpy(static_cast<char *>(values[0]), "\nline 1; fatal: bad\nx",
                   reinterpret_cast<size_t>(values[1]));
    return invalidPtx;
  }
  *module = handleOf<Module>(new LoadedModule{text, kernels});
  return success;
}

Code cuModuleUnload(Module module) {
  delete moduleOf(module);
  return success;
}

Code cuModuleGetFunction(Function *function, Module module, const char *name) {
  LoadedModule &loaded = *moduleOf(module);
  bool isOfCompiler = std::string_view(name).starts_with("conv_");
  auto kernel = loaded.functions.find(isOfCompiler ? "conv_" : name);
  if (kernel == loaded.functions.end() ||
      loaded.text.find(name) == std::string::npos)
    return notFound;
  *function = handleOf<Function>(&kernel->second);
  return success;
}

Code cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute == functionDynamicSharedBytes) {
    if (value > 232448)
      return invalidValue;
    kernelOf(function)->allowedShared = value;
  }
  return success;
}

Code cuFuncGetParamInfo(Function function, size_t index, size_t *offset,
                        size_t *size) {
  const std::vector<size_t> &bytes = kernelOf(function)->parameterBytes;
  if (index >= bytes.size())
    return invalidValue;
  *offset = 8 * index;
  *size = bytes[index];
  return success;
}

Code cuMemAlloc_v2(Address *address, size_t bytes) {
  ++heavyCalls;
  if (bytes == 0)
    return invalidValue;
  if (bytes > size_t(1) << 30)
    return outOfMemory;
  size_t rounded = (bytes + 255) / 256 * 256;
  void *memory = std::aligned_alloc(256, rounded);
  std::memset(memory, 0xcd, rounded);
  *address = reinterpret_cast<Address>(memory);
  return success;
}

Code cuMemFree_v2(Address address) {
  ++heavyCalls;
  queue().drain();
  std::free(pointer<void>(address));
  return success;
}

Code cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream) {
  ++heavyCalls;
  queue().push([=] { std::memcpy(pointer<void>(to), from, bytes); });
  return success;
}

Code cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream) {
  ++heavyCalls;
  queue().push([=] { std::memcpy(to, pointer<void>(from), bytes); });
  return success;
}

Code cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream) {
  ++heavyCalls;
  queue().push([=] { std::memset(pointer<void>(to), value, bytes); });
  return success;
}

Code cuStreamCreate(Stream *stream, unsigned) {
  *stream = handleOf<Stream>(&queue());
  return success;
}

Code cuStreamDestroy_v2(Stream) { return success; }

Code cuStreamSynchronize(Stream) {
  ++heavyCalls;
  queue().drain();
  return std::exchange(pendingFault, success);
}

Code cuLaunchHostFunc(Stream, HostFunction function, void *data) {
  queue().push([=] { function(data); });
  return success;
}

Code cuEventCreate(Event *event, unsigned) {
  *event = handleOf<Event>(new TimePoint());
  return success;
}

Code cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<TimePoint *>(event);
  return success;
}

Code cuEventRecord(Event event, Stream) {
  queue().push([=] {
    *reinterpret_cast<TimePoint *>(event) = std::chrono::steady_clock::now();
  });
  return success;
}

Code cuEventSynchronize(Event) {
  ++heavyCalls;
  queue().drain();
  return success;
}

Code cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  *milliseconds = std::chrono::duration<float, std::milli>(
                      *reinterpret_cast<TimePoint *>(end) -
                      *reinterpret_cast<TimePoint *>(begin))
                      .count();
  return success;
}

Code cuLaunchKernel(Function function, unsigned, unsigned, unsigned, unsigned,
                    unsigned, unsigned, unsigned sharedBytes, Stream stream,
                    void **parameters, void **) {
  // Outside the context in which a kernel was loaded, its handle means nothing.
  if (currentContext != primaryContext())
    return invalidContext;
  lastStream = stream;
  lastSharedBytes = sharedBytes;
  lastAhead = false;
  lastCluster = 1;
  Kernel *kernel = kernelOf(function);
  if (sharedBytes > kernel->allowedShared)
    return invalidValue;
  Parameters copy;
  for (size_t i = 0; i < kernel->parameterBytes.size(); ++i) {
    uint64_t slot = 0;
    std::memcpy(&slot, parameters[i], kernel->parameterBytes[i]);
    copy.push_back(slot);
  }
  queue().push([=] { kernel->body(copy); });
  return success;
}

Code cuLaunchKernelEx(const LaunchConfig *config, Function function,
                      void **parameters, void **extra) {
  bool ahead = false;
  int64_t cluster = 1;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == launchAhead)
      ahead = attribute.value.ahead != 0;
    else if (attribute.id == launchCluster)
      cluster = attribute.value.cluster[0];
    else
      return invalidValue;
  }
  Code code = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, config->sharedBytes,
                             config->stream, parameters, extra);
  lastAhead = ahead;
  lastCluster = cluster;
  return code;
}

/// The "encoded" map is the list of the numbers that came.
Code cuTensorMapEncodeTiled(TensorMapBits *bits, int type, uint32_t rank,
                            void *address, const uint64_t *extents,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *elementStrides, int interleave,
                            int swizzle, int l2Promotion, int fill) {
  *bits = {{uint64_t(type), rank, reinterpret_cast<uint64_t>(address),
            extents[rank - 1], strides[rank - 2], box[rank - 1],
            elementStrides[rank - 1], uint64_t(interleave), uint64_t(swizzle),
            uint64_t(l2Promotion), uint64_t(fill)}};
  return success;
}

Code cuTensorMapEncodeIm2col(TensorMapBits *bits, int type, uint32_t rank,
                             void *address, const uint64_t *extents,
                             const uint64_t *strides, const int *lower,
                             const int *upper, uint32_t channels,
                             uint32_t pixels, const uint32_t *elementStrides,
                             int interleave, int swizzle, int l2Promotion,
                             int fill) {
  *bits = {{uint64_t(type), rank, reinterpret_cast<uint64_t>(address),
            extents[rank - 1], strides[rank - 2], uint64_t(lower[rank - 3]),
            uint64_t(upper[rank - 3]), channels, pixels,
            elementStrides[rank - 1], uint64_t(interleave), uint64_t(swizzle),
            uint64_t(l2Promotion), uint64_t(fill)}};
  return success;
}

} // extern "C"
