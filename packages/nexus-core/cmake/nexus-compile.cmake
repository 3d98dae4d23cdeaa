# SPDX-License-Identifier: Apache-2.0
# How Nexus compiles its own code: C++20, hidden symbols, warnings as errors.
include_guard(GLOBAL)

function(nexus_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               C_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(NEXUS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Links the entries of a Python package's source folder into the package's folder of the build tree.
function(nexus_link_package source destination)
  file(MAKE_DIRECTORY "${destination}")
  file(GLOB entries RELATIVE "${source}" CONFIGURE_DEPENDS "${source}/*")
  foreach(entry IN LISTS entries)
    if(entry MATCHES "\\.(py|pyi|typed)$" OR IS_DIRECTORY "${source}/${entry}")
      file(CREATE_LINK "${source}/${entry}" "${destination}/${entry}" SYMBOLIC)
    endif()
  endforeach()
endfunction()
