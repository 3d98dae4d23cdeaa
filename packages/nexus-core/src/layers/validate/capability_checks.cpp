// SPDX-License-Identifier: Apache-2.0
//
// Capability bits against what the plug-in does.
#include "layers/validate/capability_checks.hpp"

#include "layers/validate/function_checks.hpp"
#include "layers/validate/words.hpp"

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

// The plug-in refuses what it claims to be able to.
void checkClaim(Call &call, nxs_status status, nxs_capability capability) {
  if (status == NXS_NotSupported && call.claims(capability)) {
    call.blame(Message::NotSupported,
               words("it returned NXS_NotSupported, and the plug-in claims ", nameOf(capability)));
  }
}

}  // namespace

void refused(Call &call, f::MapBuffer, nxs_status status, nxs_id, const nxs_buffer_range *,
             nxs_map_access, void **, nxs_ticket *) {
  checkClaim(call, status, NXS_Capability_HostVisibleMemory);
}

void refused(Call &call, f::UnmapBuffer, nxs_status status, nxs_id, nxs_id, void *, nxs_ticket *) {
  checkClaim(call, status, NXS_Capability_HostVisibleMemory);
}

void refused(Call &call, f::GetElapsedTime, nxs_status status, nxs_id, nxs_id, double *) {
  checkClaim(call, status, NXS_Capability_Timing);
}

void refused(Call &call, f::CreateEvent, nxs_status status, nxs_id, nxs_execution_settings settings,
             nxs_id *) {
  if ((settings & NXS_ExecutionSettings_Timing) != 0) {
    checkClaim(call, status, NXS_Capability_Timing);
  }
  if (settings == NXS_ExecutionSettings_Shareable) {
    checkClaim(call, status, NXS_Capability_ShareableEvents);
  }
}

void refused(Call &call, f::ExportEvent, nxs_status status, nxs_id, const nxs_sink *) {
  checkClaim(call, status, NXS_Capability_ShareableEvents);
}

void refused(Call &call, f::ImportEvent, nxs_status status, nxs_id, const void *, uint64_t,
             nxs_id *) {
  checkClaim(call, status, NXS_Capability_ShareableEvents);
}

void refused(Call &call, f::GetKernelArgument, nxs_status status, nxs_id, uint32_t,
             nxs_argument_info *) {
  checkClaim(call, status, NXS_Capability_ArgumentInfo);
}

// Clusters are a matter of the device.
void refused(Call &call, f::GetKernelOccupancy, nxs_status status, nxs_id, const nxs_launch *launch,
             nxs_occupancy *) {
  if (launch->cluster_size[0] == 0) checkClaim(call, status, NXS_Capability_Occupancy);
}

void refused(Call &call, f::EnqueueHostCallback, nxs_status status, nxs_id,
             void (*)(void *, nxs_status), void *, nxs_ticket *) {
  checkClaim(call, status, NXS_Capability_HostCallback);
}

void refused(Call &call, f::CreateScheduleCommand, nxs_status status, nxs_id, nxs_id, nxs_id *) {
  checkClaim(call, status, NXS_Capability_NestedSchedule);
}

void refused(Call &call, f::CreateLibrary, nxs_status status, nxs_id, const void *, uint64_t,
             nxs_id *) {
  checkClaim(call, status, NXS_Capability_LibraryFromMemory);
}

void refused(Call &call, f::CreateStream, nxs_status status, nxs_id, int32_t priority, nxs_id *) {
  if (priority != 0) checkClaim(call, status, NXS_Capability_StreamPriority);
}

void refused(Call &call, f::CreateStreamFromHandle, nxs_status status, nxs_id, uint64_t, nxs_id *) {
  checkClaim(call, status, NXS_Capability_ForeignStream);
}

void refused(Call &call, f::CreateBufferFromHandle, nxs_status status, nxs_id, uint64_t, uint64_t,
             uint64_t, nxs_id *) {
  checkClaim(call, status, NXS_Capability_ForeignMemory);
}

void refused(Call &call, f::ExportBuffer, nxs_status status, nxs_id, const nxs_sink *) {
  checkClaim(call, status, NXS_Capability_ShareableMemory);
}

void refused(Call &call, f::ImportBuffer, nxs_status status, nxs_id, const void *, uint64_t,
             nxs_id *) {
  checkClaim(call, status, NXS_Capability_ShareableMemory);
}

void refused(Call &call, f::CreateBuffer, nxs_status status, nxs_id, uint64_t,
             nxs_buffer_settings settings, void *, nxs_id *) {
  if (settings == (NXS_BufferSettings_OnHost | NXS_BufferSettings_OnDevice)) {
    checkClaim(call, status, NXS_Capability_ManagedMemory);
  }
  if (settings == NXS_BufferSettings_Shareable) {
    checkClaim(call, status, NXS_Capability_ShareableMemory);
  }
}

void noteClaims(uint32_t tag, uint64_t capabilities, const nxs_functions &table) {
  struct Need {
    nxs_capability capability;
    bool missing;
    std::string_view function;
  };
  const Need needs[] = {
      {NXS_Capability_HostVisibleMemory, table.MapBuffer == nullptr, "nxsMapBuffer"},
      {NXS_Capability_HostVisibleMemory, table.UnmapBuffer == nullptr, "nxsUnmapBuffer"},
      {NXS_Capability_Timing, table.GetElapsedTime == nullptr, "nxsGetElapsedTime"},
      {NXS_Capability_ArgumentInfo, table.GetKernelArgument == nullptr, "nxsGetKernelArgument"},
      {NXS_Capability_Occupancy, table.GetKernelOccupancy == nullptr, "nxsGetKernelOccupancy"},
      {NXS_Capability_HostCallback, table.EnqueueHostCallback == nullptr, "nxsEnqueueHostCallback"},
      {NXS_Capability_NestedSchedule, table.CreateScheduleCommand == nullptr,
       "nxsCreateScheduleCommand"},
      {NXS_Capability_Compile, table.CompileProgram == nullptr, "nxsCompileProgram"},
      {NXS_Capability_ForeignMemory, table.CreateBufferFromHandle == nullptr,
       "nxsCreateBufferFromHandle"},
      {NXS_Capability_ForeignStream, table.CreateStreamFromHandle == nullptr,
       "nxsCreateStreamFromHandle"},
      {NXS_Capability_ShareableMemory, table.ExportBuffer == nullptr, "nxsExportBuffer"},
      {NXS_Capability_ShareableMemory, table.ImportBuffer == nullptr, "nxsImportBuffer"},
      {NXS_Capability_ShareableEvents, table.ExportEvent == nullptr, "nxsExportEvent"},
      {NXS_Capability_ShareableEvents, table.ImportEvent == nullptr, "nxsImportEvent"}};
  for (const Need &need : needs) {
    if ((capabilities & need.capability) != 0 && need.missing) {
      report(tag, {},
             {Message::MissingFunction, NXS_InternalError,
              words("it claims ", nameOf(need.capability), " and has no ", need.function)},
             false);
    }
  }
  const Locked objects;
  objects->capabilities[tag] = capabilities;
}

}  // namespace nexus::core::layers::validation
