// SPDX-License-Identifier: Apache-2.0
//
// The C functions that compile a program, describe that, or link one.
#include <nexus/nexus_c.h>

#include <memory>
#include <utility>

#include "base/sink.hpp"
#include "base/text.hpp"
#include "code/object_code.hpp"
#include "compile/code_cache.hpp"
#include "compile/compiler.hpp"
#include "compile/program.hpp"

using namespace nexus::core;

nxs_status nexus_compile(nexus_device *device, nxs_string target, const nexus_program_info *info,
                         nexus_object_code **out_code) {
  return giveResult(out_code, "out_code", [&] {
    const Program program = programOf(info);
    const Target on = targetOf(device, viewOf(target, "target"));
    CachedCode code = codeOf(on, program);
    return make<ObjectCode>(std::move(code.contents), code.origin);
  });
}

nxs_status nexus_describe_compile(nexus_device *device, nxs_string target,
                                  const nexus_program_info *info, const nxs_sink *json) {
  return guarded([&] {
    const Program program = programOf(info);
    const Target on = targetOf(device, viewOf(target, "target"));
    writeTo(json, "json", planOf(on, program).json);
  });
}

nxs_status nexus_link(nexus_device *device, nxs_string target, const nexus_link_info *info,
                      nexus_object_code **out_code) {
  return giveResult(out_code, "out_code", [&] {
    const LinkRequest request = linkRequestOf(info);
    const Target on = targetOf(device, viewOf(target, "target"));
    auto contents = std::make_shared<const CodeContents>(linkCode(on, request));
    return make<ObjectCode>(std::move(contents), NEXUS_CODE_COMPILED);
  });
}
