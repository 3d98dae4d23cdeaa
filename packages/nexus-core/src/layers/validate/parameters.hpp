// SPDX-License-Identifier: Apache-2.0
//
// Checks each argument of a call by its type and by the name of its parameter, whatever the
// function, and notes it in call.given.
#pragma once

#include <nexus-plugin/base/object_type.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/data_type.hpp"
#include "layers/calls_text.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {

/// A parameter that is noted under its name.
template <typename T>
struct Named {
  std::string_view name;
  T Given::*member;
};

inline constexpr Named<uint64_t> kNumbers[] = {{"size", &Given::size},
                                               {"offset", &Given::offset},
                                               {"handle", &Given::handle},
                                               {"pattern_size", &Given::pattern_size},
                                               {"settings", &Given::settings},
                                               {"access", &Given::access},
                                               {"ticket", &Given::ticket},
                                               {"timeout", &Given::timeout},
                                               {"body_count", &Given::body_count}};
inline constexpr Named<const void *> kPointers[] = {{"host_ptr", &Given::host_ptr},
                                                    {"data", &Given::data},
                                                    {"pointer", &Given::pointer},
                                                    {"pattern", &Given::pattern}};
inline constexpr Named<const nxs_buffer_range *> kRanges[] = {
    {"range", &Given::range}, {"source", &Given::source}, {"destination", &Given::destination}};

template <typename T, std::size_t N>
void note(Call &call, const Named<T> (&names)[N], const Parameter &parameter, T value) {
  for (const Named<T> &known : names) {
    if (known.name == parameter.name) call.given.*known.member = value;
  }
}

struct IdParameter {
  std::string_view name;
  nxs_object_type type;
  nxs_id Given::*member;
};

inline constexpr IdParameter kIds[] = {{"buffer", NXS_ObjectType_Buffer, &Given::buffer},
                                       {"runtime", NXS_ObjectType_Runtime, &Given::runtime},
                                       {"device", NXS_ObjectType_Device, &Given::device},
                                       {"library", NXS_ObjectType_Library, &Given::library},
                                       {"kernel", NXS_ObjectType_Kernel, &Given::kernel},
                                       {"stream", NXS_ObjectType_Stream, &Given::stream},
                                       {"event", NXS_ObjectType_Event, &Given::event},
                                       {"start_event", NXS_ObjectType_Event, &Given::event},
                                       {"end_event", NXS_ObjectType_Event, &Given::end_event},
                                       {"schedule", NXS_ObjectType_Schedule, &Given::schedule},
                                       {"nested", NXS_ObjectType_Schedule, &Given::nested},
                                       {"command", NXS_ObjectType_Command, &Given::command}};

inline void checkId(Call &call, std::string_view name, nxs_object_type type, nxs_id id) {
  const nxs_status invalid = nexus_plugin::invalid_status(type);
  if (!isIdOf(call, id, type)) {
    call.find(Message::Id, invalid, name, " is ", idText(id),
              ", which is not an id of that type and plug-in");
  } else if (!Locked()->lives(id)) {
    call.find(Message::DeadId, invalid, name, " is ", idText(id),
              ", which was released or never existed");
  }
}

inline void checkFlags(Call &call, std::string_view name, std::string_view type, uint64_t bits) {
  const uint64_t unknown = bits & ~knownBits(type);
  if (unknown == 0) return;
  call.find(Message::Flags, NXS_InvalidValue, name, " is ", bits, ", with the unknown bits ",
            unknown);
}

/// Checks that a pointer is not NULL and that its struct is complete; else the call is not made.
template <typename T>
bool checkPointer(Call &call, const Parameter &parameter, const T *pointer) {
  if (pointer == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, parameter.name, " is NULL");
    return false;
  }
  if constexpr (requires { pointer->struct_size; }) {
    if (pointer->struct_size < sizeof(T)) {
      call.stop(Message::StructSize, NXS_InvalidValue, parameter.name, "->struct_size is ",
                pointer->struct_size, ", but the struct has ", sizeof(T), " bytes");
      return false;
    }
  }
  return true;
}

// ---- Ids and numbers ---------------------------------------------------------------

inline void take(Call &call, const Parameter &parameter, nxs_id id) {
  for (const IdParameter &known : kIds) {
    if (known.name != parameter.name) continue;
    call.given.*known.member = id;
    checkId(call, known.name, known.type, id);
  }
}

inline void take(Call &call, const Parameter &parameter, uint64_t number) {
  note(call, kNumbers, parameter, number);
  checkFlags(call, parameter.name, parameter.type, number);
}

inline void take(Call &call, const Parameter &parameter, int32_t number) {
  if (parameter.name == "priority") call.given.priority = number;
}

inline void take(Call &call, const Parameter &parameter, uint32_t number) {
  if (parameter.name == "index") call.given.index = number;
}

// ---- Pointers ----------------------------------------------------------------------

/// Memory whose size another parameter has is checked with its function.
inline void take(Call &call, const Parameter &parameter, const void *pointer) {
  note(call, kPointers, parameter, pointer);
  if (parameter.name == "pattern") checkPointer(call, parameter, pointer);
}

