# Compiler, linker and cache settings that every target shares.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  if(CONV_MLIR_PCH)
    # Else ccache takes no file that uses precompiled headers.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_PCH_EXTSUM=1 ${CCACHE_PROGRAM})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    endif()
  endif()
endif()

find_program(LLD_PROGRAM NAMES ld.lld-22 ld.lld)
if(LLD_PROGRAM)
  # GCC looks `ld.lld` up in the -B folders, so an unversioned name is provided.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/toolchain)
  file(CREATE_LINK ${LLD_PROGRAM} ${PROJECT_BINARY_DIR}/toolchain/ld.lld SYMBOLIC)
  add_link_options(-B${PROJECT_BINARY_DIR}/toolchain -fuse-ld=lld)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
# The build id tells the plans of one build from those of another (lib/Cache).
add_link_options(-Wl,--gc-sections -Wl,--build-id=sha1)

if(CONV_MLIR_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Coverage, and undefined behaviour ends the program. MLIR is built without
# run-time types, which two of the checks look at.
if(CONV_MLIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-recover=all -fno-sanitize=vptr,function)
endif()
