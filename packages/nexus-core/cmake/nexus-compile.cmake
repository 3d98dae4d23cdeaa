# SPDX-License-Identifier: Apache-2.0
# How Nexus compiles its own code: C++20, hidden symbols, warnings as errors.
include_guard(GLOBAL)

set(NEXUS_SANITIZE
    ""
    CACHE STRING "Sanitizers to build with, as -fsanitize takes them: 'address,undefined' or 'thread'")

# A wheel's library is compiled as one file, since the headers and their templates cost more than our
# code. Elsewhere each file is compiled on its own: quicker after a change, and a missing include is
# seen.
if(SKBUILD)
  set(NEXUS_WHEEL ON)
else()
  set(NEXUS_WHEEL OFF)
endif()
option(NEXUS_UNITY_BUILD "Compile all files of a target as one" ${NEXUS_WHEEL})

# nexus_sanitize(<target>): with the sanitizers of NEXUS_SANITIZE, if it names any.
function(nexus_sanitize target)
  if(NEXUS_SANITIZE)
    target_compile_options(${target} PRIVATE "-fsanitize=${NEXUS_SANITIZE}" -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE "-fsanitize=${NEXUS_SANITIZE}")
  endif()
endfunction()

function(nexus_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               C_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               UNITY_BUILD "${NEXUS_UNITY_BUILD}"
               UNITY_BUILD_BATCH_SIZE 0 # all
               POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Sees an overlap in "text" + std::string that is not there (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(NEXUS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  nexus_sanitize(${target})
endfunction()

# nexus_compile_quickly(<target>): at -O1, which takes two thirds of -O2's time, with -O2's inlining
# and tail calls: without tail calls a barrier of the CPU costs twice as much.
function(nexus_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -O1 GCC 12 sees an atomic load from a null pointer that is never made.
    target_compile_options(
      ${target} PRIVATE $<$<CONFIG:Release>:-finline-small-functions>
                        $<$<CONFIG:Release>:-foptimize-sibling-calls> -Wno-stringop-overflow)
  endif()
endfunction()

# nexus_export_only(<target> <pattern>...): of a library's symbols only these C names are visible.
# Hidden visibility alone leaves those of a C++ library that is linked in, operator new among them.
function(nexus_export_only target)
  if(APPLE)
    list(TRANSFORM ARGN PREPEND "_")
    list(JOIN ARGN "\n" text)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}.exports")
    set(options -exported_symbols_list "${file}")
  else()
    list(JOIN ARGN "; " text)
    set(text "{ global: ${text}; local: *; };")
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
    set(options "--version-script=${file}")
  endif()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}\n" @ONLY)
  foreach(option IN LISTS options) # not -Wl, which a comma in a path would break
    target_link_options(${target} PRIVATE "SHELL:-Xlinker \"${option}\"")
  endforeach()
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${file}")
endfunction()

# Links the entries of a Python package's source folder into the package's folder of the build tree.
function(nexus_link_package source destination)
  file(MAKE_DIRECTORY "${destination}")
  file(GLOB entries RELATIVE "${source}" CONFIGURE_DEPENDS "${source}/*")
  foreach(entry IN LISTS entries)
    # Python makes __pycache__ in both folders.
    if(NOT entry STREQUAL "__pycache__"
       AND (entry MATCHES "\\.(py|pyi|typed)$" OR IS_DIRECTORY "${source}/${entry}"))
      file(CREATE_LINK "${source}/${entry}" "${destination}/${entry}" SYMBOLIC)
    endif()
  endforeach()
endfunction()

# nexus_backend(<name> <version>): the plug-in nexus_<name> of packages/nexus-<name>, from the files in
# the folders of src, with its manifest; both are what the wheel holds beside its Python files. In the
# repository's build tree those stand beside the library, with the metadata that makes them a
# distribution, whose entry point discovery finds.
function(nexus_backend name version)
  set(target nexus_${name})
  set(package "${CMAKE_CURRENT_SOURCE_DIR}/${target}")
  string(TOUPPER "${target}_VERSION" macro)
  find_package(Threads REQUIRED)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp")
  add_library(${target} MODULE ${sources})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE nexus::headers Threads::Threads ${CMAKE_DL_LIBS})
  nexus_compile_options(${target})
  nexus_export_only(${target} nxsQueryPlugin)
  target_compile_definitions(${target} PRIVATE ${macro}="${version}")
  nexus_plugin_manifest(
    ${target}
    TEMPLATE "${package}/nxs_plugin.json.in"
    VERSION "${version}"
    ABI_MIN 1.0)
  install(TARGETS ${target} COMPONENT nexus-${name} LIBRARY DESTINATION ${target})
  install(
    FILES "$<TARGET_FILE_DIR:${target}>/nxs_plugin.json"
    DESTINATION ${target}
    COMPONENT nexus-${name})
  if(NOT DEFINED SKBUILD)
    nexus_link_package("${package}" "${CMAKE_BINARY_DIR}/python/${target}")
    set(metadata "${CMAKE_BINARY_DIR}/python/${target}-${version}.dist-info")
    file(WRITE "${metadata}/METADATA"
         "Metadata-Version: 2.1\nName: nexus-${name}\nVersion: ${version}\n")
    file(WRITE "${metadata}/entry_points.txt" "[nexus]\n${name} = ${target}\n")
  endif()
endfunction()