inline void take(Call &call, const Parameter &parameter, const nxs_id *ids) {
  if (parameter.name == "bodies") call.given.bodies = ids;
}

inline void take(Call &call, const Parameter &parameter, void *pointer) {
  take(call, parameter, static_cast<const void *>(pointer));
}

inline void take(Call &call, const Parameter &parameter, void (*callback)(void *, nxs_status)) {
  checkPointer(call, parameter, reinterpret_cast<const void *>(callback));
}

inline void take(Call &call, const Parameter &parameter, const nxs_string *text) {
  call.given.name = text;
  call.check(Message::Null, [&] { nexus_plugin::check_text(text, parameter.name.c_str()); });
}

inline void take(Call &call, const Parameter &parameter, const nxs_argument *argument) {
  call.given.argument = argument;
  if (!checkPointer(call, parameter, argument)) return;
  if (argument->kind < NXS_ArgumentKind_Buffer || argument->kind > NXS_ArgumentKind_LocalMemory) {
    call.find(Message::Enum, NXS_InvalidArgValue, "argument->kind is ", argument->kind,
              ", which is not an nxs_argument_kind");
  }
  if (dataTypeName(argument->data_type) == nullptr) {
    call.find(Message::Enum, NXS_InvalidArgValue, "argument->data_type is ", argument->data_type,
              ", which is not an nxs_data_type");
  }
  if (argument->kind == NXS_ArgumentKind_Buffer) {
    checkId(call, "argument->buffer", NXS_ObjectType_Buffer, argument->buffer);
  } else if (argument->kind == NXS_ArgumentKind_Scalar && argument->data == nullptr) {
    call.stop(Message::Null, NXS_InvalidArgValue, "argument->data of a scalar is NULL");
  }
}

inline void take(Call &call, const Parameter &parameter, const nxs_launch *launch) {
  call.given.launch = launch;
  if (checkPointer(call, parameter, launch)) {
    checkFlags(call, join(parameter.name, "->flags"), "nxs_launch_flags", launch->flags);
  }
}

inline void take(Call &call, const Parameter &parameter, const nxs_buffer_range *range) {
  note(call, kRanges, parameter, range);
  if (checkPointer(call, parameter, range)) {
    checkId(call, join(parameter.name, "->buffer"), NXS_ObjectType_Buffer, range->buffer);
  }
}

inline void take(Call &call, const Parameter &parameter, const nxs_rows *rows) {
  if (checkPointer(call, parameter, rows)) call.given.rows = rows;
}

/// Checks the request for a compiler or linker, with the check of the kit.
template <typename Info, typename Check>
void takeInfo(Call &call, const Parameter &parameter, const Info *info, Check &&check) {
  if (!checkPointer(call, parameter, info)) return;
  checkFlags(call, "info->flags", "nxs_compile_flags", info->flags);
  call.check(Message::Enum, [&] { nexus_plugin::check_optimization(info->optimization); });
  call.check(Message::Null, [&] { check(info); });
}

inline void take(Call &call, const Parameter &parameter, const nxs_compile_info *info) {
  takeInfo(call, parameter, info, nexus_plugin::check_compile_info);
}

inline void take(Call &call, const Parameter &parameter, const nxs_link_info *info) {
  takeInfo(call, parameter, info, nexus_plugin::check_link_info);
}

inline void take(Call &call, const Parameter &parameter, const nxs_sink *sink) {
  if (!checkPointer(call, parameter, sink)) return;
  call.check(Message::Null, [&] { nexus_plugin::check_sink(sink, parameter.name.c_str()); });
}

template <typename Result>
void take(Call &call, const Parameter &parameter, Result *result) {
  Given &given = call.given;
  const bool complete = checkPointer(call, parameter, result);
  if constexpr (std::is_same_v<Result, nxs_id>) {
    given.made = result;
    for (const IdParameter &known : kIds) {
      if (parameter.name == join("out_", known.name)) given.makes = known.type;
    }
  } else if constexpr (std::is_same_v<Result, nxs_ticket>) {
    given.out_ticket = result;
  } else if constexpr (std::is_same_v<Result, nxs_completion>) {
    given.completion = result;
  } else if constexpr (std::is_same_v<Result, double>) {
    given.nanoseconds = result;
  } else if constexpr (std::is_same_v<Result, void *>) {
    given.mapped = result;
  } else if constexpr (std::is_same_v<Result, nxs_value>) {
    if (complete && result->data == nullptr && result->capacity != 0) {
      call.stop(Message::Null, NXS_InvalidValue, parameter.name,
                "->data is NULL, but its capacity is ", result->capacity);
    }
  }
}

template <typename Function, typename... Arguments>
void checkParameters(Call &call, Arguments... arguments) {
  const ParameterList &parameters = ParameterList::of<Function>();
  std::size_t index = 0;
  (take(call, parameters.at(index++), arguments), ...);
}

}  // namespace nexus::core::layers::validation
