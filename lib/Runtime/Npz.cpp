//===- Npz.cpp - reading of .npz ------------------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/Npy.h"

#include "ZipArchive.h"

namespace convmlir {

/// The keys of an archive for a message, at most eight of them.
static std::string listKeys(const std::vector<ZipMember> &members) {
  std::string keys;
  for (size_t i = 0; i < members.size() && i < 8; ++i) {
    std::string name = members[i].name;
    if (name.ends_with(".npy"))
      name.resize(name.size() - 4);
    keys += (i ? ", '" : "'") + name + "'";
  }
  if (members.size() > 8)
    keys += ", …";
  return members.empty() ? "nothing" : keys;
}

static Result<Bytes> extractKey(std::span<const uint8_t> archive,
                                const std::string &key) {
  Result<std::vector<ZipMember>> members = listZip(archive);
  if (!members)
    return members.takeError();
  for (const ZipMember &member : *members)
    if (member.name == key + ".npy" || member.name == key)
      return extractZip(archive, member);
  return Error{"no array '" + key + "', the archive has " + listKeys(*members)};
}

Result<NpyArray> parseNpz(std::span<const uint8_t> content,
                          const std::string &name, const std::string &key) {
  Result<Bytes> member = extractKey(content, key);
  if (!member)
    return Error{name + ": " + member.error()};
  return parseNpy(*member, name + ":" + key);
}

Result<NpyArray> readNpz(const std::string &path, const std::string &key) {
  Result<Bytes> content = readFile(path);
  if (!content)
    return content.takeError();
  return parseNpz(*content, path, key);
}

} // namespace convmlir
