//===- Cubin.cpp - whether bytes are code for a GPU -----------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using File = object::ELFFile<object::ELF64LE>;

namespace convmlir {

/// "90" of "sm_90a".
static unsigned numberOf(StringRef target) {
  unsigned number = 0;
  target.consume_front("sm_");
  target.consumeInteger(10, number);
  return number;
}

/// The number of the architecture, which toolkits before 13 write in another
/// place of the flags.
static unsigned architectureOf(const File::Elf_Ehdr &header) {
  if (header.e_ident[ELF::EI_ABIVERSION] < ELF::ELFABIVERSION_CUDA_V2)
    return header.e_flags & ELF::EF_CUDA_SM;
  return (header.e_flags & ELF::EF_CUDA_SM_MASK) >> ELF::EF_CUDA_SM_OFFSET;
}

/// Fails where the content of a section is not within the file. One of them has
/// code.
static llvm::Error checkSections(const File &file) {
  Expected<File::Elf_Shdr_Range> sections = file.sections();
  if (!sections)
    return sections.takeError();
  bool hasCode = false;
  for (const File::Elf_Shdr &section : *sections) {
    if (section.sh_type == ELF::SHT_NOBITS)
      continue;
    Expected<ArrayRef<uint8_t>> content = file.getSectionContents(section);
    if (!content)
      return content.takeError();
    hasCode |= (section.sh_flags & ELF::SHF_EXECINSTR) && !content->empty();
  }
  if (!hasCode)
    return createStringError("it has no code");
  return llvm::Error::success();
}

static Status toStatus(llvm::Error error) {
  if (!error)
    return {};
  return convmlir::Error{llvm::toString(std::move(error))};
}

Status checkCubin(std::span<const uint8_t> content, const std::string &target) {
  if (content.empty())
    return convmlir::Error{"it is empty"};
  StringRef bytes(reinterpret_cast<const char *>(content.data()),
                  content.size());
  if (!bytes.starts_with(ELF::ElfMagic))
    return convmlir::Error{"it is no ELF file"};
  Expected<File> file = File::create(bytes);
  if (!file)
    return toStatus(file.takeError());
  const File::Elf_Ehdr &header = file->getHeader();
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      header.e_machine != ELF::EM_CUDA)
    return convmlir::Error{"it is an ELF file, but not one for CUDA"};
  if (unsigned number = architectureOf(header); number != numberOf(target))
    return convmlir::Error{"it is for sm_" + std::to_string(number)};
  return toStatus(checkSections(*file));
}

} // namespace convmlir
