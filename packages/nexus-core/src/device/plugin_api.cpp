// SPDX-License-Identifier: Apache-2.0
//
// C functions for tests of plug-ins, which return a plug-in as it is.
#include <nexus/nexus_c.h>

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/error_record.hpp"
#include "base/text.hpp"
#include "device/runtime.hpp"
#include "host/host.hpp"
#include "registry/plugin.hpp"

using namespace nexus::core;

namespace {

template <typename Info>
void requireWhole(const Info *out_info, const char *type) {
  requirePointer(out_info, "out_info");
  if (out_info->struct_size < sizeof(Info)) {
    throw Failure(NXS_InvalidValue, "out_info->struct_size is " +
                                        std::to_string(out_info->struct_size) +
                                        "; set it to sizeof(" + type + ").");
  }
}

}  // namespace

nxs_status nexus_runtime_get_plugin(nexus_runtime *runtime, nexus_plugin_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "nexus_plugin_info");
    const Plugin &plugin = given<Runtime>(runtime, "runtime").plugin();
    out_info->functions = plugin.answer->functions;
    out_info->runtime = plugin.runtime;
    out_info->capabilities = plugin.capabilities;
    out_info->thread_model = plugin.thread_model;
    out_info->tag = plugin.tag;
  });
}

nxs_status nexus_get_plugin_error(uint64_t error, nexus_error_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "nexus_error_info");
    const uint64_t id = error == 0 ? threadErrorRecord() : error;
    const std::optional<ErrorRecord> record = findErrorRecord(id);
    if (error == 0) forgetThreadErrorRecord();
    if (!record) {
      throw Failure(NXS_InvalidValue, error == 0 ? std::string("This thread made no error record.")
                                                 : "error is " + std::to_string(error) +
                                                       "; there is no such error record.");
    }
    thread_local std::string text;
    thread_local std::string backend;
    text = record->text;
    backend = backendOfTag(record->tag);
    out_info->status = NXS_Success;
    out_info->native_code = record->native_code;
    out_info->backend = stringOf(backend);
    out_info->text = stringOf(text);
    out_info->log = {nullptr, 0};
  });
}
