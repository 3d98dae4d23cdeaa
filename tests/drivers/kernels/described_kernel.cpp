// SPDX-License-Identifier: Apache-2.0
#include "described_kernel.hpp"

#include "form.hpp"

#include <dlfcn.h>
#include <link.h>
#include <map>
#include <stdexcept>
#include <utility>

namespace simulated_kernels {
namespace {

// The initial bytes of a variable of the object; empty if it has none of that name.
std::string variable(void *library, const std::string &name) {
  const void *const address = dlsym(library, name.c_str());
  Dl_info info{};
  ElfW(Sym) *symbol = nullptr;
  if (address == nullptr ||
      dladdr1(address, &info, reinterpret_cast<void **>(&symbol), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr) {
    return {};
  }
  return {static_cast<const char *>(address), symbol->st_size};
}

}  // namespace

std::vector<DescribedKernel> kernels_in(const std::string &path) {
  void *const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto *image =
      static_cast<const nexus_simulated_image *>(dlsym(library, "nexus_simulated_image"));
  std::multimap<unsigned, DescribedKernel> ordered;
  const std::vector<std::string> names =
      image == nullptr ? std::vector<std::string>() : kernel_names(*image);
  for (size_t i = 0; i < names.size(); ++i) {
    const nexus_simulated_kernel &from = *image->begin[i];
    DescribedKernel kernel{names[i], {}, from.parameter_bytes, from.max_threads, {}};
    for (unsigned each = 0; each < from.parameter_count; ++each) {
      kernel.parameters.push_back({static_cast<uint32_t>(from.offsets[each]),
                                   static_cast<uint32_t>(from.sizes[each]), from.pointers[each]});
    }
    kernel.description = variable(library, "nexus_kernel_" + names[i]);
    ordered.emplace(from.index, std::move(kernel));
  }
  dlclose(library);
  std::vector<DescribedKernel> kernels;
  for (auto &[index, kernel] : ordered) kernels.push_back(std::move(kernel));
  return kernels;
}

}  // namespace simulated_kernels
