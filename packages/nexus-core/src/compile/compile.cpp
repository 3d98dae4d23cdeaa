// SPDX-License-Identifier: Apache-2.0
//
// Object code of a program: from memory, from disk, or from the compiler.
#include <nexus/nexus_c.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/sink.hpp"
#include "base/text.hpp"
#include "code/disk_cache.hpp"
#include "code/memory_cache.hpp"
#include "code/object_code.hpp"
#include "code/sha256.hpp"
#include "compile/compiler.hpp"
#include "compile/program.hpp"
#include "compile/program_source.hpp"

namespace nexus::core {

namespace {

// Change it if entries on disk of older versions must not be used.
constexpr int kCacheVersion = 1;

struct Counters {
  std::atomic<uint64_t> of[3]{};  // by nexus_code_origin
};

// Returns a key of all that determines the object code, except for included files and a compiler
// that is replaced under the same name: a running process keeps the one that it knows.
std::string memoryKey(const Target &target, const Program &program) {
  std::error_code none;
  return join(program.key(), target.device->selector(), "\n", target.architecture, "\n",
              std::filesystem::current_path(none).native(), "\n", compilerEnvironment());
}

void addTo(Sha256 &hash, std::string_view text) {
  hash.add(std::to_string(text.size()) + ":");
  hash.add(text);
}

std::string diskKey(const Target &target, const Program &program, const ProgramSource &source,
                    const CompilePlan &plan) {
  const Plugin &plugin = target.device->plugin();
  const std::string versions = "nexus object code " + std::to_string(kCacheVersion) + ", C-API " +
                               std::to_string(NXS_API_VERSION_MAJOR) + "." +
                               std::to_string(NXS_API_VERSION_MINOR);
  Sha256 hash;
  for (const std::string_view text :
       {std::string_view(versions), std::string_view(plugin.name), std::string_view(plugin.version),
        std::string_view(plan.json), std::string_view(source.text)}) {
    addTo(hash, text);
  }
  // settings that the flags don't have, such as the name and the language
  Program settings = program;
  settings.source = {};
  addTo(hash, settings.key());
  return nexus_plugin::hexadecimal(hash.finish());
}

CachedCode compiled(const Target &target, const Program &program, ProgramSource source,
                    const CompilePlan &plan) {
  CodeContents contents = compileSource(target, program, source, plan);
  return {std::make_shared<const CodeContents>(std::move(contents)), std::move(source.files),
          NEXUS_CODE_COMPILED, true};
}

// Returns whether the compiler reads files that are neither the system's nor in the source's text,
// whose contents are then not in the key. Adds the paths where it would find them to source.files.
bool readsOtherFiles(ProgramSource &source, const CompilePlan &plan) {
  for (const std::string &folder : plan.include_folders) {
    for (const std::string &name : source.left_to_compiler) {
      source.files.push_back(stateOf((std::filesystem::path(folder) / name).string()));
      if (source.files.back().present) return true;
    }
  }
  return source.reads_unknown_files || plan.reads_other_files;
}

CachedCode fromDiskOrCompiler(const Target &target, const Program &program) {
  requireCompilable(program);
  ProgramSource source = resolveIncludes(program, target.device->plugin().name);
  const CompilePlan plan = planOf(target, program);
  if (readsOtherFiles(source, plan)) {
    CachedCode made = compiled(target, program, std::move(source), plan);
    made.may_keep = false;
    return made;
  }
  const DiskCache disk(cacheSettings(), /*create=*/true);
  if (!disk.off().empty()) return compiled(target, program, std::move(source), plan);
  const std::string key = diskKey(target, program, source, plan);
  std::optional<CodeContents> known = disk.read(key);
  if (!known) {
    const EntryLock lock = disk.lock(key);
    known = disk.read(key);
    if (!known) {
      CachedCode made = compiled(target, program, std::move(source), plan);
      disk.write(key, *made.contents);
      return made;
    }
  }
  return {std::make_shared<const CodeContents>(*std::move(known)), std::move(source.files),
          NEXUS_CODE_FROM_DISK, true};
}

CachedCode codeOf(const Target &target, const Program &program) {
  const auto make = [&] { return fromDiskOrCompiler(target, program); };
  CachedCode code =
      cachesAreOn() ? ofProcess<MemoryCache>().get(memoryKey(target, program), make) : make();
  ofProcess<Counters>().of[code.origin].fetch_add(1, std::memory_order_relaxed);
  return code;
}

}  // namespace

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_compile(nexus_device *device, nxs_string target, const nexus_program_info *info,
                         nexus_object_code **out_code) {
  return giveResult(out_code, "out_code", [&] {
    const Program program = programOf(info);
    CachedCode code = codeOf(targetOf(device, viewOf(target, "target")), program);
    return make<ObjectCode>(std::move(code.contents), code.origin);
  });
}

nxs_status nexus_describe_compile(nexus_device *device, nxs_string target,
                                  const nexus_program_info *info, const nxs_sink *json) {
  return guarded([&] {
    const Program program = programOf(info);
    writeTo(json, "json", planOf(targetOf(device, viewOf(target, "target")), program).json);
  });
}

nxs_status nexus_cache_get_info(nexus_cache_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "out_info", "nexus_cache_info");
    thread_local std::string folder;
    thread_local std::string off;
    const CacheSettings settings = cacheSettings();
    const DiskCache disk(settings, /*create=*/false);
    const DiskCache::Use use = disk.use();
    const Counters &counters = ofProcess<Counters>();
    folder = settings.folder;
    off = disk.off();
    out_info->folder = stringOf(folder);
    out_info->off = stringOf(off);
    out_info->entries = use.entries;
    out_info->bytes = use.bytes;
    out_info->limit = settings.limit;
    out_info->from_memory = counters.of[NEXUS_CODE_FROM_MEMORY].load();
    out_info->from_disk = counters.of[NEXUS_CODE_FROM_DISK].load();
    out_info->compiled = counters.of[NEXUS_CODE_COMPILED].load();
  });
}

nxs_status nexus_cache_clear(uint64_t *out_entries) {
  return giveResult(out_entries, "out_entries", [&] {
    ofProcess<MemoryCache>().clear();
    return DiskCache(cacheSettings(), /*create=*/false).clear();
  });
}
