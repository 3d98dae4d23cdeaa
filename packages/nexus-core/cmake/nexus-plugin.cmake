# SPDX-License-Identifier: Apache-2.0
# What a plug-in's build needs beside its compiler. find_package(nexus) brings it.
include_guard(GLOBAL)

# nexus_plugin_manifest(<target> TEMPLATE <nxs_plugin.json.in> VERSION <version>
#                       [ABI_MIN <major.minor>] [DEVICES <folder>])
#
# Writes nxs_plugin.json into the folder of the target's library. In the template,
# @NEXUS_PLUGIN_VERSION@ is VERSION, @NEXUS_ABI_MAX@ is the version of the headers, @NEXUS_ABI_MIN@
# the oldest host that the plug-in serves (default: the headers' version; one of another major would
# be a host that it can't serve), and generator
# expressions such as $<TARGET_FILE_NAME:target> are evaluated. The folder of the target gets a
# name of its own, so that two plug-ins of one project don't share a manifest. The folder DEVICES,
# which the template names "devices", is linked beside the manifest; its installation is yours.
function(nexus_plugin_manifest target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEMPLATE;VERSION;ABI_MIN;DEVICES" "")
  foreach(name IN ITEMS TEMPLATE VERSION)
    if(NOT arg_${name})
      message(FATAL_ERROR "nexus_plugin_manifest(${target}): ${name} is missing.")
    endif()
  endforeach()

  set(NEXUS_PLUGIN_VERSION "${arg_VERSION}")
  nexus_api_version(NEXUS_ABI_MAX)
  set(NEXUS_ABI_MIN "${NEXUS_ABI_MAX}")
  if(arg_ABI_MIN)
    nexus_check_abi_min(${target} "${arg_ABI_MIN}" "${NEXUS_ABI_MAX}")
    set(NEXUS_ABI_MIN "${arg_ABI_MIN}")
  endif()

  set(folder "${CMAKE_BINARY_DIR}/python/${target}")
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}")
  if(arg_DEVICES)
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${arg_DEVICES}" "${folder}/devices" SYMBOLIC)
  endif()
  set(configured "${CMAKE_CURRENT_BINARY_DIR}/${target}-nxs_plugin.json.in")
  configure_file("${arg_TEMPLATE}" "${configured}" @ONLY)
  file(
    GENERATE
    OUTPUT "$<TARGET_FILE_DIR:${target}>/nxs_plugin.json"
    INPUT "${configured}")
endfunction()

# Ends with an error where a plug-in that is built with the headers of version "newest" can't serve a
# host of version "oldest".
function(nexus_check_abi_min target oldest newest)
  string(REGEX REPLACE "[.].*" "" major "${newest}")
  if(NOT oldest MATCHES "^${major}[.][0-9]+$" OR oldest VERSION_GREATER newest)
    message(
      FATAL_ERROR "nexus_plugin_manifest(${target}): ABI_MIN is ${oldest}, and the plug-in is built "
                  "with the C-API ${newest}; give a version from ${major}.0 to ${newest}.")
  endif()
endfunction()

# Sets out_version to the major.minor of the C-API whose headers nexus::headers offers.
function(nexus_api_version out_version)
  get_target_property(folders nexus::headers INTERFACE_INCLUDE_DIRECTORIES)
  list(GET folders 0 folder)
  foreach(part IN ITEMS MAJOR MINOR)
    file(STRINGS "${folder}/nexus-api/nxs.h" line REGEX "^#define NXS_API_VERSION_${part} [0-9]+$")
    string(REGEX REPLACE ".* " "" ${part} "${line}")
  endforeach()
  set(${out_version}
      "${MAJOR}.${MINOR}"
      PARENT_SCOPE)
endfunction()
