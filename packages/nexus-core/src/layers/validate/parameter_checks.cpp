// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/parameter_checks.hpp"

#include <nexus-plugin/compile.hpp>
#include <nexus-plugin/compile_checks.hpp>

namespace nexus::core::layers::validation {
namespace {

struct Enumeration {
  std::string_view type;  // in nxs_functions.def
  uint64_t bits;
};

#define NEXUS_VALIDATE_BIT(name, number) | (uint64_t{1} << (number))
constexpr Enumeration kFlags[] = {
    {"nxs_buffer_settings", 0 NXS_FOR_EACH_BufferSettings(NEXUS_VALIDATE_BIT)},
    {"nxs_execution_settings", 0 NXS_FOR_EACH_ExecutionSettings(NEXUS_VALIDATE_BIT)},
    {"nxs_map_access", 0 NXS_FOR_EACH_MapAccess(NEXUS_VALIDATE_BIT)},
    {"nxs_launch_flags", 0 NXS_FOR_EACH_LaunchFlags(NEXUS_VALIDATE_BIT)},
    {"nxs_compile_flags", 0 NXS_FOR_EACH_CompileFlags(NEXUS_VALIDATE_BIT)}};
constexpr uint64_t kDataTypes = 0 NXS_FOR_EACH_DataType(NEXUS_VALIDATE_BIT);
#undef NEXUS_VALIDATE_BIT

struct IdName {
  std::string_view name;  // of a parameter
  nxs_object_type type;
  nxs_id Given::*member;
};
constexpr IdName kIds[] = {{"device", NXS_ObjectType_Device, &Given::device},
                           {"buffer", NXS_ObjectType_Buffer, &Given::buffer},
                           {"library", NXS_ObjectType_Library, &Given::library},
                           {"kernel", NXS_ObjectType_Kernel, &Given::kernel},
                           {"stream", NXS_ObjectType_Stream, &Given::stream},
                           {"event", NXS_ObjectType_Event, &Given::event},
                           {"start_event", NXS_ObjectType_Event, &Given::event},
                           {"end_event", NXS_ObjectType_Event, &Given::end_event},
                           {"schedule", NXS_ObjectType_Schedule, &Given::schedule},
                           {"nested", NXS_ObjectType_Schedule, &Given::nested},
                           {"command", NXS_ObjectType_Command, &Given::command}};

struct NumberName {
  std::string_view name;
  uint64_t Given::*member;
};
constexpr NumberName kNumbers[] = {
    {"size", &Given::size},         {"offset", &Given::offset},
    {"handle", &Given::handle},     {"pattern_size", &Given::pattern_size},
    {"settings", &Given::settings}, {"access", &Given::access},
    {"ticket", &Given::ticket},     {"timeout", &Given::timeout}};

struct PointerName {
  std::string_view name;
  const void *Given::*member;
};
constexpr PointerName kPointers[] = {{"host_ptr", &Given::host_ptr},
                                     {"data", &Given::data},
                                     {"pointer", &Given::pointer},
                                     {"pattern", &Given::pattern}};

nxs_status invalidObject(nxs_object_type type) noexcept {
#define NEXUS_VALIDATE_INVALID(name) \
  case NXS_ObjectType_##name:        \
    return NXS_Invalid##name;
  switch (type) {
    NEXUS_VALIDATE_INVALID(Runtime)
    NEXUS_VALIDATE_INVALID(Device)
    NEXUS_VALIDATE_INVALID(Buffer)
    NEXUS_VALIDATE_INVALID(Library)
    NEXUS_VALIDATE_INVALID(Kernel)
    NEXUS_VALIDATE_INVALID(Stream)
    NEXUS_VALIDATE_INVALID(Event)
    NEXUS_VALIDATE_INVALID(Schedule)
    NEXUS_VALIDATE_INVALID(Command)
    default:
      return NXS_InvalidObject;
  }
#undef NEXUS_VALIDATE_INVALID
}

void checkId(Call &call, std::string_view name, nxs_object_type type, nxs_id id) {
  if (id <= 0 || NXS_ID_TYPE(id) != type || NXS_ID_TAG(id) != call.tag()) {
    call.find(Message::Id, invalidObject(type),
              join(name, " is ", idText(id), ", which is no id of that type and plug-in"));
    return;
  }
  const Locked objects;
  if (!objects->lives(id)) {
    call.find(Message::DeadId, invalidObject(type),
              join(name, " is ", idText(id), ", which does not live"));
  }
}

void checkFlags(Call &call, std::string_view name, std::string_view type, uint64_t bits) {
  for (const Enumeration &flags : kFlags) {
    if (flags.type == type && (bits & ~flags.bits) != 0) {
      call.find(Message::Flags, NXS_InvalidValue,
                join(name, " is ", bits, ", which has the bits ", bits & ~flags.bits,
                     ", and those do not exist"));
    }
  }
}

// Returns whether it is there; where it is not, the call is not made.
bool checkPointer(Call &call, const Parameter &parameter, const void *pointer) {
  if (pointer == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, join(parameter.name, " is NULL"));
  }
  return pointer != nullptr;
}

template <typename Struct>
bool checkStruct(Call &call, const Parameter &parameter, const Struct *given) {
  if (!checkPointer(call, parameter, given)) return false;
  if (given->struct_size < sizeof(Struct)) {
    call.stop(Message::StructSize, NXS_InvalidValue,
              join(parameter.name, "->struct_size is ", given->struct_size, ", and the struct has ",
                   sizeof(Struct), " bytes"));
    return false;
  }
  return true;
}

void checkCompiler(Call &call, nxs_compile_flags flags, int32_t optimization) {
  checkFlags(call, "info->flags", "nxs_compile_flags", flags);
  call.check(Message::Enum, [&] { nexus_plugin::check_optimization(optimization); });
}

}  // namespace

