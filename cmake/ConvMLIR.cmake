# Finds MLIR 22 and defines `conv_mlir_deps`, the interface target through which
# every tool gets MLIR and LLVM: the two shared libraries, or, with
# CONV_MLIR_STATIC, the archives (MLIR's exported targets name the LLVM shared
# library, so the static link lists the archives itself).

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "conv-mlir needs MLIR 22, but found ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(conv_mlir_headers INTERFACE)
target_include_directories(conv_mlir_headers SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(conv_mlir_headers INTERFACE ${LLVM_DEFINITIONS_LIST})

add_library(conv_mlir_deps INTERFACE)
target_link_libraries(conv_mlir_deps INTERFACE conv_mlir_headers)

if(NOT CONV_MLIR_STATIC)
  target_link_libraries(conv_mlir_deps INTERFACE MLIR LLVM)
else()
  file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)
  list(FILTER mlir_archives EXCLUDE REGEX "MLIRCAPI|TestPasses|MLIRMlirOptMainTest")
  find_program(LLVM_CONFIG_PROGRAM NAMES llvm-config llvm-config-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
  execute_process(
    COMMAND ${LLVM_CONFIG_PROGRAM} --link-static --libfiles nvptx x86 orcjit passes irreader
            bitwriter frontendopenmp supportlsp target
    OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm_archives)
  find_library(ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
  find_library(Z_ARCHIVE NAMES libz.a REQUIRED)
  target_link_libraries(conv_mlir_deps INTERFACE
    -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
    ${ZSTD_ARCHIVE} ${Z_ARCHIVE} pthread dl m)
  # Not libgcc: its unwinder wants glibc 2.35, and exceptions that cross to
  # another library, such as PyTorch's, want the same one on both sides.
  add_link_options(-static-libstdc++ -shared-libgcc)
endif()

# conv_precompile(NAME): the library takes the headers of MLIR precompiled.
# What GCC writes differs from run to run; so that builds in other folders share
# one compiler cache, ccache is told what a precompiled header depends on.
function(conv_precompile name)
  if(NOT CONV_MLIR_PCH)
    return()
  endif()
  if(NOT TARGET conv_mlir_pch)
    set(folder ${PROJECT_BINARY_DIR}/precompiled)
    set(header ${PROJECT_SOURCE_DIR}/cmake/ConvPrecompiled.h)
    file(CONFIGURE OUTPUT ${folder}/source.cpp CONTENT "// Carries the precompiled headers of all libraries.\n")
    add_library(conv_mlir_pch OBJECT ${folder}/source.cpp)
    target_link_libraries(conv_mlir_pch PRIVATE conv_mlir_headers)
    target_precompile_headers(conv_mlir_pch PRIVATE ${header})

    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    get_directory_property(options COMPILE_OPTIONS)
    file(READ ${header} text)
    string(SHA256 sum "${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${LLVM_DEFINITIONS_LIST} \
${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${options} ${text}")
    file(CONFIGURE CONTENT ${sum} OUTPUT
      ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/conv_mlir_pch.dir/cmake_pch.hxx.gch.sum)
  endif()
  target_precompile_headers(${name} REUSE_FROM conv_mlir_pch)
endfunction()
