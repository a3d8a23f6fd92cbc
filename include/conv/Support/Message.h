//===- Message.h - messages of a sensible length ----------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message quotes what came, and what came may have megabytes. Whoever shows
// a message to a person shortens it.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_MESSAGE_H
#define CONV_SUPPORT_MESSAGE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace convmlir {

/// The longest message that a tool prints or that the C API keeps, in bytes: a
/// report of a deadlock has some thousand.
inline constexpr size_t kMostMessageBytes = 8000;

/// Whether a text may be cut in front of the byte: it continues no character
/// of UTF-8.
inline bool beginsCharacter(char byte) { return (byte & 0xC0) != 0x80; }

/// The text; of one with more than `most` bytes the beginning and the end, and
/// how many bytes are left out between them.
inline std::string shortenMessage(std::string_view text,
                                  size_t most = kMostMessageBytes) {
  if (text.size() <= most)
    return std::string(text);
  // What is wrong mostly stands at the beginning, what was expected at the end.
  constexpr size_t roomOfNote = 50;
  size_t kept = most > roomOfNote ? most - roomOfNote : 0;
  size_t head = kept - kept / 4, tail = text.size() - kept / 4;
  while (head > 0 && !beginsCharacter(text[head]))
    --head;
  while (tail < text.size() && !beginsCharacter(text[tail]))
    ++tail;
  return std::string(text.substr(0, head)) + " [… " +
         std::to_string(tail - head) + " bytes left out …] " +
         std::string(text.substr(tail));
}

} // namespace convmlir

#endif // CONV_SUPPORT_MESSAGE_H
