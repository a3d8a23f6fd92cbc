//===- FakeCubin.h - what a ptxas of a test writes --------------*- C++ -*-===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_UNITTESTS_COMPILER_FAKECUBIN_H
#define CONV_UNITTESTS_COMPILER_FAKECUBIN_H

#include "llvm/BinaryFormat/ELF.h"

#include <cstring>
#include <string>

/// An ELF file of a section with code, as a toolkit of version 13 writes its
/// architecture, or an older one.
inline std::string makeCubin(unsigned architecture, bool isOld = false) {
  using namespace llvm::ELF;
  const std::string code = "the machine code of a kernel in 8*4";
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_ABIVERSION] =
      isOld ? ELFABIVERSION_CUDA_V1 : ELFABIVERSION_CUDA_V2;
  header.e_type = ET_EXEC;
  header.e_machine = EM_CUDA;
  header.e_flags = isOld ? architecture | 0x500 : (architecture << 8) | 4;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shoff = sizeof header;
  Elf64_Shdr sections[2] = {};
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = code.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char *>(sections), sizeof sections);
  return bytes + code;
}

#endif // CONV_UNITTESTS_COMPILER_FAKECUBIN_H
