// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's linker: one program from separately compiled pieces.
#pragma once

#include <nexus/nexus_c.h>

#include <string_view>
#include <vector>

#include "code/object_code.hpp"
#include "compile/target.hpp"

namespace nexus::core {

/// The caller's request, with defaults filled in. Borrows the caller's texts.
struct LinkRequest {
  std::vector<std::string_view> codes;  // at least one
  std::vector<std::string_view> names;  // as many
  std::string_view name;                // of the linked program
  nxs_compile_flags flags = 0;
  int32_t optimization = 0;
  std::vector<std::string_view> options;
};

/// Throws NXS_InvalidValue for an invalid request.
LinkRequest linkRequestOf(const nexus_link_info *info);

/// Throws NXS_LinkProgramFailure, with the log, NXS_InvalidProgram if the result has no kernel, and
/// the status of nxsLinkProgram.
CodeContents linkCode(const Target &target, const LinkRequest &request);

}  // namespace nexus::core