void take(Call &call, const Parameter &parameter, nxs_id id) {
  if (parameter.name == "runtime") checkId(call, "runtime", NXS_ObjectType_Runtime, id);
  for (const IdName &known : kIds) {
    if (known.name != parameter.name) continue;
    call.given.*known.member = id;
    checkId(call, known.name, known.type, id);
  }
}

void take(Call &call, const Parameter &parameter, uint64_t number) {
  for (const NumberName &known : kNumbers) {
    if (known.name == parameter.name) call.given.*known.member = number;
  }
  checkFlags(call, parameter.name, parameter.type, number);
}

void take(Call &call, const Parameter &parameter, int32_t number) {
  if (parameter.name == "priority") call.given.priority = number;
}

void take(Call &call, const Parameter &parameter, uint32_t number) {
  if (parameter.name == "index") call.given.index = number;
}

// Memory of a size is the business of the functions that take it.
void take(Call &call, const Parameter &parameter, const void *pointer) {
  for (const PointerName &known : kPointers) {
    if (known.name == parameter.name) call.given.*known.member = pointer;
  }
  if (parameter.name == "pattern") checkPointer(call, parameter, pointer);
}

void take(Call &call, const Parameter &parameter, void (*callback)(void *, nxs_status)) {
  checkPointer(call, parameter, reinterpret_cast<const void *>(callback));
}

void take(Call &call, const Parameter &parameter, const nxs_string *text) {
  call.given.name = text;
  call.check(Message::Null, [&] { nexus_plugin::check_text(text, parameter.name.c_str()); });
}

void take(Call &call, const Parameter &parameter, const nxs_argument *argument) {
  call.given.argument = argument;
  if (!checkStruct(call, parameter, argument)) return;
  if (argument->kind < NXS_ArgumentKind_Buffer || argument->kind > NXS_ArgumentKind_LocalMemory) {
    call.find(Message::Enum, NXS_InvalidArgValue,
              join("argument->kind is ", argument->kind, ", which no argument can be"));
  }
  if (argument->data_type < 0 || argument->data_type > 63 ||
      (kDataTypes >> argument->data_type & 1U) == 0) {
    call.find(Message::Enum, NXS_InvalidArgValue,
              join("argument->data_type is ", argument->data_type, ", which is no type"));
  }
  if (argument->kind == NXS_ArgumentKind_Buffer) {
    checkId(call, "argument->buffer", NXS_ObjectType_Buffer, argument->buffer);
  } else if (argument->kind == NXS_ArgumentKind_Scalar && argument->data == nullptr) {
    call.stop(Message::Null, NXS_InvalidArgValue, "argument->data of a scalar is NULL");
  }
}

void take(Call &call, const Parameter &parameter, const nxs_launch *launch) {
  call.given.launch = launch;
  if (checkStruct(call, parameter, launch)) {
    checkFlags(call, join(parameter.name, "->flags"), "nxs_launch_flags", launch->flags);
  }
}

void take(Call &call, const Parameter &parameter, const nxs_buffer_range *range) {
  (parameter.name == "range"    ? call.given.range
   : parameter.name == "source" ? call.given.source
                                : call.given.destination) = range;
  if (checkStruct(call, parameter, range)) {
    checkId(call, join(parameter.name, "->buffer"), NXS_ObjectType_Buffer, range->buffer);
  }
}

void take(Call &call, const Parameter &parameter, const nxs_compile_info *info) {
  if (!checkStruct(call, parameter, info)) return;
  checkCompiler(call, info->flags, info->optimization);
  call.check(Message::Null, [&] { nexus_plugin::check_compile_info(info); });
}

void take(Call &call, const Parameter &parameter, const nxs_link_info *info) {
  if (!checkStruct(call, parameter, info)) return;
  checkCompiler(call, info->flags, info->optimization);
  call.check(Message::Null, [&] { nexus_plugin::check_link_info(info); });
}

void take(Call &call, const Parameter &parameter, const nxs_sink *sink) {
  if (!checkStruct(call, parameter, sink)) return;
  call.check(Message::Null, [&] { nexus_plugin::check_sink(sink, parameter.name.c_str()); });
}

void take(Call &call, const Parameter &parameter, const nxs_value *value) {
  if (!checkStruct(call, parameter, value)) return;
  if (value->data == nullptr && value->capacity != 0) {
    call.stop(Message::Null, NXS_InvalidValue,
              join(parameter.name, "->data is NULL, and its capacity ", value->capacity));
  }
}

void take(Call &call, const Parameter &parameter, const nxs_completion *completion) {
  call.given.completion = completion;
  checkStruct(call, parameter, completion);
}

void take(Call &call, const Parameter &parameter, const nxs_argument_info *info) {
  checkStruct(call, parameter, info);
}

void take(Call &call, const Parameter &parameter, const nxs_occupancy *occupancy) {
  checkStruct(call, parameter, occupancy);
}

void take(Call &call, const Parameter &parameter, nxs_id *made) {
  for (const IdName &known : kIds) {
    if (parameter.name == join("out_", known.name)) call.given.makes = known.type;
  }
  call.given.made = made;
  checkPointer(call, parameter, made);
}

void take(Call &call, const Parameter &parameter, nxs_ticket *ticket) {
  call.given.out_ticket = ticket;
  checkPointer(call, parameter, ticket);
}

void take(Call &call, const Parameter &parameter, double *nanoseconds) {
  call.given.nanoseconds = nanoseconds;
  checkPointer(call, parameter, nanoseconds);
}

void take(Call &call, const Parameter &parameter, void **mapped) {
  call.given.mapped = mapped;
  checkPointer(call, parameter, mapped);
}

}  // namespace nexus::core::layers::validation
