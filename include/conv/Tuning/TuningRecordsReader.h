//===- TuningRecordsReader.h - records that are read once ----- -*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that ask for many plans: the files are read again only where one
// of them has changed.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TUNING_TUNINGRECORDSREADER_H
#define CONV_TUNING_TUNINGRECORDSREADER_H

#include "conv/Runtime/FileIdentity.h"
#include "conv/Tuning/TuningRecords.h"

#include <memory>
#include <mutex>
#include <vector>

namespace convmlir {

class TuningRecordsReader {
public:
  /// The records as the files are now. Threads may ask at the same time.
  Result<std::shared_ptr<const TuningRecords>>
  read(const TuningSources &sources);

private:
  std::mutex mutex;
  TuningSources sources;           ///< What `records` was asked of,
  std::vector<FileIdentity> files; ///< and the files that it was read from.
  std::shared_ptr<const TuningRecords> records;
};

} // namespace convmlir

#endif // CONV_TUNING_TUNINGRECORDSREADER_H
