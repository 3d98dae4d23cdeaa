// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_CPU_USABLE_PROCESSORS_HPP_
#define NEXUS_CPU_USABLE_PROCESSORS_HPP_

#include <nexus-api/nxs.h>
#include <cstddef>
#include <thread>
#include <vector>

namespace nexus_cpu NXS_HIDDEN {

// The numbers of the processors that the system lets this process run on, one thread of each core
// before the others; never empty. Where the system does not tell, 0 and up.
std::vector<unsigned> usable_processors();

// How many that are.
std::size_t count_usable_processors();

// Binds the thread to one of them; false where the system has no such thing or refuses.
bool pin_to(std::thread &thread, unsigned processor) noexcept;

}  // namespace nexus_cpu

#endif  // NEXUS_CPU_USABLE_PROCESSORS_HPP_
