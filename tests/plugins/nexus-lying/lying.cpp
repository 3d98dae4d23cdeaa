// SPDX-License-Identifier: Apache-2.0
// The reference backend, which breaks one promise: the one that the key `lie` names.
#define nxsQueryPlugin nxsQueryReference
#include "../nexus-reference/nexus_reference.cpp"
#undef nxsQueryPlugin

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);

namespace lying NXS_HIDDEN {
namespace {

using namespace nexus_plugin;

nxs_functions real;  // what the reference backend answered

bool lies(std::string_view about) {
  return get_config("lie") == about;
}

nxs_status fill(nxs_id stream, const nxs_buffer_range *range, const void *pattern, uint64_t size,
                nxs_ticket *out_ticket) {
  nxs_ticket ticket = 0;
  if (lies("silent")) return NXS_OutOfResources;
  const nxs_status status = real.FillBuffer(stream, range, pattern, size, &ticket);
  if (status == NXS_Success && !lies("unwritten")) *out_ticket = lies("ticket") ? 1 : ticket;
  return status;
}

nxs_status query(nxs_id stream, nxs_ticket ticket, nxs_completion *out_completion) {
  const nxs_status status = real.QueryStream(stream, ticket, out_completion);
  if (status == NXS_Success && lies("completed")) out_completion->completed = 1'000'000;
  return status;
}

nxs_status wait(nxs_id stream, nxs_ticket ticket, uint64_t timeout, nxs_completion *out) {
  static std::atomic<int> waits{0};
  const nxs_status status = real.WaitStream(stream, ticket, timeout, out);
  if (status == NXS_Success && lies("early") && waits++ == 0) {
    out->state = NXS_CompletionState_Running;
    out->completed = 0;
  }
  return status;
}

nxs_status property(nxs_id buffer, nxs_property property, nxs_value *out_value) {
  if (property == NP_Keys && lies("keys")) {
    return guarded([&] {
      Value(std::vector<int64_t>{NP_Priority}).write(check_struct(out_value, "out_value"));
    });
  }
  const nxs_status status = real.GetBufferProperty(buffer, property, out_value);
  if (status == NXS_Success && lies("type")) out_value->type = NXS_ValueType_Flt;
  return status;
}

}  // namespace
}  // namespace lying

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_status status = nxsQueryReference(host, plugin);
  if (status != NXS_Success) return status;
  plugin->name = as_nxs("lying");
  lying::real = *plugin->functions;
  plugin->functions->FillBuffer = lying::fill;
  plugin->functions->QueryStream = lying::query;
  plugin->functions->WaitStream = lying::wait;
  plugin->functions->GetBufferProperty = lying::property;
  if (lying::lies("claims")) {
    plugin->capabilities |= NXS_Capability_HostVisibleMemory;
    plugin->functions->MapBuffer = nullptr;
  }
  return status;
}
