// SPDX-License-Identifier: Apache-2.0
#include <nexus/nexus_c.h>

#include "error.hpp"

using namespace nexus::core;

nxs_status nexus_cache_get_info(nexus_cache_info *out_info) {
  return guarded([&] { requirePointer(out_info, "out_info"); });
}

nxs_status nexus_cache_clear(uint64_t *out_entries) {
  return guarded([&] {
    requirePointer(out_entries, "out_entries");
    *out_entries = 0;
  });
}
