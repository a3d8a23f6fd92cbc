# `cmake --install`: headers (generated ones too), archives and the CMake package
# with which another project finds them:
#
#   find_package(ConvMLIR 0.1 REQUIRED CONFIG)
#   target_link_libraries(mine PRIVATE ConvMLIR::MLIRConvDialect ConvMLIR::MLIR)
#
# ConvMLIR::MLIR stands for the MLIR and LLVM libraries; the plain C++ libraries
# (ConvMLIR::ConvGeometry and others) do without.

include(CMakePackageConfigHelpers)

set(conv_package_dir lib/cmake/ConvMLIR)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/ DESTINATION include
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT ConvMLIRTargets NAMESPACE ConvMLIR:: DESTINATION ${conv_package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/ConvMLIRConfig.cmake.in ${PROJECT_BINARY_DIR}/ConvMLIRConfig.cmake
  INSTALL_DESTINATION ${conv_package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ConvMLIRConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/ConvMLIRConfig.cmake ${PROJECT_BINARY_DIR}/ConvMLIRConfigVersion.cmake
  DESTINATION ${conv_package_dir})
