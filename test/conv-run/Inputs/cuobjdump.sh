#!/bin/sh
# Stands for cuobjdump: says which option it got, and whether the file is an ELF file.
[ "$(head -c 4 "$2" | tail -c 3)" = ELF ] || exit 1
echo "$1 of an ELF file: /*0000*/ IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;"
