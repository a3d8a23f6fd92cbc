# The static preset: one copy of MLIR for all tools.
#
# Every tool linked on its own would carry its own 70 MB of MLIR and LLVM. So
# the code of all tools goes into lib/libconv-mlir.so, which needs nothing but
# libc and exports the C API (lib/CAPI) and one entry point per tool, and each
# tool in bin/ is a stub that calls its entry point. The stubs find the library
# beside them (../lib), so the pair can be moved anywhere.
#
# conv_add_bundled_tool(NAME sources… [LINK …])     conv_add_tool, bundled

set(conv_bundle_exports ${PROJECT_BINARY_DIR}/conv-mlir.exports)
file(WRITE ${conv_bundle_exports} "{ global: convmlir_*; local: *; };\n")
set(conv_bundle_root ${PROJECT_BINARY_DIR}/conv-mlir.cpp)
file(WRITE ${conv_bundle_root} "// The sources of libconv-mlir.so are the object libraries of the tools.\n")

add_library(conv_bundle SHARED ${conv_bundle_root} ${CMAKE_CURRENT_LIST_DIR}/OlderGlibc.cpp)
set_target_properties(conv_bundle PROPERTIES
  OUTPUT_NAME conv-mlir
  LINK_DEPENDS ${conv_bundle_exports})
target_link_options(conv_bundle PRIVATE -Wl,--version-script=${conv_bundle_exports} -Wl,-Bsymbolic)
target_link_libraries(conv_bundle PRIVATE conv_mlir_deps)
install(TARGETS conv_bundle LIBRARY DESTINATION lib COMPONENT tools)

function(conv_add_bundled_tool name)
  conv_add_tool_of_library(${name} conv_bundle ${ARGN})
  target_link_libraries(${name}_objects PRIVATE conv_mlir_headers)
  add_dependencies(${name}_objects conv_tablegen)
endfunction()
