//===- jax_layout.cpp - our declarations beside XLA's ---------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles where lib/CAPI/Jax/Ffi.h has the sizes, places and numbers of the
// header of jaxlib. Older members of XLA's stay where they are; newer ones come
// behind those that we know.
//
//===----------------------------------------------------------------------===//

#include "Ffi.h"
#include "xla/ffi/api/c_api.h"

using namespace convmlir::jax;

#define SAME(OURS, MEMBER, THEIRS, THEIR_MEMBER)                               \
  static_assert(offsetof(OURS, MEMBER) == offsetof(THEIRS, THEIR_MEMBER) &&    \
                sizeof(OURS::MEMBER) == sizeof(THEIRS::THEIR_MEMBER))

SAME(Extension, kind, XLA_FFI_Extension_Base, type);
SAME(Extension, next, XLA_FFI_Extension_Base, next);
SAME(Version, major, XLA_FFI_Api_Version, major_version);
SAME(Version, minor, XLA_FFI_Api_Version, minor_version);
SAME(Span, data, XLA_FFI_ByteSpan, ptr);
SAME(Span, size, XLA_FFI_ByteSpan, len);
SAME(Buffer, type, XLA_FFI_Buffer, dtype);
SAME(Buffer, data, XLA_FFI_Buffer, data);
SAME(Buffer, rank, XLA_FFI_Buffer, rank);
SAME(Buffer, extents, XLA_FFI_Buffer, dims);
SAME(Buffers, count, XLA_FFI_Args, size);
SAME(Buffers, buffers, XLA_FFI_Args, args);
SAME(Buffers, count, XLA_FFI_Rets, size);
SAME(Buffers, buffers, XLA_FFI_Rets, rets);
static_assert(sizeof(Buffers) == sizeof(XLA_FFI_Args));
static_assert(sizeof(Buffers) == sizeof(XLA_FFI_Rets));
SAME(Attributes, count, XLA_FFI_Attrs, size);
SAME(Attributes, kinds, XLA_FFI_Attrs, types);
SAME(Attributes, names, XLA_FFI_Attrs, names);
SAME(Attributes, values, XLA_FFI_Attrs, attrs);
SAME(ErrorRequest, message, XLA_FFI_Error_Create_Args, message);
SAME(ErrorRequest, code, XLA_FFI_Error_Create_Args, errc);
SAME(ErrorHandle, error, XLA_FFI_Error_Destroy_Args, error);
SAME(StreamRequest, context, XLA_FFI_Stream_Get_Args, ctx);
SAME(StreamRequest, stream, XLA_FFI_Stream_Get_Args, stream);
SAME(DeviceRequest, context, XLA_FFI_DeviceOrdinal_Get_Args, ctx);
SAME(DeviceRequest, device, XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal);
SAME(Api, version, XLA_FFI_Api, api_version);
SAME(Api, createError, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME(Api, destroyError, XLA_FFI_Api, XLA_FFI_Error_Destroy);
SAME(Api, getStream, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME(Api, getDevice, XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get);
SAME(CallFrame, extensions, XLA_FFI_CallFrame, extension_start);
SAME(CallFrame, api, XLA_FFI_CallFrame, api);
SAME(CallFrame, context, XLA_FFI_CallFrame, ctx);
SAME(CallFrame, stage, XLA_FFI_CallFrame, stage);
SAME(CallFrame, arguments, XLA_FFI_CallFrame, args);
SAME(CallFrame, results, XLA_FFI_CallFrame, rets);
SAME(CallFrame, attributes, XLA_FFI_CallFrame, attrs);
SAME(Metadata, version, XLA_FFI_Metadata, api_version);
SAME(Metadata, traits, XLA_FFI_Metadata, traits);
SAME(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);

#define NUMBER(OURS, THEIRS) static_assert(int(OURS) == int(THEIRS))

NUMBER(kVersionMajor, XLA_FFI_API_MAJOR);
static_assert(kVersionMinor <= XLA_FFI_API_MINOR);
NUMBER(ExtensionKind::Metadata, XLA_FFI_Extension_Metadata);
NUMBER(AttributeKind::String, XLA_FFI_AttrType_STRING);
NUMBER(kIsRecordable, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);
NUMBER(ErrorCode::InvalidArgument, XLA_FFI_Error_Code_INVALID_ARGUMENT);
NUMBER(ErrorCode::NotFound, XLA_FFI_Error_Code_NOT_FOUND);
NUMBER(ErrorCode::Internal, XLA_FFI_Error_Code_INTERNAL);
NUMBER(Stage::Initialise, XLA_FFI_ExecutionStage_INITIALIZE);
NUMBER(Stage::Execute, XLA_FFI_ExecutionStage_EXECUTE);
NUMBER(DataType::S8, XLA_FFI_DataType_S8);
NUMBER(DataType::S32, XLA_FFI_DataType_S32);
NUMBER(DataType::F16, XLA_FFI_DataType_F16);
NUMBER(DataType::F32, XLA_FFI_DataType_F32);
NUMBER(DataType::F64, XLA_FFI_DataType_F64);
NUMBER(DataType::BF16, XLA_FFI_DataType_BF16);
NUMBER(DataType::E5M2, XLA_FFI_DataType_F8E5M2);
NUMBER(DataType::E4M3, XLA_FFI_DataType_F8E4M3FN);
