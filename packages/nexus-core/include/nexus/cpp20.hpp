// SPDX-License-Identifier: Apache-2.0
/// Refuses a compiler mode older than C++20 with one error, and defines NEXUS_CPP20 otherwise, so
/// that the headers of the whole API add no errors of their own.
#ifndef NEXUS_CPP20_HPP_
#define NEXUS_CPP20_HPP_

// 201703L is C++17; compilers that are older than C++20 give it a number of their own in between.
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) <= 201703L
#error "Nexus needs C++20; compile with -std=c++20 (MSVC: /std:c++20)."
#else
#define NEXUS_CPP20
#endif

#endif  // NEXUS_CPP20_HPP_
