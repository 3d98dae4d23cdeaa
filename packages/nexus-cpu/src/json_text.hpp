// SPDX-License-Identifier: Apache-2.0
// Texts of any origin as JSON (RFC 8259) and as UTF-8.
#ifndef NEXUS_CPU_JSON_TEXT_HPP_
#define NEXUS_CPU_JSON_TEXT_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The text with U+FFFD in place of each byte that is no part of UTF-8.
std::string valid_utf8(std::string_view text);

// With its quotes; what is not UTF-8 as above.
std::string json_string(std::string_view text);
std::string json_list(const std::vector<std::string> &texts);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_JSON_TEXT_HPP_
