// SPDX-License-Identifier: Apache-2.0
//
// The C functions that query and clear the caches of object code.
#include <nexus/nexus_c.h>

#include <string>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "code/cache_settings.hpp"
#include "code/disk_cache.hpp"
#include "compile/code_cache.hpp"

using namespace nexus::core;

nxs_status nexus_cache_get_info(nexus_cache_info *out_info) {
  return guarded([&] {
    requirePointer(out_info, "out_info");
    if (out_info->struct_size < sizeof(nexus_cache_info)) {
      throw Failure(NXS_InvalidValue, "out_info->struct_size is " +
                                          std::to_string(out_info->struct_size) +
                                          "; set it to sizeof(nexus_cache_info).");
    }
    thread_local std::string folder;
    thread_local std::string off;
    const CacheSettings settings = cacheSettings();
    const DiskCache disk(settings, /*create=*/false);
    const DiskCache::Use use = disk.use();
    const CodeCounts counts = codeCounts();
    folder = settings.folder;
    off = disk.off();
    out_info->folder = stringOf(folder);
    out_info->off = stringOf(off);
    out_info->entries = use.entries;
    out_info->bytes = use.bytes;
    out_info->limit = settings.limit;
    out_info->from_memory = counts.from_memory;
    out_info->from_disk = counts.from_disk;
    out_info->compiled = counts.compiled;
  });
}

nxs_status nexus_cache_clear(uint64_t *out_entries) {
  return guarded([&] {
    requirePointer(out_entries, "out_entries");
    ofProcess<MemoryCache>().clear();
    *out_entries = DiskCache(cacheSettings(), /*create=*/false).clear();
  });
}
