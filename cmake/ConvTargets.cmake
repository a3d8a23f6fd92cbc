# conv_add_library(NAME sources… [DEPENDS targets…] [LINK libs…])
#   Plain C++ library: no MLIR headers, nothing but the C++ library and LINK.
# conv_add_mlir_library(NAME sources… [DEPENDS …] [LINK …])
#   Library that includes MLIR headers; tools link MLIR once through conv_mlir_deps.
# conv_add_tool(NAME sources… [LINK …])           an MLIR tool in bin/
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
