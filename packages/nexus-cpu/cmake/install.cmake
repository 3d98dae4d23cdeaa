# SPDX-License-Identifier: Apache-2.0
# What the wheel of nexus-cpu holds beside its Python file, laid out for site-packages.
install(TARGETS nexus_cpu nexus_cpu_barrier nexus_cpu_demo_kernels COMPONENT nexus-cpu
        LIBRARY DESTINATION nexus_cpu)
install(
  FILES "$<TARGET_FILE_DIR:nexus_cpu>/nxs_plugin.json"
  DESTINATION nexus_cpu
  COMPONENT nexus-cpu)

# In the repository's build tree the package's Python file stands beside the library.
if(NOT DEFINED SKBUILD)
  set(NEXUS_CPU_PACKAGE_DIR "${CMAKE_BINARY_DIR}/python/nexus_cpu")
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/nexus_cpu" "${NEXUS_CPU_PACKAGE_DIR}")
  # ... and the metadata that makes them a distribution, whose entry point discovery finds.
  set(NEXUS_CPU_METADATA_DIR "${CMAKE_BINARY_DIR}/python/nexus_cpu-${NEXUS_CPU_VERSION}.dist-info")
  file(WRITE "${NEXUS_CPU_METADATA_DIR}/METADATA"
       "Metadata-Version: 2.1\nName: nexus-cpu\nVersion: ${NEXUS_CPU_VERSION}\n")
  file(WRITE "${NEXUS_CPU_METADATA_DIR}/entry_points.txt" "[nexus]\ncpu = nexus_cpu\n")
endif()
