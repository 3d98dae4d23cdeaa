// SPDX-License-Identifier: Apache-2.0
// Shows the lines of the source that a compiler's messages speak of.
#ifndef NEXUS_CPU_SOURCE_LINES_HPP_
#define NEXUS_CPU_SOURCE_LINES_HPP_

#include <nexus-api/nxs.h>
#include <string>
#include <string_view>

namespace nexus_cpu NXS_HIDDEN {

// words: a compiler's messages about source, whose first line belongs to the file name and in which
// #line says where others begin. Where a message "file:line:column: ..." is followed by no caret,
// as with gcc, which looks for the line in a file of that name, the line and a caret are added.
std::string with_source_lines(std::string_view words, std::string_view name,
                              std::string_view source);

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_SOURCE_LINES_HPP_
