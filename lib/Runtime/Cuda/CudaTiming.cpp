//===- CudaTiming.cpp - events and held queues ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTiming.h"

#include <condition_variable>
#include <mutex>

namespace convmlir::cuda {

namespace {
class CudaTimer : public DeviceTimer {
public:
  explicit CudaTimer(std::shared_ptr<const CudaContext> context)
      : context(std::move(context)) {}
  ~CudaTimer() override;

  Status create();
  Status start() override { return record(begin); }
  Status stop() override { return record(end); }
  Result<double> microseconds() override;

private:
  const Driver &api() const { return context->driver(); }
  Status record(Event event);

  std::shared_ptr<const CudaContext> context;
  Event begin = nullptr, end = nullptr;
};
} // namespace

Status CudaTimer::create() {
  if (Status status = context->enter(); !status)
    return status;
  for (Event *event : {&begin, &end})
    if (Status status = api().check(api().eventCreate(event, eventDefault),
                                    "create an event");
        !status)
      return status;
  return {};
}

CudaTimer::~CudaTimer() {
  if (!context->enter())
    return;
  for (Event event : {begin, end})
    if (event)
      api().eventDestroy(event);
}

Status CudaTimer::record(Event event) {
  if (Status status = context->enter(); !status)
    return status;
  return api().check(api().eventRecord(event, context->stream()),
                     "record an event");
}

Result<double> CudaTimer::microseconds() {
  if (Status status = context->enter(); !status)
    return status.takeError();
  if (Status status =
          api().check(api().eventSynchronize(end), "finish the timed kernels");
      !status)
    return status.takeError();
  float milliseconds = 0;
  if (Status status =
          api().check(api().eventElapsedTime(&milliseconds, begin, end),
                      "read the time between two events");
      !status)
    return status.takeError();
  return milliseconds * 1e3;
}

Result<std::unique_ptr<DeviceTimer>>
createCudaTimer(std::shared_ptr<const CudaContext> context) {
  auto timer = std::make_unique<CudaTimer>(std::move(context));
  if (Status status = timer->create(); !status)
    return status.takeError();
  return std::unique_ptr<DeviceTimer>(std::move(timer));
}

namespace {
/// Shared by the hold and the host function on the driver's thread.
class Gate {
public:
  void open() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      isOpen = true;
    }
    changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return isOpen; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
};

class CudaQueueHold : public QueueHold {
public:
  explicit CudaQueueHold(std::shared_ptr<Gate> gate) : gate(std::move(gate)) {}
  ~CudaQueueHold() override { gate->open(); }

private:
  std::shared_ptr<Gate> gate;
};
} // namespace

/// The host function. It owns one reference to the gate, which so lives until
/// both sides are done with it.
static void waitAtGate(void *data) {
  std::unique_ptr<std::shared_ptr<Gate>> gate(
      static_cast<std::shared_ptr<Gate> *>(data));
  (*gate)->wait();
}

Result<std::unique_ptr<QueueHold>>
holdCudaQueue(const std::shared_ptr<const CudaContext> &context) {
  if (Status status = context->enter(); !status)
    return status.takeError();
  auto gate = std::make_shared<Gate>();
  auto reference = std::make_unique<std::shared_ptr<Gate>>(gate);
  const Driver &api = context->driver();
  if (Status status = api.check(
          api.launchHostFunc(context->stream(), waitAtGate, reference.get()),
          "hold the stream");
      !status)
    return status.takeError();
  reference.release();
  return std::unique_ptr<QueueHold>(
      std::make_unique<CudaQueueHold>(std::move(gate)));
}

} // namespace convmlir::cuda
