//===- ZipArchive.cpp - reader of zip archives ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Field offsets are those of PKWARE's APPNOTE.TXT, sections 4.3.7 (local
// header), 4.3.12 (central directory) and 4.3.16 (end of central directory).
//
//===----------------------------------------------------------------------===//

#include "ZipArchive.h"

#include <algorithm>
#include <zlib.h>

namespace convmlir {

static constexpr uint32_t localSignature = 0x04034b50;
static constexpr uint32_t centralSignature = 0x02014b50;
static constexpr uint32_t endSignature = 0x06054b50;
static constexpr size_t localSize = 30, centralSize = 46, endSize = 22;
static constexpr size_t longestComment = 0xffff;
static constexpr uint32_t zip64Mark = 0xffffffff;

static uint16_t read16(std::span<const uint8_t> data, size_t at) {
  return static_cast<uint16_t>(data[at] | data[at + 1] << 8);
}

static uint32_t read32(std::span<const uint8_t> data, size_t at) {
  return read16(data, at) | static_cast<uint32_t>(read16(data, at + 2)) << 16;
}

/// Offset of the end-of-central-directory record, searched from the end
/// because a comment of unknown length may follow it.
static Result<size_t> findEnd(std::span<const uint8_t> archive) {
  if (archive.size() >= endSize) {
    size_t last = archive.size() - endSize;
    size_t first = last > longestComment ? last - longestComment : 0;
    for (size_t at = last + 1; at-- > first;)
      if (read32(archive, at) == endSignature &&
          at + endSize + read16(archive, at + 20) == archive.size())
        return at;
  }
  return Error{"not a zip archive, or a truncated one (no end of central "
               "directory)"};
}

static ZipMember readEntry(std::span<const uint8_t> entry) {
  ZipMember member;
  member.flags = read16(entry, 8);
  member.method = read16(entry, 10);
  member.crc = read32(entry, 16);
  member.packedSize = read32(entry, 20);
  member.size = read32(entry, 24);
  member.headerOffset = read32(entry, 42);
  return member;
}

Result<std::vector<ZipMember>> listZip(std::span<const uint8_t> archive) {
  Result<size_t> end = findEnd(archive);
  if (!end)
    return end.takeError();
  size_t count = read16(archive, *end + 10);
  size_t at = read32(archive, *end + 16);

  std::vector<ZipMember> members;
  for (size_t i = 0; i < count; ++i) {
    if (at > *end || *end - at < centralSize ||
        read32(archive, at) != centralSignature)
      return Error{"the central directory is damaged at entry " +
                   std::to_string(i)};
    ZipMember member = readEntry(archive.subspan(at, centralSize));
    size_t nameSize = read16(archive, at + 28);
    size_t whole = centralSize + nameSize + read16(archive, at + 30) +
                   read16(archive, at + 32);
    if (*end - at < whole)
      return Error{"the central directory is damaged at entry " +
                   std::to_string(i)};
    auto name = archive.subspan(at + centralSize, nameSize);
    member.name.assign(name.begin(), name.end());
    members.push_back(std::move(member));
    at += whole;
  }
  return members;
}

/// The packed bytes of a member. Sizes come from the central directory: those
/// of the local header may be absent.
static Result<std::span<const uint8_t>> locate(std::span<const uint8_t> archive,
                                               const ZipMember &member) {
  Error damaged{"member '" + member.name + "' lies outside the archive"};
  size_t at = member.headerOffset;
  if (at > archive.size() || archive.size() - at < localSize)
    return damaged;
  if (read32(archive, at) != localSignature)
    return Error{"member '" + member.name + "' has no local header"};
  size_t begin =
      at + localSize + read16(archive, at + 26) + read16(archive, at + 28);
  if (begin > archive.size() || archive.size() - begin < member.packedSize)
    return damaged;
  return archive.subspan(begin, member.packedSize);
}

/// Inflates to at most `size` bytes; the caller compares what came.
static Result<Bytes> inflateRaw(std::span<const uint8_t> packed, size_t size,
                                const std::string &name) {
  z_stream stream{};
  // Negative window bits: a raw deflate stream without zlib's own header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return Error{"zlib cannot start to unpack member '" + name + "'"};
  // One byte more than promised, so that a longer stream is noticed.
  Bytes content(size + 1);
  stream.next_in = const_cast<uint8_t *>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = content.data();
  stream.avail_out = static_cast<uInt>(std::min<size_t>(content.size(), ~0u));
  int code = inflate(&stream, Z_FINISH);
  size_t got = stream.total_out;
  inflateEnd(&stream);
  if (code != Z_STREAM_END || got != size)
    return Error{"member '" + name + "' has damaged compressed data"};
  content.resize(size);
  return content;
}

Result<Bytes> extractZip(std::span<const uint8_t> archive,
                         const ZipMember &member) {
  if (member.flags & 1)
    return Error{"member '" + member.name + "' is encrypted"};
  if (member.size == zip64Mark || member.packedSize == zip64Mark ||
      member.headerOffset == zip64Mark)
    return Error{"member '" + member.name +
                 "' is larger than 4 GiB, which is not supported"};
  // Deflate cannot pack more than 1032 to 1; a larger claim is a bomb.
  if (member.size / 1032 > member.packedSize)
    return Error{"member '" + member.name + "' claims an impossible size"};
  Result<std::span<const uint8_t>> packed = locate(archive, member);
  if (!packed)
    return packed.takeError();

  Bytes content;
  if (member.method == 0 && member.size == member.packedSize) {
    content.assign(packed->begin(), packed->end());
  } else if (member.method == 8) {
    Result<Bytes> inflated = inflateRaw(*packed, member.size, member.name);
    if (!inflated)
      return inflated;
    content = std::move(*inflated);
  } else {
    return Error{"member '" + member.name + "' uses compression method " +
                 std::to_string(member.method) +
                 ", expected stored or deflated"};
  }
  if (crc32_z(0, content.data(), content.size()) != member.crc)
    return Error{"member '" + member.name + "' has a wrong checksum"};
  return content;
}

} // namespace convmlir
