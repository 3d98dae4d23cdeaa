# SPDX-License-Identifier: Apache-2.0
# The text of the portable kernel header in libnexus, made again when one of its files changes.
set(NEXUS_INCLUDE_DIR "${PROJECT_SOURCE_DIR}/include")
file(GLOB NEXUS_KERNEL_HEADERS RELATIVE "${NEXUS_INCLUDE_DIR}" CONFIGURE_DEPENDS
     "${NEXUS_INCLUDE_DIR}/nexus_kernel.h" "${NEXUS_INCLUDE_DIR}/nexus-kernel/*.h"
     "${NEXUS_INCLUDE_DIR}/nexus-kernel/*/*.h")
list(TRANSFORM NEXUS_KERNEL_HEADERS PREPEND "${NEXUS_INCLUDE_DIR}/" OUTPUT_VARIABLE header_paths)
list(JOIN NEXUS_KERNEL_HEADERS "," header_list)
set(embedded "${CMAKE_CURRENT_BINARY_DIR}/embedded_kernel_header.cpp")
set(embed_script "${PROJECT_SOURCE_DIR}/cmake/embed-texts.cmake")
add_custom_command(
  OUTPUT "${embedded}"
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${embedded}" "-DFOLDER=${NEXUS_INCLUDE_DIR}"
          "-DFILES=${header_list}" -P "${embed_script}"
  DEPENDS ${header_paths} "${embed_script}" "${CMAKE_CURRENT_LIST_FILE}"
  VERBATIM)
target_sources(nexus PRIVATE "${embedded}")
set_source_files_properties("${embedded}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
