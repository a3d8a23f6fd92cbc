//===- Cuda.cpp - plans on CUDA devices in C ------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv-c/Cuda.h"
#include "Handles.h"
#include "conv/Runtime/DeviceTarget.h"
#include "conv/Runtime/Roofline.h"

using namespace convmlir;
using namespace convmlir::capi;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

template <size_t size>
static void copy(const std::string &from, char (&to)[size]) {
  to[from.copy(to, size - 1)] = 0;
}

static convmlir_device toC(const DeviceInfo &info) {
  convmlir_device c{};
  copy(info.name, c.name);
  copy(info.target(), c.target);
  copy(bestTarget(info), c.best_target);
  c.capability_major = static_cast<int32_t>(info.capabilityMajor);
  c.capability_minor = static_cast<int32_t>(info.capabilityMinor);
  c.multiprocessors = info.multiprocessors;
  c.l2_bytes = info.l2Bytes;
  c.memory_bytes = info.memoryBytes;
  c.clock_hz = info.clockHz;
  c.memory_bytes_per_second = info.memoryBytesPerSecond;
  c.shared_bytes_per_workgroup = info.sharedBytesPerBlock;
  return c;
}

convmlir_status convmlir_device_describe(int32_t device,
                                         convmlir_device *description) {
  return guarded([&] {
    Result<DeviceInfo> info = describeCudaDevice(device);
    if (!info)
      return deviceFailed(info.error());
    return fill(description, toC(*info), "description");
  });
}

convmlir_status convmlir_device_bound(const convmlir_device *device,
                                      const char *type, int64_t flops,
                                      int64_t bytes, double *compute_us,
                                      double *memory_us) {
  return guardedWithFloats([&] {
    if (!device || !type || !compute_us || !memory_us)
      return missing(!device       ? "device"
                     : !type       ? "type"
                     : !compute_us ? "compute_us"
                                   : "memory_us");
    if (device->size < sizeof(convmlir_device))
      return badInput("device: expected what convmlir_device_describe() gave");
    std::optional<ElementType> element = parseElementType(type);
    if (!element)
      return badInput("type: expected one of " + elementTypeNames() +
                      ", got '" + type + "'");
    DeviceInfo info;
    info.capabilityMajor = device->capability_major;
    info.capabilityMinor = device->capability_minor;
    info.multiprocessors = device->multiprocessors;
    info.clockHz = device->clock_hz;
    info.memoryBytesPerSecond = device->memory_bytes_per_second;
    Roofline roofline =
        computeRoofline(info, *element, flops, bytes).value_or(Roofline());
    *compute_us = roofline.computeUs;
    *memory_us = roofline.memoryUs;
    return CONVMLIR_OK;
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

convmlir_status convmlir_program_load(const convmlir_plan *plan, int32_t device,
                                      convmlir_program **program) {
  return guarded([&] {
    if (!plan || !program)
      return missing(plan ? "program" : "plan");
    Result<std::unique_ptr<CudaProgram>> loaded =
        CudaProgram::load(plan->plan, device);
    if (!loaded)
      return deviceFailed(loaded.error());
    std::string remark = describeMisfit(*plan->plan, (*loaded)->device());
    *program = new convmlir_program{std::move(*loaded), std::move(remark)};
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_program_remark(const convmlir_program *program,
                                        char **remark) {
  return guarded([&] {
    if (!program || !remark)
      return missing(program ? "remark" : "program");
    *remark =
        program->remark.empty() ? nullptr : strdup(program->remark.c_str());
    return CONVMLIR_OK;
  });
}

convmlir_status convmlir_program_launch(const convmlir_program *program,
                                        void *const *operands, size_t count,
                                        void *workspace, size_t workspace_bytes,
                                        void *stream) {
  static_assert(sizeof(void *) == sizeof(DeviceAddress));
  return guarded([&] {
    if (!program || (!operands && count > 0))
      return missing(program ? "operands" : "program");
    std::vector<DeviceAddress> addresses(count);
    for (size_t i = 0; i < count; ++i)
      addresses[i] = reinterpret_cast<DeviceAddress>(operands[i]);
    const CudaProgram &code = *program->program;
    Result<std::vector<DeviceAddress>> bound =
        code.bind(addresses, reinterpret_cast<DeviceAddress>(workspace),
                  static_cast<int64_t>(workspace_bytes));
    if (!bound)
      return badInput(bound.error());
    Status status = code.launch(*bound, stream);
    return status ? CONVMLIR_OK : deviceFailed(status.error());
  });
}

void convmlir_program_destroy(convmlir_program *program) { delete program; }
