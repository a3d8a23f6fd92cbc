//===- BuildIdentity.cpp - which build this is ----------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildIdentity.h"
#include "conv/Runtime/FileIdentity.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <link.h>

using namespace convmlir;

namespace {
/// A library or program of this process.
struct Object {
  uintptr_t address; ///< Within its code.
  std::string file;  ///< Empty until it is found.
  std::string buildId;
};
} // namespace

static bool holds(const dl_phdr_info &info, uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info.dlpi_phdr[i];
    uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address - begin < part.p_memsz)
      return true;
  }
  return false;
}

/// The build id among the notes of a segment; empty where there is none.
static std::string findBuildId(const uint8_t *at, size_t size) {
  constexpr size_t alignment = 4;
  auto align = [](size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    size_t content = sizeof note + align(note.n_namesz);
    size_t whole = content + align(note.n_descsz);
    if (whole > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        std::memcmp(at + sizeof note, "GNU", sizeof "GNU") == 0)
      return llvm::toHex(llvm::ArrayRef<uint8_t>(at + content, note.n_descsz),
                         /*LowerCase=*/true);
    at += whole;
    size -= whole;
  }
  return "";
}

static int visit(dl_phdr_info *info, size_t, void *data) {
  auto &object = *static_cast<Object *>(data);
  if (!holds(*info, object.address))
    return 0;
  // The program itself has no name there.
  object.file = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
  for (int i = 0; i < info->dlpi_phnum && object.buildId.empty(); ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      object.buildId = findBuildId(
          reinterpret_cast<const uint8_t *>(info->dlpi_addr + part.p_vaddr),
          part.p_memsz);
  }
  return 1;
}

template <typename Function>
static std::string identityOfObjectWith(Function *function) {
  Object object{reinterpret_cast<uintptr_t>(function), "", ""};
  dl_iterate_phdr(visit, &object);
  return object.buildId.empty() ? programIdentity(object.file) : object.buildId;
}

const std::string &convmlir::buildIdentity() {
  static const std::string identity = [] {
    std::string own = identityOfObjectWith(&buildIdentity);
    std::string llvms = identityOfObjectWith(&llvm::SHA256::hash);
    return own == llvms ? own : own + "+" + llvms;
  }();
  return identity;
}

std::string convmlir::programIdentity(const std::string &path) {
  if (path.empty())
    return "none";
  std::error_code code;
  std::string real = std::filesystem::canonical(path, code).string();
  std::optional<FileIdentity> file = identifyFile(code ? path : real);
  if (!file)
    return path + ", absent";
  return file->path + ", " + std::to_string(file->bytes) + " bytes, of " +
         std::to_string(file->modifiedNs);
}
