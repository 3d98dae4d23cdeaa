# SPDX-License-Identifier: Apache-2.0
# What a wheel of nexus-core holds beside the Python files, laid out for site-packages.
include(CMakePackageConfigHelpers)

install(
  TARGETS nexus
  COMPONENT nexus-core
  LIBRARY DESTINATION nexus/lib
  RUNTIME DESTINATION nexus/lib)
if(TARGET _core)
  install(TARGETS _core COMPONENT nexus-core LIBRARY DESTINATION nexus)
endif()
install(
  DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include/"
  DESTINATION nexus/include
  COMPONENT nexus-core)

set(NEXUS_LIBRARY_NAME "${CMAKE_SHARED_LIBRARY_PREFIX}nexus${CMAKE_SHARED_LIBRARY_SUFFIX}")
configure_file("${CMAKE_CURRENT_SOURCE_DIR}/cmake/nexus-config.cmake.in"
               "${CMAKE_CURRENT_BINARY_DIR}/nexus-config.cmake" @ONLY)
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/nexus-config-version.cmake"
  VERSION "${NEXUS_VERSION}"
  COMPATIBILITY SameMinorVersion)
install(
  FILES "${CMAKE_CURRENT_BINARY_DIR}/nexus-config.cmake"
        "${CMAKE_CURRENT_BINARY_DIR}/nexus-config-version.cmake"
        "${CMAKE_CURRENT_SOURCE_DIR}/cmake/nexus-compile.cmake"
        "${CMAKE_CURRENT_SOURCE_DIR}/cmake/nexus-plugin.cmake"
  DESTINATION nexus/cmake
  COMPONENT nexus-core)
