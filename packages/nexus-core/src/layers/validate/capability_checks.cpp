// SPDX-License-Identifier: Apache-2.0
//
// Compares the capabilities that a plug-in claims with what it does.
#include "host/function_list.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// A function that a capability is for.
struct Claim {
  nxs_capability capability;
  std::string_view function;  // without "nxs"
  // Returns whether a call needs the capability.
  bool (*needs)(const Given &given) = [](const Given &) { return true; };
};

constexpr Claim kClaims[] = {
    {NXS_Capability_HostVisibleMemory, "MapBuffer"},
    {NXS_Capability_HostVisibleMemory, "UnmapBuffer"},
    {NXS_Capability_Timing, "GetElapsedTime"},
    {NXS_Capability_Timing, "CreateEvent",
     [](const Given &given) { return (given.settings & NXS_ExecutionSettings_Timing) != 0; }},
    {NXS_Capability_ShareableEvents, "CreateEvent",
     [](const Given &given) { return given.settings == NXS_ExecutionSettings_Shareable; }},
    {NXS_Capability_ShareableEvents, "ExportEvent"},
    {NXS_Capability_ShareableEvents, "ImportEvent"},
    {NXS_Capability_ArgumentInfo, "GetKernelArgument"},
    // Devices may lack clusters.
    {NXS_Capability_Occupancy, "GetKernelOccupancy",
     [](const Given &given) { return given.launch->cluster_size[0] == 0; }},
    {NXS_Capability_HostCallback, "EnqueueHostCallback"},
    {NXS_Capability_NestedSchedule, "CreateScheduleCommand"},
    {NXS_Capability_Branches, "SetCommandPredecessors"},
    {NXS_Capability_Conditions, "StopLoops"},
    {NXS_Capability_Capture, "BeginCapture", [](const Given &) { return false; }},
    {NXS_Capability_Capture, "EndCapture", [](const Given &) { return false; }},
    {NXS_Capability_RowCopies, "CopyRows"},
    {NXS_Capability_LibraryFromMemory, "CreateLibrary"},
    {NXS_Capability_Compile, "CompileProgram", [](const Given &) { return false; }},
    {NXS_Capability_StreamPriority, "CreateStream",
     [](const Given &given) { return given.priority != 0; }},
    {NXS_Capability_ForeignStream, "CreateStreamFromHandle"},
    {NXS_Capability_ForeignMemory, "CreateBufferFromHandle"},
    {NXS_Capability_Globals, "GetGlobal"},
    {NXS_Capability_ShareableMemory, "ExportBuffer"},
    {NXS_Capability_ShareableMemory, "ImportBuffer"},
    {NXS_Capability_ShareableMemory, "CreateBuffer",
     [](const Given &given) { return given.settings == NXS_BufferSettings_Shareable; }},
    {NXS_Capability_ManagedMemory, "CreateBuffer", [](const Given &given) {
       return given.settings == (NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice);
     }}};

std::string nameOf(nxs_capability capability) {
  return "NXS_Capability_" + bitsText("nxs_capability", capability);
}

bool lacks(const nxs_functions &table, std::string_view function) {
  bool lacks = false;
  functions::forEach([&](auto each) {
    lacks = lacks || (each.name.substr(3) == function && table.*each.member == nullptr);
  });
  return lacks;
}

}  // namespace

void checkClaims(Call &call, nxs_status status) {
  if (status != NXS_NotSupported) return;
  const uint64_t capabilities = Locked()->capabilities[call.tag()];
  for (const Claim &claim : kClaims) {
    if (call.is(claim.function) && (capabilities & claim.capability) != 0 &&
        claim.needs(call.given)) {
      call.blame(Message::NotSupported, "it returned NXS_NotSupported, but the plug-in claims ",
                 nameOf(claim.capability));
    }
  }
}

void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table) {
  for (const Claim &claim : kClaims) {
    if ((capabilities & claim.capability) == 0 || !lacks(table, claim.function)) continue;
    report(tag, {},
           {Message::MissingFunction, NXS_InternalError,
            join("it claims ", nameOf(claim.capability), " but has no nxs", claim.function)},
           false);
  }
  Locked()->capabilities[tag] = capabilities;
}

}  // namespace nexus::core::layers::validation
