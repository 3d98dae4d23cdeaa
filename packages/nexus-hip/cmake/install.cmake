# SPDX-License-Identifier: Apache-2.0
# What the wheel of nexus-hip holds beside its Python file, laid out for site-packages.
install(TARGETS nexus_hip nexus_hip_hiprtc COMPONENT nexus-hip LIBRARY DESTINATION nexus_hip
        RUNTIME DESTINATION nexus_hip)
install(
  FILES "$<TARGET_FILE_DIR:nexus_hip>/nxs_plugin.json"
  DESTINATION nexus_hip
  COMPONENT nexus-hip)

# In the repository's build tree the package's Python file stands beside the library.
if(NOT DEFINED SKBUILD)
  set(NEXUS_HIP_PACKAGE_DIR "${CMAKE_BINARY_DIR}/python/nexus_hip")
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/nexus_hip" "${NEXUS_HIP_PACKAGE_DIR}")
  # ... and the metadata that makes them a distribution, whose entry point discovery finds.
  set(NEXUS_HIP_METADATA_DIR
      "${CMAKE_BINARY_DIR}/python/nexus_hip-${NEXUS_HIP_VERSION}.dist-info")
  file(WRITE "${NEXUS_HIP_METADATA_DIR}/METADATA"
       "Metadata-Version: 2.1\nName: nexus-hip\nVersion: ${NEXUS_HIP_VERSION}\n")
  file(WRITE "${NEXUS_HIP_METADATA_DIR}/entry_points.txt" "[nexus]\nhip = nexus_hip\n")
endif()
