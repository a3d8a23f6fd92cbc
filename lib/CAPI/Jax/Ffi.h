//===- Ffi.h - XLA's foreign functions, as far as handlers need -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of XLA's C ABI for typed foreign functions, version 0.3 (the
// header xla/ffi/api/c_api.h, which comes with jaxlib). A test of Python's
// compares sizes and places of members with that header.
//
// Every structure begins with its size in bytes and a list of extensions. Newer
// versions add members at the end.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_CAPI_JAX_FFI_H
#define CONV_LIB_CAPI_JAX_FFI_H

#include <cstddef>
#include <cstdint>

namespace convmlir::jax {

inline constexpr int kVersionMajor = 0;
inline constexpr int kVersionMinor = 3;

struct FfiError;   ///< XLA's, who frees it.
struct FfiContext; ///< Of one call.
struct FfiFuture;

enum class ExtensionKind : int32_t { Metadata = 1 };
enum class ErrorCode : int32_t {
  InvalidArgument = 3,
  NotFound = 5,
  Internal = 13
};
enum class AttributeKind : int32_t { String = 4 };
enum class Stage : int32_t { Instantiate, Prepare, Initialise, Execute };
enum class DataType : int32_t {
  Invalid = 0,
  S8 = 2,
  S32 = 4,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  BF16 = 16,
  E5M2 = 19,
  E4M3 = 20
};

struct Extension {
  size_t size;
  ExtensionKind kind;
  Extension *next;
};

struct Version {
  size_t size;
  Extension *extensions;
  int major;
  int minor;
};

/// Text without a NUL at its end.
struct Span {
  const char *data;
  size_t size;
};

struct Buffer {
  size_t size;
  Extension *extensions;
  DataType type;
  void *data;
  int64_t rank;
  int64_t *extents;
};

/// Arguments or results.
struct Buffers {
  size_t size;
  Extension *extensions;
  int64_t count;
  int32_t *kinds;
  Buffer **buffers;
};

struct Attributes {
  size_t size;
  Extension *extensions;
  int64_t count;
  AttributeKind *kinds;
  Span **names;
  void **values;
};

struct ErrorRequest {
  size_t size;
  Extension *extensions;
  const char *message;
  ErrorCode code;
};

struct ErrorHandle {
  size_t size;
  Extension *extensions;
  FfiError *error;
};

struct StreamRequest {
  size_t size;
  Extension *extensions;
  FfiContext *context;
  void *stream; ///< Of XLA.
};

struct DeviceRequest {
  size_t size;
  Extension *extensions;
  FfiContext *context;
  int32_t device; ///< Of XLA.
};

/// XLA's functions; those that are not called are addresses only.
struct Api {
  size_t size;
  Extension *extensions;
  Version version;
  const void *internal;
  FfiError *(*createError)(ErrorRequest *);
  void *getMessage;
  void (*destroyError)(ErrorHandle *);
  void *registerHandler;
  FfiError *(*getStream)(StreamRequest *);
  void *registerType, *getContext, *setState, *getState;
  void *allocate, *free, *schedule, *countThreads;
  void *createFuture, *setAvailable, *setError, *getRun;
  FfiError *(*getDevice)(DeviceRequest *);
};

struct CallFrame {
  size_t size;
  Extension *extensions;
  const Api *api;
  FfiContext *context;
  Stage stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
  FfiFuture *future;
};

/// What XLA asks of a handler before it is first called.
struct Metadata {
  size_t size;
  Version version;
  uint32_t traits;
  int64_t stateType;
};

struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

/// The call may be recorded, and run again without the handler.
inline constexpr uint32_t kIsRecordable = 1;

} // namespace convmlir::jax

#endif // CONV_LIB_CAPI_JAX_FFI_H
