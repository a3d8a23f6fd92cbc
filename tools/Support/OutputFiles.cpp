//===- OutputFiles.cpp - results as files ---------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/OutputFiles.h"
#include "conv/Runtime/FileIO.h"
#include "conv/Runtime/Npy.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <unistd.h>

namespace fs = std::filesystem;

namespace convmlir {

Status checkOutputPath(const std::string &path) {
  std::error_code code;
  fs::file_status status = fs::status(path, code);
  if (!fs::status_known(status))
    return Error{path + ": cannot be written: " + code.message()};
  if (fs::is_directory(status))
    return Error{path + ": cannot be written, it is a folder"};
  if (fs::is_other(status))
    return access(path.c_str(), W_OK) == 0
               ? Status()
               : Error{path + ": cannot be written: " + std::strerror(errno)};
  Result<std::string> target = resolveLinks(path);
  if (!target)
    return target.takeError();
  std::string folder = fs::path(*target).parent_path().string();
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder, code) || access(folder.c_str(), W_OK) != 0)
    return Error{path + ": cannot be written, " + folder +
                 " is not a folder that can be written to"};
  return {};
}

Status checkOutputPaths(const std::vector<std::string> &paths) {
  std::set<fs::path> seen;
  for (const std::string &path : paths) {
    if (!path.ends_with(".npy"))
      return Error{"--output: expected PATH.npy, got '" + path + "'"};
    if (!seen.insert(fs::path(path).lexically_normal()).second)
      return Error{"--output: expected a file for each result, got '" + path +
                   "' twice"};
    if (Status status = checkOutputPath(path); !status)
      return status;
  }
  return {};
}

Status writeTensors(const std::vector<std::string> &paths,
                    const std::vector<const Tensor *> &tensors) {
  std::vector<PendingFile> files;
  for (size_t i = 0; i < paths.size(); ++i) {
    Result<PendingFile> file =
        PendingFile::write(paths[i], serialiseNpy(*tensors[i]));
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
  }
  for (PendingFile &file : files)
    if (Status status = file.commit(); !status)
      return status;
  return {};
}

} // namespace convmlir
