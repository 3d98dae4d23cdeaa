// SPDX-License-Identifier: Apache-2.0
// A plug-in written with the kit: the reference backend under another name.
//
//   NAME       the backend's name
//   MIN_MINOR  the oldest host that it serves; 0 if it is not defined
#define nxsQueryPlugin nxsQueryReference
#include "nexus_reference.cpp"
#undef nxsQueryPlugin

#ifndef NAME
#define NAME "kit"
#endif
#ifndef MIN_MINOR
#define MIN_MINOR 0
#endif

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);

// Functions of a newer version of the interface, if this is built with its headers.
#ifdef NEWER
extern "C" nxs_status nxsCountStars(nxs_id device, uint64_t *out_stars) {
  return guarded(out_stars, [&] {
    devices.pin(device);
    return uint64_t{42};
  });
}
#endif

extern "C" nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  nxs_functions functions = required_functions();
  functions.GetKernelArgument = nxsGetKernelArgument;
#ifdef NEWER
  functions.CountStars = nxsCountStars;
#endif
  constexpr Identity self{.name = NAME, .version = "1.0.0", .min_minor = MIN_MINOR};
  return query(host, plugin, self, functions, [] {
    const std::vector<nxs_id> all = {devices.create()};
    return start(runtimes, {all, NXS_Capability_LibraryFromMemory});
  });
}
