//===- CudaApi.h - the driver functions that are used -----------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the CUDA driver API as far as it is used, so that neither a
// toolkit is needed to build nor a driver to start. Types and numbers are those
// of the binary interface that cuda.h describes: they never change; a function
// that changed has a new symbol (`_v2`).
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_CUDA_CUDAAPI_H
#define CONV_LIB_RUNTIME_CUDA_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace convmlir::cuda {

using Code = int; ///< CUresult.
using DeviceId = int;
using Address = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using HostFunction = void (*)(void *);

inline constexpr Code success = 0;

// CUdevice_attribute.
inline constexpr int attributeClockKHz = 13;
inline constexpr int attributeMultiprocessors = 16;
inline constexpr int attributeMemoryClockKHz = 36;
inline constexpr int attributeMemoryBusBits = 37;
inline constexpr int attributeL2Bytes = 38;
inline constexpr int attributeCapabilityMajor = 75;
inline constexpr int attributeCapabilityMinor = 76;
inline constexpr int attributeSharedBytesOptIn = 97;

// CUfunction_attribute.
inline constexpr int functionDynamicSharedBytes = 8;
inline constexpr int functionLargeClusters = 14;

// CUjit_option.
inline constexpr int jitErrorLog = 5;
inline constexpr int jitErrorLogBytes = 6;

inline constexpr unsigned streamNonBlocking = 1; // CU_STREAM_NON_BLOCKING.
inline constexpr unsigned eventDefault = 0;      // CU_EVENT_DEFAULT.
// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION and _PROGRAMMATIC_STREAM_SERIALIZATION.
inline constexpr unsigned launchCluster = 4, launchAhead = 6;

/// CUlaunchAttribute, of which two values are used.
struct LaunchAttribute {
  unsigned id;
  unsigned padding;
  union {
    char bytes[64];
    unsigned cluster[3];
    int ahead;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// CUtensorMap: opaque, passed to kernels by value.
struct alignas(128) TensorMapBits {
  uint64_t words[16];
};

// clang-format off
/// X(member, symbol, required, parameters): every function, its symbol in the
/// driver, whether a driver without it is refused.
#define CONV_CUDA_API(X)                                                       \
  X(init, cuInit, true, (unsigned flags))                                      \
  X(getErrorName, cuGetErrorName, true, (Code, const char **))                 \
  X(getErrorString, cuGetErrorString, true, (Code, const char **))             \
  X(deviceGetCount, cuDeviceGetCount, true, (int *))                           \
  X(deviceGet, cuDeviceGet, true, (DeviceId *, int ordinal))                   \
  X(deviceGetName, cuDeviceGetName, true, (char *, int size, DeviceId))        \
  X(deviceGetAttribute, cuDeviceGetAttribute, true, (int *, int, DeviceId))    \
  X(deviceTotalMem, cuDeviceTotalMem_v2, true, (size_t *, DeviceId))           \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, true, (Context *, DeviceId))   \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, true, (DeviceId))         \
  X(ctxGetCurrent, cuCtxGetCurrent, true, (Context *))                         \
  X(ctxSetCurrent, cuCtxSetCurrent, true, (Context))                           \
  X(ctxGetDevice, cuCtxGetDevice, true, (DeviceId *))                          \
  X(moduleLoadDataEx, cuModuleLoadDataEx, true,                                \
    (Module *, const void *image, unsigned count, int *options,                \
     void **values))                                                           \
  X(moduleUnload, cuModuleUnload, true, (Module))                              \
  X(moduleGetFunction, cuModuleGetFunction, true,                              \
    (Function *, Module, const char *name))                                    \
  X(funcSetAttribute, cuFuncSetAttribute, true, (Function, int, int value))    \
  X(funcLoad, cuFuncLoad, false, (Function))                                   \
  X(funcGetParamInfo, cuFuncGetParamInfo, false,                               \
    (Function, size_t index, size_t *offset, size_t *size))                    \
  X(memAlloc, cuMemAlloc_v2, true, (Address *, size_t))                        \
  X(memFree, cuMemFree_v2, true, (Address))                                    \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2, true,                               \
    (Address, const void *, size_t, Stream))                                   \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2, true,                               \
    (void *, Address, size_t, Stream))                                         \
  X(memsetD8Async, cuMemsetD8Async, true,                                      \
    (Address, unsigned char, size_t, Stream))                                  \
  X(streamCreate, cuStreamCreate, true, (Stream *, unsigned flags))            \
  X(streamDestroy, cuStreamDestroy_v2, true, (Stream))                         \
  X(streamSynchronize, cuStreamSynchronize, true, (Stream))                    \
  X(launchHostFunc, cuLaunchHostFunc, true, (Stream, HostFunction, void *))    \
  X(eventCreate, cuEventCreate, true, (Event *, unsigned flags))               \
  X(eventDestroy, cuEventDestroy_v2, true, (Event))                            \
  X(eventRecord, cuEventRecord, true, (Event, Stream))                         \
  X(eventSynchronize, cuEventSynchronize, true, (Event))                       \
  X(eventElapsedTime, cuEventElapsedTime, true, (float *, Event, Event))       \
  X(launchKernel, cuLaunchKernel, true,                                        \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ,                 \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream, void **parameters, void **extra))                                 \
  X(launchKernelEx, cuLaunchKernelEx, false,                                   \
    (const LaunchConfig *, Function, void **parameters, void **extra))         \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled, false,                       \
    (TensorMapBits *, int type, uint32_t rank, void *address,                  \
     const uint64_t *extents, const uint64_t *strides, const uint32_t *box,    \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int fill))                                               \
  X(tensorMapEncodeIm2col, cuTensorMapEncodeIm2col, false,                     \
    (TensorMapBits *, int type, uint32_t rank, void *address,                  \
     const uint64_t *extents, const uint64_t *strides, const int *lower,       \
     const int *upper, uint32_t channels, uint32_t pixels,                     \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int fill))
// clang-format on

} // namespace convmlir::cuda

#endif // CONV_LIB_RUNTIME_CUDA_CUDAAPI_H
