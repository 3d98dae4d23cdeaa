# SPDX-License-Identifier: Apache-2.0
# What the wheel of nexus-cuda holds beside its Python file, laid out for site-packages.
install(TARGETS nexus_cuda COMPONENT nexus-cuda LIBRARY DESTINATION nexus_cuda)
install(
  FILES "$<TARGET_FILE_DIR:nexus_cuda>/nxs_plugin.json"
  DESTINATION nexus_cuda
  COMPONENT nexus-cuda)

# In the repository's build tree the package's Python file stands beside the library.
if(NOT DEFINED SKBUILD)
  set(NEXUS_CUDA_PACKAGE_DIR "${CMAKE_BINARY_DIR}/python/nexus_cuda")
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/nexus_cuda" "${NEXUS_CUDA_PACKAGE_DIR}")
  # ... and the metadata that makes them a distribution, whose entry point discovery finds.
  set(NEXUS_CUDA_METADATA_DIR
      "${CMAKE_BINARY_DIR}/python/nexus_cuda-${NEXUS_CUDA_VERSION}.dist-info")
  file(WRITE "${NEXUS_CUDA_METADATA_DIR}/METADATA"
       "Metadata-Version: 2.1\nName: nexus-cuda\nVersion: ${NEXUS_CUDA_VERSION}\n")
  file(WRITE "${NEXUS_CUDA_METADATA_DIR}/entry_points.txt" "[nexus]\ncuda = nexus_cuda\n")
endif()
