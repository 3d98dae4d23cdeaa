// SPDX-License-Identifier: Apache-2.0
//
// The C functions that compile a program, or say how.
#include <nexus/nexus_c.h>

#include "compiler.hpp"
#include "kernel_header.hpp"
#include "object_code.hpp"
#include "program.hpp"
#include "sink.hpp"
#include "target.hpp"
#include "text.hpp"

namespace nexus::core {
namespace {

std::string withHeader(const Program &program) {
  std::string source;
  if (program.isPortable()) {
    source += "#include <nexus_kernel.h>\n";
  }
  return source.append("#line 1 \"").append(program.name).append("\"\n").append(program.source);
}

}  // namespace
}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_compile(nexus_device *device, nxs_string target, const nexus_program_info *info,
                         nexus_object_code **out_code) {
  return guarded([&] {
    requirePointer(out_code, "out_code");
    const Program program = programOf(info);
    const Target on = targetOf(device, viewOf(target, "target"));
    requireCompilable(program);
    CodeContents contents = compileSource(on, program, withHeader(program), planOf(on, program));
    giveOut(make<ObjectCode>(std::make_shared<const CodeContents>(std::move(contents)),
                             NEXUS_CODE_COMPILED),
            out_code);
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
