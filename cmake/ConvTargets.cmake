# conv_add_library(NAME sources… [DEPENDS targets…] [LINK libs…])
#   Plain C++ library: no MLIR headers, nothing but the C++ library and LINK.
# conv_add_mlir_library(NAME sources… [DEPENDS …] [LINK …])
#   Library that includes MLIR headers; tools link MLIR once through conv_mlir_deps.
# conv_add_tool(NAME sources… [LINK …])           an MLIR tool in bin/
# conv_add_runtime_tool(NAME sources… [LINK …])   a tool in bin/ without MLIR, of libconv-runtime.so
# conv_add_tool_of_library(NAME LIBRARY sources… [LINK …])
#   The code of a tool as a part of a shared library, and a stub in bin/ that
#   calls it and finds the library beside itself (../lib).
# conv_add_unittest(NAME sources… [LINK …] [CUDA])
#   A GoogleTest binary, registered with ctest. CUDA: its tests want a device and
#   skip themselves where there is none; it is shipped to be run by scripts/gpu.sh.

function(conv_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  install(TARGETS ${name} EXPORT ConvMLIRTargets ARCHIVE DESTINATION lib
    INCLUDES DESTINATION include)
endfunction()

function(conv_add_mlir_library name)
  conv_add_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC
    $<BUILD_INTERFACE:conv_mlir_headers> $<INSTALL_INTERFACE:ConvMLIR::MLIR>)
  add_dependencies(${name} conv_tablegen)
  conv_precompile(${name})
endfunction()

# The options with which the sanitizers know the libraries without them.
function(conv_add_sanitizer_options name)
  if(CONV_MLIR_ASAN)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
  endif()
endfunction()

function(conv_add_tool name)
  if(CONV_MLIR_STATIC)
    conv_add_bundled_tool(${name} ${ARGN})
  else()
    cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} conv_mlir_deps)
    add_dependencies(${name} conv_tablegen)
    conv_add_sanitizer_options(${name})
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT tools)
  set_property(GLOBAL APPEND PROPERTY CONV_TOOLS ${name})
endfunction()

function(conv_add_runtime_tool name)
  conv_add_tool_of_library(${name} conv_runtime ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT tools)
  set_property(GLOBAL APPEND PROPERTY CONV_TOOLS ${name})
endfunction()

function(conv_add_tool_of_library name library)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  string(MAKE_C_IDENTIFIER "convmlir_${name}_main" entry)

  # C linkage gives the entry point the name that the export list matches.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/entry.h "extern \"C\" int ${entry}(int, char **);\n")
  add_library(${name}_objects OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_compile_definitions(${name}_objects PRIVATE
    main=${entry} $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
  target_compile_options(${name}_objects PRIVATE
    "SHELL:-include ${CMAKE_CURRENT_BINARY_DIR}/entry.h")
  target_link_libraries(${name}_objects PRIVATE ${ARG_LINK})
  target_link_libraries(${library} PRIVATE ${name}_objects ${ARG_LINK})

  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/stub.cpp
    "#include \"entry.h\"\nint main(int argc, char **argv) { return ${entry}(argc, argv); }\n")
  add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/stub.cpp)
  target_link_libraries(${name} PRIVATE ${library})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  conv_add_sanitizer_options(${name})
endfunction()

function(conv_add_unittest name)
  cmake_parse_arguments(ARG "CUDA" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main pthread)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unittests)
  conv_add_sanitizer_options(${name})
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(conv_unittests ${name})
  if(ARG_CUDA)
    add_dependencies(conv_cuda_unittests ${name})
    install(TARGETS ${name} RUNTIME DESTINATION unittests
      COMPONENT cuda-tests EXCLUDE_FROM_ALL)
  endif()
endfunction()
