//===- StableAbi.cpp - functions of PyTorch, by name ----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StableAbi.h"

#include <dlfcn.h>

using namespace convmlir;
using namespace convmlir::torch;

namespace {
/// Looks names up in a library that is loaded already, and keeps the first
/// that is not there.
class Symbols {
public:
  explicit Symbols(const std::string &path)
      : handle(dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    if (!handle)
      missing = path + " is not loaded";
  }

  template <typename Function> void get(Function *&to, const char *name) {
    to = handle ? reinterpret_cast<Function *>(dlsym(handle, name)) : nullptr;
    if (!to && missing.empty())
      missing = std::string("there is no ") + name;
  }

  const std::string &error() const { return missing; }

private:
  void *handle; ///< Stays open: PyTorch is never unloaded.
  std::string missing;
};
} // namespace

static void getTensorFunctions(Symbols &symbols, StableAbi &abi) {
  symbols.get(abi.getDim, "aoti_torch_get_dim");
  symbols.get(abi.getSizes, "aoti_torch_get_sizes");
  symbols.get(abi.getStrides, "aoti_torch_get_strides");
  symbols.get(abi.getDtype, "aoti_torch_get_dtype");
  symbols.get(abi.getDeviceType, "aoti_torch_get_device_type");
  symbols.get(abi.getDeviceIndex, "aoti_torch_get_device_index");
  symbols.get(abi.getDataPointer, "aoti_torch_get_data_ptr");
  symbols.get(abi.isDefined, "aoti_torch_is_defined");
  symbols.get(abi.emptyStrided, "aoti_torch_empty_strided");
  symbols.get(abi.newHandle, "aoti_torch_new_tensor_handle");
  symbols.get(abi.newUndefined, "aoti_torch_new_uninitialized_tensor");
  symbols.get(abi.deleteTensor, "aoti_torch_delete_tensor_object");
  symbols.get(abi.dtypeOfBytes, "aoti_torch_dtype_uint8");
  symbols.get(abi.cpuType, "aoti_torch_device_type_cpu");
  symbols.get(abi.dtypeOfHalf, "aoti_torch_dtype_float16");
  symbols.get(abi.dtypeOfBFloat, "aoti_torch_dtype_bfloat16");
  symbols.get(abi.dtypeOfFloat, "aoti_torch_dtype_float32");
  symbols.get(abi.dtypeOfDouble, "aoti_torch_dtype_float64");
  symbols.get(abi.dtypeOfE4M3, "aoti_torch_dtype_float8_e4m3fn");
  symbols.get(abi.dtypeOfE5M2, "aoti_torch_dtype_float8_e5m2");
  symbols.get(abi.contiguous, "aoti_torch_memory_format_contiguous_format");
  symbols.get(abi.channelsLast, "aoti_torch_memory_format_channels_last");
  symbols.get(abi.channelsLast3d, "aoti_torch_memory_format_channels_last_3d");
}

static void getStackFunctions(Symbols &symbols, StableAbi &abi) {
  symbols.get(abi.newList, "torch_new_list_reserve_size");
  symbols.get(abi.listSize, "torch_list_size");
  symbols.get(abi.listItem, "torch_list_get_item");
  symbols.get(abi.pushBack, "torch_list_push_back");
  symbols.get(abi.deleteList, "torch_delete_list");
  symbols.get(abi.newText, "torch_new_string_handle");
  symbols.get(abi.textLength, "torch_string_length");
  symbols.get(abi.textData, "torch_string_c_str");
  symbols.get(abi.deleteText, "torch_delete_string");
  symbols.get(abi.callDispatcher, "torch_call_dispatcher");
  symbols.get(abi.newLibrary, "aoti_torch_library_init_impl");
  symbols.get(abi.addKernel, "torch_library_impl");
  symbols.get(abi.deleteLibrary, "aoti_torch_delete_library_object");
}

static void getOwnKernels(Symbols &symbols, StableAbi &abi) {
  symbols.get(abi.convolution,
              "_ZN2at6native11convolutionERKNS_6TensorES3_RKSt8optionalIS1_"
              "EN3c108ArrayRefIlEESA_SA_bSA_l");
  symbols.get(abi.convolutionBackward,
              "_ZN2at6native20convolution_backwardERKNS_6TensorES3_S3_N3c1016"
              "OptionalArrayRefIlEENS4_8ArrayRefIlEES8_S8_bS8_lSt5arrayIbLm3"
              "EE");
}

static void getFlags(Symbols &symbols, StableAbi &abi) {
  symbols.get(abi.globalContext, "_ZN2at13globalContextEv");
  symbols.get(abi.floatPrecision, "_ZNK2at7Context16float32PrecisionENS_14"
                                  "Float32BackendENS_9Float32OpE");
  symbols.get(abi.usesCudnn, "_ZNK2at7Context16userEnabledCuDNNEv");
  symbols.get(abi.usesMkldnn, "_ZNK2at7Context17userEnabledMkldnnEv");
}

static void getErrors(Symbols &symbols, StableAbi &abi) {
  symbols.get(abi.raise, "_ZN3c106detail14torchCheckFailEPKcS2_jS2_");
}

Result<StableAbi> StableAbi::load(const std::string &cpu,
                                  const std::string &cuda) {
  StableAbi abi{};
  Symbols symbols(cpu);
  getTensorFunctions(symbols, abi);
  getStackFunctions(symbols, abi);
  getOwnKernels(symbols, abi);
  getFlags(symbols, abi);
  getErrors(symbols, abi);
  if (!symbols.error().empty())
    return Error{"PyTorch: " + symbols.error() +
                 "; the fast override needs PyTorch 2.10 or newer"};
  if (cuda.empty())
    return abi;
  Symbols ofCuda(cuda);
  ofCuda.get(abi.currentStream, "aoti_torch_get_current_cuda_stream");
  if (!ofCuda.error().empty())
    return Error{"PyTorch: " + ofCuda.error()};
  return abi;
}
