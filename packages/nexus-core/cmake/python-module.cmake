# SPDX-License-Identifier: Apache-2.0
# import nexus: the extension nexus._core and, in the build tree, links to the Python files.
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)

# Outside of a wheel's build, pybind11 is where this Python has it.
if(NOT DEFINED pybind11_DIR AND NOT DEFINED SKBUILD)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
    OUTPUT_VARIABLE pybind11_folder
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 3 CONFIG QUIET HINTS "${pybind11_folder}")
if(NOT pybind11_FOUND)
  message(
    FATAL_ERROR
      "The Python module needs pybind11 3 or later. Type: ${Python_EXECUTABLE} -m pip install pybind11"
  )
endif()

file(GLOB NEXUS_BINDINGS CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/bindings/*/*.cpp")
pybind11_add_module(_core NO_EXTRAS ${NEXUS_BINDINGS}) # no link-time optimization: minutes
target_include_directories(_core PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/bindings")
target_link_libraries(_core PRIVATE nexus)
nexus_compile_options(_core)
nexus_compile_quickly(_core)
list(LENGTH NEXUS_BINDINGS count)
math(EXPR half "(${count} + 1) / 2")
set_target_properties(_core PROPERTIES UNITY_BUILD_BATCH_SIZE ${half}) # one for each of two cores
set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/bindings/python/gil.cpp"
                            PROPERTIES COMPILE_OPTIONS -fno-exceptions)
nexus_export_only(_core PyInit__core)
if(CMAKE_CROSSCOMPILING AND SKBUILD_SOABI)
  # Not that of this machine's Python: scikit-build-core is told by SETUPTOOLS_EXT_SUFFIX.
  set_target_properties(_core PROPERTIES DEBUG_POSTFIX "" SUFFIX ".${SKBUILD_SOABI}.so")
endif()
set_target_properties(
  _core
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NEXUS_PACKAGE_DIR}"
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "${NEXUS_ORIGIN}/lib")

# With these links, PYTHONPATH=<build>/python is enough to import what was built.
if(NOT DEFINED SKBUILD)
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/nexus" "${NEXUS_PACKAGE_DIR}")
  nexus_link_package("${CMAKE_CURRENT_SOURCE_DIR}/_nexus_pytest"
                     "${CMAKE_BINARY_DIR}/python/_nexus_pytest")
  # ... with the metadata by which pytest finds the options of nexus.conformance.
  set(NEXUS_METADATA_DIR "${CMAKE_BINARY_DIR}/python/nexus_core-${NEXUS_VERSION}.dist-info")
  file(WRITE "${NEXUS_METADATA_DIR}/METADATA"
       "Metadata-Version: 2.1\nName: nexus-core\nVersion: ${NEXUS_VERSION}\n")
  file(WRITE "${NEXUS_METADATA_DIR}/entry_points.txt" "[pytest11]\n_nexus_pytest = _nexus_pytest\n")
endif()
