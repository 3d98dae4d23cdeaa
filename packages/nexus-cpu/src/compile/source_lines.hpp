// SPDX-License-Identifier: Apache-2.0
// Adds the source lines to a compiler's messages.
#ifndef NEXUS_CPU_SOURCE_LINES_HPP_
#define NEXUS_CPU_SOURCE_LINES_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// words: a compiler's messages about source, which starts as the file name and in which #line
// starts other files. If a message "file:line:column: ..." is not followed by a caret, adds the
// line and a caret: gcc would look for the line in a file of that name.
std::string with_source_lines(std::string_view words, std::string_view name,
                              std::string_view source);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SOURCE_LINES_HPP_
