// SPDX-License-Identifier: Apache-2.0
#include "language/kernel_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "language/directive.hpp"
#include "language/kernel_header.hpp"

namespace nexus::core {
namespace {

constexpr std::size_t kPrefixSize = 6;  // length of "nexus_"

using Names = std::set<std::string, std::less<>>;

bool hasKernelPrefix(std::string_view name) {
  return name.starts_with("NEXUS_") || name.starts_with("nexus_");
}

// Names of the backends, include guards and prefixes.
bool isNotForKernels(std::string_view name) {
  return name.starts_with("NEXUS_CPU_") || name.starts_with("nexus_cpu_") || name.ends_with('_') ||
         name == "NEXUS_KERNEL_VERSION" || name == "nexus_kernel";
}

void addNames(std::string_view text, Names &out) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isWordPart(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (hasKernelPrefix(word) && !isNotForKernels(word)) out.emplace(word);
    at = end + 1;
  }
}

const Names &languageNames() {
  static const Names &all = []() -> const Names & {
    auto *names = new Names;
    for (const EmbeddedText &file : embeddedKernelHeaders()) {
      addNames(*kernelHeaderText(file.name), *names);
    }
    for (const char *vector : {"float2", "float4", "int2", "int4", "uint2", "uint4"}) {
      names->insert("nexus_make_" + std::string(vector));
    }
    return *names;
  }();
  return all;
}

constexpr const char *kNoMemory =
    "; a kernel can't allocate memory: take a buffer or a local array as a parameter";
constexpr const char *kNoLibrary = "; a kernel can't call library functions: write a loop";
constexpr const char *kKernel = "; write NEXUS_KERNEL(name, (type, parameter), ...) { ... }";

// Ends of the sentence "x is not defined".
const std::map<std::string_view, const char *> &advices() {
  static const auto &all = *new std::map<std::string_view, const char *>{
      {"printf", "; a kernel can't print: write the value to a buffer"},
      {"puts", "; a kernel can't print: write the value to a buffer"},
      {"fprintf", "; a kernel can't print: write the value to a buffer"},
      {"assert", "; a kernel can't end the program: write an error code to a buffer"},
      {"malloc", kNoMemory},
      {"calloc", kNoMemory},
      {"free", kNoMemory},
      {"memcpy", kNoLibrary},
      {"memset", kNoLibrary},
      {"size_t", "; use int, the type of ids and sizes, or nexus_uint64"},
      {"ptrdiff_t", "; use int or nexus_int64"},
      {"uint", "; use nexus_uint32"},
      {"uchar", "; use nexus_uint8"},
      {"ushort", "; use nexus_uint16"},
      {"ulong", "; use nexus_uint64"},
      {"true", "; use 1"},
      {"false", "; use 0"},
      {"NULL", "; use 0"},
      {"nullptr", "; use 0"},
      {"abs", "; use nexus_iabs for int, nexus_fabs for float"},
      {"M_PI", "; write 3.14159265f"},
      {"INFINITY", "; write (1.0f / 0.0f)"},
      {"NAN", "; write (0.0f / 0.0f)"},
      {"fmin", "; use nexus_min"},
      {"fmax", "; use nexus_max"},
      {"threadIdx", "; use nexus_local_id(0)"},
      {"blockIdx", "; use nexus_group_id(0)"},
      {"blockDim", "; use nexus_group_size(0)"},
      {"gridDim", "; use nexus_group_count(0)"},
      {"get_global_id", "; use nexus_global_id"},
      {"get_local_id", "; use nexus_local_id"},
      {"get_group_id", "; use nexus_group_id"},
      {"get_global_size", "; use nexus_launch_size"},
      {"get_local_size", "; use nexus_group_size"},
      {"get_num_groups", "; use nexus_group_count"},
      {"atomicAdd", "; use nexus_atomic_add"},
      {"atomicMin", "; use nexus_atomic_min"},
      {"atomicMax", "; use nexus_atomic_max"},
      {"atomicExch", "; use nexus_atomic_exchange"},
      {"atomicCAS", "; use nexus_atomic_compare_exchange"},
      {"__syncthreads", "; use nexus_barrier"},
      {"__global__", kKernel},
      {"__kernel", kKernel},
      {"kernel", kKernel},
      {"KERNEL", kKernel},
      {"nexus_kernel", kKernel},
      {"global", "; use NEXUS_GLOBAL"},
      {"__device__", "; use NEXUS_FUNCTION"},
      {"__shared__", "; declare the array as a parameter: (NEXUS_LOCAL type, name, count)"},
      {"__local", "; use NEXUS_LOCAL"},
      {"__global", "; use NEXUS_GLOBAL"},
      {"__constant", "; use NEXUS_CONSTANT"},
      {"__constant__", "; use NEXUS_CONSTANT_DATA"},
      {"__restrict__", "; use NEXUS_RESTRICT"},
  };
  return all;
}

// Returns "; use nexus_sqrt" for "sqrt", "sqrtf" and "__sqrtf", nexus_int32 for "int32_t",
// nexus_max for "fmaxf"; empty if the language has none.
std::string equivalent(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  if (name.size() < 2) {  // else x would match nexus_x
    return {};
  }
  for (const std::string_view end : {"", "f", "_t"}) {
    if (!name.ends_with(end)) continue;
    const std::string_view begin = name.substr(0, name.size() - end.size());
    if (const std::string ours = "nexus_" + std::string(begin); isKernelName(ours)) {
      return "; use " + ours;
    }
    if (const auto found = advices().find(begin); found != advices().end()) return found->second;
  }
  return {};
}

std::string nearKernelName(std::string_view name) {
  const std::string prefix(name.substr(0, kPrefixSize));
  std::vector<std::string> ends;
  for (const std::string &known : languageNames()) {
    if (known.starts_with(prefix) && known != name) ends.push_back(known.substr(kPrefixSize));
  }
  const std::vector<std::string> near = nearNames(name.substr(kPrefixSize), ends);
  return near.empty() ? "" : "; did you mean " + prefix + near.front() + "?";
}

}  // namespace

bool isKernelName(std::string_view name) {
  return languageNames().contains(name);
}

bool isForeignKeyword(std::string_view name) {
  return name.starts_with("__") && advices().contains(name);
}

bool isForeignKernel(std::string_view name) {
  const auto found = advices().find(name);
  return found != advices().end() && found->second == kKernel;
}

std::optional<std::size_t> kernelMacroParameters(std::string_view name) {
  static const auto &all = []() -> const std::map<std::string, std::size_t, std::less<>> & {
    auto *counts = new std::map<std::string, std::size_t, std::less<>>;
    for (const EmbeddedText &file : embeddedKernelHeaders()) {
      for (const Directive &directive : directivesOf(*kernelHeaderText(file.name)).list) {
        if (const auto count = macroParameters(directive); count) {
          counts->emplace(definedName(directive), *count);
        }
      }
    }
    return *counts;
  }();
  const auto found = all.find(name);
  return isKernelName(name) && found != all.end() ? std::optional(found->second) : std::nullopt;
}

std::string adviceOn(std::string_view name) {
  if (const auto found = advices().find(name); found != advices().end()) return found->second;
  if (hasKernelPrefix(name)) return nearKernelName(name);
  return equivalent(name);
}

}  // namespace nexus::core
