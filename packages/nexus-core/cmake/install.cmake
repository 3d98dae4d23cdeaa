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

# The device files, the schemas and the list of properties: links to the repository's; a wheel
# and an sdist carry their contents.
file(REAL_PATH "${CMAKE_CURRENT_SOURCE_DIR}/devices" NEXUS_DEVICES_DIR)
set(NEXUS_SCHEMAS "")
foreach(name IN ITEMS device_info.schema.json kernel_catalog.schema.json properties.json)
  file(REAL_PATH "${CMAKE_CURRENT_SOURCE_DIR}/schema/${name}" schema)
  list(APPEND NEXUS_SCHEMAS "${schema}")
endforeach()
install(
  DIRECTORY "${NEXUS_DEVICES_DIR}/"
  DESTINATION nexus/devices
  COMPONENT nexus-core
  FILES_MATCHING
  PATTERN "*.json")
install(
  FILES ${NEXUS_SCHEMAS}
  DESTINATION nexus/schema
  COMPONENT nexus-core)
# What `nexus new-backend` starts from: a link too, so that the reference plug-in is written once.
file(REAL_PATH "${CMAKE_CURRENT_SOURCE_DIR}/reference_plugin" NEXUS_REFERENCE_DIR)
install(
  DIRECTORY "${NEXUS_REFERENCE_DIR}/"
  DESTINATION nexus/reference_plugin
  COMPONENT nexus-core
  PATTERN "__pycache__" EXCLUDE
  PATTERN "build" EXCLUDE)
# In the build tree they stand beside libnexus's folder, as they do after an installation.
if(NOT DEFINED SKBUILD)
  file(MAKE_DIRECTORY "${NEXUS_PACKAGE_DIR}/schema")
  file(CREATE_LINK "${NEXUS_DEVICES_DIR}" "${NEXUS_PACKAGE_DIR}/devices" SYMBOLIC)
  file(CREATE_LINK "${NEXUS_REFERENCE_DIR}" "${NEXUS_PACKAGE_DIR}/reference_plugin" SYMBOLIC)
  foreach(schema IN LISTS NEXUS_SCHEMAS)
    get_filename_component(name "${schema}" NAME)
    file(CREATE_LINK "${schema}" "${NEXUS_PACKAGE_DIR}/schema/${name}" SYMBOLIC)
  endforeach()
endif()

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
