// SPDX-License-Identifier: Apache-2.0
//
// A plug-in's table that does nothing but answer, as a test wants it.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fake {

struct Answers {
  nxs_status status = NXS_Success;  // of each call but of those that read properties
  bool silent = false;              // a failure makes no error record
  bool writes = true;               // results, on success
  bool writes_on_failure = false;
  nxs_ticket ticket = 0;  // the newest; each submission gives the next
  bool grows = true;
  nxs_completion_state state = NXS_CompletionState_Completed;
  nxs_ticket completed = 0;
  nxs_id id = 0;  // of new objects, instead of a good one
  double elapsed = 5;
  nxs_value_type size_type = NXS_ValueType_Int;
  std::vector<int64_t> keys{NP_Name, NP_Size, NP_Keys};
  bool has_name = true;
  std::string_view declaration = "float *";  // of a kernel's first argument
  uint32_t next_index = 1;
};

inline Answers answers;

inline nxs_status finish() {
  if (answers.status != NXS_Success && !answers.silent) {
    nexus::core::makeErrorRecord(0, 0, "the fake plug-in refuses");
  }
  return answers.status;
}

inline bool writes() {
  return answers.status == NXS_Success ? answers.writes : answers.writes_on_failure;
}

inline nxs_status make(nxs_id parent, nxs_object_type type, nxs_id *out) {
  const nxs_id good = NXS_ID_MAKE(type, NXS_ID_TAG(parent), 1, answers.next_index++);
  if (writes()) *out = answers.id != 0 ? answers.id : good;
  return finish();
}

inline nxs_status submit(nxs_ticket *out) {
  if (answers.grows) ++answers.ticket;
  if (writes()) *out = answers.ticket;
  return finish();
}

inline nxs_status complete(nxs_completion *out) {
  if (writes()) {
    out->state = answers.state;
    out->completed = answers.completed;
  }
  return finish();
}

inline nxs_status write(nxs_value *out, nxs_value_type type, const void *data, uint64_t size) {
  out->type = type;
  out->size = size;
  if (size <= out->capacity) std::memcpy(out->data, data, size);
  return NXS_Success;
}

inline nxs_status writeNumber(nxs_value *out, nxs_value_type type, int64_t number) {
  return write(out, type, &number, sizeof(number));
}

inline nxs_status property(nxs_id, nxs_property property, nxs_value *out) {
  switch (property) {
    case NP_Keys:
      return write(out, NXS_ValueType_IntVec, answers.keys.data(),
                   answers.keys.size() * sizeof(int64_t));
    case NP_Name:
      if (answers.has_name) return write(out, NXS_ValueType_Str, "fake", 4);
      break;
    case NP_Size:
      return writeNumber(out, answers.size_type, 1);
    case NP_MaxBufferSize:
    case NP_MaxThreadgroupMemorySize:
      return writeNumber(out, NXS_ValueType_Int, 4096);
    case NP_MaxThreadsPerBlock:
      return writeNumber(out, NXS_ValueType_Int, 64);
    case NP_BufferOffsetAlignment:
      return writeNumber(out, NXS_ValueType_Int, 16);
    case NP_Count:
      return writeNumber(out, NXS_ValueType_Int, 2);
    default:
      break;
  }
  nexus::core::makeErrorRecord(0, 0, "there is no such property");
  return NXS_InvalidProperty;
}

inline nxs_status describe(nxs_id, uint32_t index, nxs_argument_info *out) {
  out->kind = index == 0 ? NXS_ArgumentKind_Buffer : NXS_ArgumentKind_Scalar;
  out->size = index == 0 ? 0 : 4;
  out->type = {answers.declaration.data(), index == 0 ? answers.declaration.size() : 0};
  return NXS_Success;
}

