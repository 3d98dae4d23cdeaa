// SPDX-License-Identifier: Apache-2.0
//
// Configuration that plug-ins read: paths of tools and vendor libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace nexus::core {

/// Sets a key such as "cpu.cc"; an empty value removes it. Throws NXS_InvalidValue for an empty
/// key.
void setConfig(std::string_view key, std::string_view value);

/// Returns a backend's value for key: the first that is set of the environment variable
/// NEXUS_<BACKEND>_<KEY> (upper case, '.' and '-' written '_'), the key "<backend>.<key>", and the
/// key itself; else an empty text. The text lives as long as the process.
std::string_view configOf(std::string_view backend, std::string_view key);

/// Returns a number that differs after each change of a key.
uint64_t configVersion();

}  // namespace nexus::core
