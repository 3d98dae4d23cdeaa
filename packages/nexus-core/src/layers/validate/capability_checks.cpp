// SPDX-License-Identifier: Apache-2.0
//
// Compares the capabilities that a plug-in claims with what it does.
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// A function that a capability is for.
struct Claim {
  nxs_capability capability;
  std::string_view name;
  std::string_view function;
  bool (*missing)(const nxs_functions &table);  // NULL: every plug-in has the function
  bool (*asked)(const Given &given);            // whether a call needs the capability; NULL: always
};

#define NXV_CLAIM(capability, function, asked) \
  {NXS_Capability_##capability, #capability, #function, nullptr, asked}
#define NXV_OPTIONAL(capability, function, asked)       \
  {NXS_Capability_##capability, #capability, #function, \
   [](const nxs_functions &table) { return table.function == nullptr; }, asked}
constexpr Claim kClaims[] = {
    NXV_OPTIONAL(HostVisibleMemory, MapBuffer, nullptr),
    NXV_OPTIONAL(HostVisibleMemory, UnmapBuffer, nullptr),
    NXV_OPTIONAL(Timing, GetElapsedTime, nullptr),
    NXV_CLAIM(
        Timing, CreateEvent,
        [](const Given &given) { return (given.settings & NXS_ExecutionSettings_Timing) != 0; }),
    NXV_CLAIM(ShareableEvents, CreateEvent,
              [](const Given &given) { return given.settings == NXS_ExecutionSettings_Shareable; }),
    NXV_OPTIONAL(ShareableEvents, ExportEvent, nullptr),
    NXV_OPTIONAL(ShareableEvents, ImportEvent, nullptr),
    NXV_OPTIONAL(ArgumentInfo, GetKernelArgument, nullptr),
    // Devices may lack clusters.
    NXV_OPTIONAL(Occupancy, GetKernelOccupancy,
                 [](const Given &given) { return given.launch->cluster_size[0] == 0; }),
    NXV_OPTIONAL(HostCallback, EnqueueHostCallback, nullptr),
    NXV_OPTIONAL(NestedSchedule, CreateScheduleCommand, nullptr),
    NXV_CLAIM(LibraryFromMemory, CreateLibrary, nullptr),
    NXV_OPTIONAL(Compile, CompileProgram, [](const Given &) { return false; }),
    NXV_CLAIM(StreamPriority, CreateStream, [](const Given &given) { return given.priority != 0; }),
    NXV_OPTIONAL(ForeignStream, CreateStreamFromHandle, nullptr),
    NXV_OPTIONAL(ForeignMemory, CreateBufferFromHandle, nullptr),
    NXV_OPTIONAL(ShareableMemory, ExportBuffer, nullptr),
    NXV_OPTIONAL(ShareableMemory, ImportBuffer, nullptr),
    NXV_CLAIM(ShareableMemory, CreateBuffer,
              [](const Given &given) { return given.settings == NXS_BufferSettings_Shareable; }),
    NXV_CLAIM(ManagedMemory, CreateBuffer, [](const Given &given) {
      return given.settings == (NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice);
    })};
#undef NXV_CLAIM
#undef NXV_OPTIONAL

}  // namespace

void checkClaims(Call &call, nxs_status status) {
  if (status != NXS_NotSupported) return;
  const uint64_t capabilities = Locked()->capabilities[call.tag()];
  for (const Claim &claim : kClaims) {
    if (call.is(claim.function) && (capabilities & claim.capability) != 0 &&
        (claim.asked == nullptr || claim.asked(call.given))) {
      call.blame(
          Message::NotSupported,
          join("it returned NXS_NotSupported, and the plug-in claims NXS_Capability_", claim.name));
    }
  }
}

void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table) {
  for (const Claim &claim : kClaims) {
    if ((capabilities & claim.capability) != 0 && claim.missing != nullptr &&
        claim.missing(table)) {
      report(tag, {},
             {Message::MissingFunction, NXS_InternalError,
              join("it claims NXS_Capability_", claim.name, " and has no nxs", claim.function)},
             false);
    }
  }
  Locked()->capabilities[tag] = capabilities;
}

}  // namespace nexus::core::layers::validation
