# SPDX-License-Identifier: Apache-2.0
# What the wheel of nexus-cpu holds beside its Python file, laid out for site-packages.
install(TARGETS nexus_cpu nexus_cpu_barrier nexus_cpu_demo_kernels COMPONENT nexus-cpu
        LIBRARY DESTINATION nexus_cpu)
install(
  FILES "$<TARGET_FILE_DIR:nexus_cpu>/nxs_plugin.json"
  DESTINATION nexus_cpu
  COMPONENT nexus-cpu)
# The device files are links to the repository's; a wheel and an sdist carry their contents.
file(GLOB links CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/devices/*.json")
set(NEXUS_CPU_DEVICE_FILES "")
foreach(link IN LISTS links)
  file(REAL_PATH "${link}" device_file)
  list(APPEND NEXUS_CPU_DEVICE_FILES "${device_file}")
endforeach()
install(
  FILES ${NEXUS_CPU_DEVICE_FILES}
  DESTINATION nexus_cpu/devices
  COMPONENT nexus-cpu)

# In the repository's build tree the package's Python file and device files stand beside the library.
if(NOT DEFINED SKBUILD)
  set(NEXUS_CPU_PACKAGE_DIR "${CMAKE_BINARY_DIR}/python/nexus_cpu")
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/nexus_cpu" "${NEXUS_CPU_PACKAGE_DIR}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/devices" "${NEXUS_CPU_PACKAGE_DIR}/devices" SYMBOLIC)
  # ... and the metadata that makes them a distribution, whose entry point discovery finds.
  set(NEXUS_CPU_METADATA_DIR "${CMAKE_BINARY_DIR}/python/nexus_cpu-${NEXUS_CPU_VERSION}.dist-info")
  file(WRITE "${NEXUS_CPU_METADATA_DIR}/METADATA"
       "Metadata-Version: 2.1\nName: nexus-cpu\nVersion: ${NEXUS_CPU_VERSION}\n")
  file(WRITE "${NEXUS_CPU_METADATA_DIR}/entry_points.txt" "[nexus]\ncpu = nexus_cpu\n")
endif()