inline nxs_functions table() {
  nxs_functions own{};
  own.GetRuntimeProperty = own.GetDeviceProperty = own.GetBufferProperty = property;
  own.GetLibraryProperty = own.GetKernelProperty = own.GetStreamProperty = property;
  own.GetEventProperty = own.GetScheduleProperty = own.GetCommandProperty = property;
  own.GetDevice = [](nxs_id id, uint32_t, nxs_id *out) {
    return make(id, NXS_ObjectType_Device, out);
  };
  own.CreateBuffer = [](nxs_id id, uint64_t, nxs_buffer_settings, void *, nxs_id *out) {
    return make(id, NXS_ObjectType_Buffer, out);
  };
  own.CreateLibrary = [](nxs_id id, const void *, uint64_t, nxs_id *out) {
    return make(id, NXS_ObjectType_Library, out);
  };
  own.CreateLibraryFromFile = [](nxs_id id, const nxs_string *, nxs_id *out) {
    return make(id, NXS_ObjectType_Library, out);
  };
  own.GetKernel = [](nxs_id id, const nxs_string *, nxs_id *out) {
    return make(id, NXS_ObjectType_Kernel, out);
  };
  own.CreateStream = [](nxs_id id, int32_t, nxs_id *out) {
    return make(id, NXS_ObjectType_Stream, out);
  };
  own.CreateEvent = [](nxs_id id, nxs_execution_settings, nxs_id *out) {
    return make(id, NXS_ObjectType_Event, out);
  };
  own.ImportEvent = [](nxs_id id, const void *, uint64_t, nxs_id *out) {
    return make(id, NXS_ObjectType_Event, out);
  };
  own.CreateSchedule = [](nxs_id id, nxs_id *out) {
    return make(id, NXS_ObjectType_Schedule, out);
  };
  own.CreateCommand = [](nxs_id id, nxs_id, nxs_id *out) {
    return make(id, NXS_ObjectType_Command, out);
  };
  own.CreateScheduleCommand = own.CreateCommand;
  own.CreateCopyCommand = [](nxs_id id, const nxs_buffer_range *, const nxs_buffer_range *,
                             nxs_id *out) { return make(id, NXS_ObjectType_Command, out); };
  own.CreateFillCommand = [](nxs_id id, const nxs_buffer_range *, const void *, uint64_t,
                             nxs_id *out) { return make(id, NXS_ObjectType_Command, out); };
  own.ReleaseBuffer = own.ReleaseLibrary = own.ReleaseKernel = [](nxs_id) { return finish(); };
  own.ReleaseStream = own.ReleaseEvent = own.ReleaseSchedule = own.ReleaseBuffer;
  own.ReleaseCommand = own.ReleaseBuffer;
  own.GetKernelArgument = describe;
  own.SetCommandArgument = [](nxs_id, uint32_t, const nxs_argument *) { return finish(); };
  own.FinalizeCommand = [](nxs_id, const nxs_launch *) { return finish(); };
  own.CopyBuffer = [](nxs_id, uint64_t, void *, uint64_t, nxs_id, nxs_ticket *out) {
    return submit(out);
  };
  own.WriteBuffer = [](nxs_id, uint64_t, const void *, uint64_t, nxs_id, nxs_ticket *out) {
    return submit(out);
  };
  own.TransferBuffer = [](nxs_id, const nxs_buffer_range *, const nxs_buffer_range *,
                          nxs_ticket *out) { return submit(out); };
  own.FillBuffer = [](nxs_id, const nxs_buffer_range *, const void *, uint64_t, nxs_ticket *out) {
    return submit(out);
  };
  own.UnmapBuffer = [](nxs_id, nxs_id, void *, nxs_ticket *out) { return submit(out); };
  own.RunSchedule = [](nxs_id, nxs_id, nxs_execution_settings, nxs_ticket *out) {
    return submit(out);
  };
  own.SignalEvent = own.WaitEvent = [](nxs_id, nxs_id, nxs_ticket *out) { return submit(out); };
  own.QueryStream = [](nxs_id, nxs_ticket, nxs_completion *out) { return complete(out); };
  own.WaitStream = [](nxs_id, nxs_ticket, uint64_t, nxs_completion *out) { return complete(out); };
  own.QueryEvent = [](nxs_id, nxs_completion *out) { return complete(out); };
  own.SynchronizeEvent = [](nxs_id, uint64_t, nxs_completion *out) { return complete(out); };
  own.GetElapsedTime = [](nxs_id, nxs_id, double *out) {
    if (writes()) *out = answers.elapsed;
    return finish();
  };
  return own;
}

}  // namespace fake
