// SPDX-License-Identifier: Apache-2.0
//
// Capability bits against what the plug-in does.
#include "layers/validate/checks.hpp"

namespace nexus::core::layers::validation {
namespace {

std::string_view nameOf(nxs_capability capability) {
#define NEXUS_VALIDATE_CAPABILITY(name, number) \
  if (capability == uint64_t{1} << (number)) {  \
    return "NXS_Capability_" #name;             \
  }
  NXS_FOR_EACH_Capability(NEXUS_VALIDATE_CAPABILITY)
#undef NEXUS_VALIDATE_CAPABILITY
      return "a capability";
}

bool always(const Given &) {
  return true;
}

// The functions that a capability is for.
struct Claim {
  nxs_capability capability;
  std::string_view function;
  bool (*of_it)(const Given &given) = always;             // whether a call asks for the capability
  bool (*missing)(const nxs_functions &table) = nullptr;  // NULL: every plug-in has the function
};

#define NEXUS_VALIDATE_OPTIONAL(function) \
  [](const nxs_functions &table) { return table.function == nullptr; }
constexpr Claim kClaims[] = {
    {NXS_Capability_HostVisibleMemory, "MapBuffer", always, NEXUS_VALIDATE_OPTIONAL(MapBuffer)},
    {NXS_Capability_HostVisibleMemory, "UnmapBuffer", always, NEXUS_VALIDATE_OPTIONAL(UnmapBuffer)},
    {NXS_Capability_Timing, "GetElapsedTime", always, NEXUS_VALIDATE_OPTIONAL(GetElapsedTime)},
    {NXS_Capability_Timing, "CreateEvent",
     [](const Given &given) { return (given.settings & NXS_ExecutionSettings_Timing) != 0; }},
    {NXS_Capability_ShareableEvents, "CreateEvent",
     [](const Given &given) { return given.settings == NXS_ExecutionSettings_Shareable; }},
    {NXS_Capability_ShareableEvents, "ExportEvent", always, NEXUS_VALIDATE_OPTIONAL(ExportEvent)},
    {NXS_Capability_ShareableEvents, "ImportEvent", always, NEXUS_VALIDATE_OPTIONAL(ImportEvent)},
    {NXS_Capability_ArgumentInfo, "GetKernelArgument", always,
     NEXUS_VALIDATE_OPTIONAL(GetKernelArgument)},
    {NXS_Capability_Occupancy, "GetKernelOccupancy",  // clusters are a matter of the device
     [](const Given &given) { return given.launch->cluster_size[0] == 0; },
     NEXUS_VALIDATE_OPTIONAL(GetKernelOccupancy)},
    {NXS_Capability_HostCallback, "EnqueueHostCallback", always,
     NEXUS_VALIDATE_OPTIONAL(EnqueueHostCallback)},
    {NXS_Capability_NestedSchedule, "CreateScheduleCommand", always,
     NEXUS_VALIDATE_OPTIONAL(CreateScheduleCommand)},
    {NXS_Capability_LibraryFromMemory, "CreateLibrary"},
    {NXS_Capability_Compile, "CompileProgram", [](const Given &) { return false; },
     NEXUS_VALIDATE_OPTIONAL(CompileProgram)},
    {NXS_Capability_StreamPriority, "CreateStream",
     [](const Given &given) { return given.priority != 0; }},
    {NXS_Capability_ForeignStream, "CreateStreamFromHandle", always,
     NEXUS_VALIDATE_OPTIONAL(CreateStreamFromHandle)},
    {NXS_Capability_ForeignMemory, "CreateBufferFromHandle", always,
     NEXUS_VALIDATE_OPTIONAL(CreateBufferFromHandle)},
    {NXS_Capability_ShareableMemory, "ExportBuffer", always, NEXUS_VALIDATE_OPTIONAL(ExportBuffer)},
    {NXS_Capability_ShareableMemory, "ImportBuffer", always, NEXUS_VALIDATE_OPTIONAL(ImportBuffer)},
    {NXS_Capability_ShareableMemory, "CreateBuffer",
     [](const Given &given) { return given.settings == NXS_BufferSettings_Shareable; }},
    {NXS_Capability_ManagedMemory, "CreateBuffer", [](const Given &given) {
       return given.settings == (NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice);
     }}};
#undef NEXUS_VALIDATE_OPTIONAL

}  // namespace

void checkClaims(Call &call, nxs_status status) {
  if (status != NXS_NotSupported) return;
  for (const Claim &claim : kClaims) {
    if (call.is(claim.function) && claim.of_it(call.given) && call.claims(claim.capability)) {
      call.blame(
          Message::NotSupported,
          join("it returned NXS_NotSupported, and the plug-in claims ", nameOf(claim.capability)));
    }
  }
}

void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table) {
  for (const Claim &claim : kClaims) {
    if ((capabilities & claim.capability) != 0 && claim.missing != nullptr &&
        claim.missing(table)) {
      report(tag, {},
             {Message::MissingFunction, NXS_InternalError,
              join("it claims ", nameOf(claim.capability), " and has no nxs", claim.function)},
             false);
    }
  }
  const Locked objects;
  objects->capabilities[tag] = capabilities;
}

}  // namespace nexus::core::layers::validation
