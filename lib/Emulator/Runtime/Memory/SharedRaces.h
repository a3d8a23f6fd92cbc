//===- SharedRaces.h - data races in shared memory --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to the same bytes, one of them a write, that no barrier orders.
// Nothing is done when LaunchOptions::detectRaces is off.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRACES_H
#define CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRACES_H

#include "SharedRange.h"

namespace convmlir::emu {

/// Faults if the thread does not know of the last write of any byte; notes it
/// as the last reader.
void raceCheckRead(Thread &thread, const Site &site, const SharedRange &range);

/// Faults if the thread does not know of the last accesses; notes it as the
/// last writer.
void raceCheckWrite(Thread &thread, const Site &site, const SharedRange &range);

/// Faults like raceCheckWrite for a write that happens later.
void raceCheckBegin(Thread &thread, const Site &site, const SharedRange &range);

/// Notes the last writer, or the last reader, of a range.
void noteWriter(const SharedRange &range, AccessStamp stamp);
void noteReader(const SharedRange &range, AccessStamp stamp);

/// Faults with the words "data race: this thread VERB shared offset OFFSET,
/// which … OTHERVERB, with …".
[[noreturn]] void raceFault(Thread &thread, const Site &site, const char *verb,
                            uint32_t offset, const char *otherVerb,
                            AccessStamp other);

/// Who made an access: "thread T", "an asynchronous bulk copy".
std::string describeAccessor(const Thread &thread, AccessStamp stamp);

} // namespace convmlir::emu

#endif // CONV_LIB_EMULATOR_RUNTIME_MEMORY_SHAREDRACES_H
