// SPDX-License-Identifier: Apache-2.0
// The name of each kind of object, and the status for an invalid id of that kind.
#ifndef NEXUS_PLUGIN_OBJECT_TYPE_HPP_
#define NEXUS_PLUGIN_OBJECT_TYPE_HPP_

#include <nexus-api/nxs.h>
#include <nexus-plugin/base/error.hpp>

namespace nexus_plugin NXS_HIDDEN {

constexpr nxs_status invalid_status(nxs_object_type type) noexcept {
  switch (type) {
    case NXS_ObjectType_Runtime:
      return NXS_InvalidRuntime;
    case NXS_ObjectType_Device:
      return NXS_InvalidDevice;
    case NXS_ObjectType_Buffer:
      return NXS_InvalidBuffer;
    case NXS_ObjectType_Library:
      return NXS_InvalidLibrary;
    case NXS_ObjectType_Kernel:
      return NXS_InvalidKernel;
    case NXS_ObjectType_Stream:
      return NXS_InvalidStream;
    case NXS_ObjectType_Event:
      return NXS_InvalidEvent;
    case NXS_ObjectType_Schedule:
      return NXS_InvalidSchedule;
    case NXS_ObjectType_Command:
      return NXS_InvalidCommand;
    default:
      return NXS_InvalidObject;
  }
}

constexpr const char *object_name(nxs_object_type type) noexcept {
  switch (type) {
    case NXS_ObjectType_Runtime:
      return "runtime";
    case NXS_ObjectType_Device:
      return "device";
    case NXS_ObjectType_Buffer:
      return "buffer";
    case NXS_ObjectType_Library:
      return "library";
    case NXS_ObjectType_Kernel:
      return "kernel";
    case NXS_ObjectType_Stream:
      return "stream";
    case NXS_ObjectType_Event:
      return "event";
    case NXS_ObjectType_Schedule:
      return "schedule";
    case NXS_ObjectType_Command:
      return "command";
    default:
      return "object";
  }
}

// Throws the status for an invalid id of the type. The text says which part of the id is wrong.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_invalid_id(nxs_id id,
                                                                    nxs_object_type type) {
  const char *wanted = object_name(type);
  const nxs_status status = invalid_status(type);
  if (id == 0) throw Error(status, "the ", wanted, " is 0, which is never an id");
  if (id < 0) {
    throw Error(status, "the ", wanted, " is ", id, "; a negative number is never an id");
  }
  if (NXS_ID_TYPE(id) != type) {
    throw Error(status, "the id ", id, " names a ", object_name(NXS_ID_TYPE(id)), ", not a ",
                wanted);
  }
  if (NXS_ID_TAG(id) != host_tag()) {
    throw Error(status, "the ", wanted, " ", id,
                " belongs to another backend; use one that this backend made");
  }
  throw Error(status, "the ", wanted, " ", id, " was released or never made");
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_OBJECT_TYPE_HPP_
