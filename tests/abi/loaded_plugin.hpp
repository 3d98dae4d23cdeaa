// SPDX-License-Identifier: Apache-2.0
// A plug-in that a test opened by its path.
#ifndef TESTS_ABI_LOADED_PLUGIN_HPP_
#define TESTS_ABI_LOADED_PLUGIN_HPP_

#include <dlfcn.h>
#include <nexus-api/nxs_functions.h>

#include <cstdio>
#include <cstdlib>

struct LoadedPlugin {
  nxs_functions functions{};
  nxs_plugin plugin{};

  LoadedPlugin(const char *path, int flags, const nxs_host &host) {
    void *library = dlopen(path, RTLD_NOW | flags);
    if (library == nullptr) stop(dlerror());
    auto *query = reinterpret_cast<nxsQueryPlugin_fn>(dlsym(library, "nxsQueryPlugin"));
    if (query == nullptr) stop("there is no nxsQueryPlugin");
    functions.struct_size = sizeof(functions);
    plugin.struct_size = sizeof(plugin);
    plugin.functions = &functions;
    if (query(&host, &plugin) != NXS_Success) stop("nxsQueryPlugin failed");
  }

  [[noreturn]] static void stop(const char *why) {
    std::fprintf(stderr, "%s\n", why);
    std::exit(2);
  }

  nxs_completion wait(nxs_id stream, nxs_ticket ticket = 0) const {
    nxs_completion out{};
    out.struct_size = sizeof(out);
    do {
      if (functions.WaitStream(stream, ticket, UINT64_C(1000000000), &out) != NXS_Success) {
        stop("nxsWaitStream failed");
      }
    } while (out.state == NXS_CompletionState_Running);
    return out;
  }

  template <class Get>
  static int64_t number(Get get, nxs_id object, nxs_property property) {
    int64_t number = -1;
    nxs_value value{};
    value.struct_size = sizeof(value);
    value.data = &number;
    value.capacity = sizeof(number);
    return get(object, property, &value) == NXS_Success ? number : -1;
  }
};

#endif  // TESTS_ABI_LOADED_PLUGIN_HPP_
