// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/parameter_checks.hpp"

#include <cstddef>

#include "layers/validate/words.hpp"

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

struct TypeName {
  std::string_view name;  // of a parameter
  nxs_object_type type;
};

constexpr TypeName kTypes[] = {
    {"runtime", NXS_ObjectType_Runtime}, {"device", NXS_ObjectType_Device},
    {"buffer", NXS_ObjectType_Buffer},   {"library", NXS_ObjectType_Library},
    {"kernel", NXS_ObjectType_Kernel},   {"stream", NXS_ObjectType_Stream},
    {"event", NXS_ObjectType_Event},     {"start_event", NXS_ObjectType_Event},
    {"end_event", NXS_ObjectType_Event}, {"schedule", NXS_ObjectType_Schedule},
    {"nested", NXS_ObjectType_Schedule}, {"command", NXS_ObjectType_Command}};

void checkFlags(Call &call, std::string_view name, std::string_view type, uint64_t bits) {
  for (const Enumeration &flags : kFlags) {
    if (flags.type == type && (bits & ~flags.bits) != 0) {
      call.find(Message::Flags, NXS_InvalidValue,
                words(name, " is ", bits, ", which has the bits ", bits & ~flags.bits,
                      ", and those do not exist"));
    }
  }
}

template <typename Struct>
bool checkStruct(Call &call, const Parameter &parameter, const Struct *given) {
  if (given == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, words(parameter.name, " is NULL"));
    return false;
  }
  if (given->struct_size < sizeof(Struct)) {
    call.stop(Message::StructSize, NXS_InvalidValue,
              words(parameter.name, "->struct_size is ", given->struct_size,
                    ", and the struct has ", sizeof(Struct), " bytes"));
    return false;
  }
  return true;
}

void checkText(Call &call, std::string_view name, const nxs_string &text) {
  if (text.data == nullptr && text.size != 0) {
    call.stop(Message::Null, NXS_InvalidValue,
              words(name, " has no data, and the size ", text.size));
  }
}

void checkTexts(Call &call, std::string_view name, const nxs_string *texts, uint64_t count) {
  if (texts == nullptr && count != 0) {
    call.stop(Message::Null, NXS_InvalidValue, words(name, " is NULL, and its count ", count));
    return;
  }
  for (uint64_t i = 0; i < count; ++i) checkText(call, name, texts[i]);
}

void checkOptimization(Call &call, int32_t level) {
  if (level < 0 || level > 3) {
    call.find(Message::Enum, NXS_InvalidCompilerOptions,
              words("info->optimization is ", level, "; there are 0 to 3"));
  }
}

}  // namespace

nxs_status invalidObject(nxs_object_type type) noexcept {
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

void checkId(Call &call, std::string_view name, nxs_object_type type, nxs_id id) {
  if (id <= 0 || NXS_ID_TYPE(id) != type || NXS_ID_TAG(id) != call.tag()) {
    call.find(Message::Id, invalidObject(type),
              words(name, " is ", idText(id), ", which is no id of that type and plug-in"));
    return;
  }
  const Locked objects;
  if (!objects->lives(id)) {
    call.find(Message::DeadId, invalidObject(type),
              words(name, " is ", idText(id), ", which does not live"));
  }
}

void checkParameter(Call &call, const Parameter &parameter, nxs_id id) {
  for (const TypeName &type : kTypes) {
    if (type.name == parameter.name) checkId(call, parameter.name, type.type, id);
  }
}

void checkParameter(Call &call, const Parameter &parameter, uint64_t number) {
  checkFlags(call, parameter.name, parameter.type, number);
}

void checkParameter(Call &, const Parameter &, int32_t) {}

void checkParameter(Call &, const Parameter &, uint32_t) {}

// Memory of a size is the business of the functions that take it.
void checkParameter(Call &call, const Parameter &parameter, const void *pointer) {
  const bool needed = parameter.is_out || parameter.name == "pattern";
  if (pointer == nullptr && needed) {
    call.stop(Message::Null, NXS_InvalidValue, words(parameter.name, " is NULL"));
  }
}

void checkParameter(Call &call, const Parameter &parameter, void (*callback)(void *, nxs_status)) {
  if (callback == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, words(parameter.name, " is NULL"));
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_string *text) {
  if (text == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, words(parameter.name, " is NULL"));
  } else {
    checkText(call, parameter.name, *text);
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_argument *argument) {
  if (!checkStruct(call, parameter, argument)) return;
  if (argument->kind < NXS_ArgumentKind_Buffer || argument->kind > NXS_ArgumentKind_LocalMemory) {
    call.find(Message::Enum, NXS_InvalidArgValue,
              words("argument->kind is ", argument->kind, ", which no argument can be"));
  }
  if (argument->data_type < 0 || argument->data_type > 63 ||
      (kDataTypes >> argument->data_type & 1U) == 0) {
    call.find(Message::Enum, NXS_InvalidArgValue,
              words("argument->data_type is ", argument->data_type, ", which is no type"));
  }
  if (argument->kind == NXS_ArgumentKind_Buffer) {
    checkId(call, "argument->buffer", NXS_ObjectType_Buffer, argument->buffer);
  } else if (argument->kind == NXS_ArgumentKind_Scalar && argument->data == nullptr) {
    call.stop(Message::Null, NXS_InvalidArgValue, "argument->data of a scalar is NULL");
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_launch *launch) {
  if (checkStruct(call, parameter, launch)) {
    checkFlags(call, words(parameter.name, "->flags"), "nxs_launch_flags", launch->flags);
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_buffer_range *range) {
  if (checkStruct(call, parameter, range)) {
    checkId(call, words(parameter.name, "->buffer"), NXS_ObjectType_Buffer, range->buffer);
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_compile_info *info) {
  if (!checkStruct(call, parameter, info)) return;
  checkFlags(call, "info->flags", "nxs_compile_flags", info->flags);
  checkOptimization(call, info->optimization);
  for (const nxs_string *text :
       {&info->source, &info->language, &info->name, &info->target, &info->standard}) {
    checkText(call, "a text of info", *text);
  }
  checkTexts(call, "info->defines", info->defines, info->define_count);
  checkTexts(call, "info->include_paths", info->include_paths, info->include_path_count);
  checkTexts(call, "info->options", info->options, info->option_count);
  checkTexts(call, "info->name_expressions", info->name_expressions, info->name_expression_count);
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_link_info *info) {
  if (!checkStruct(call, parameter, info)) return;
  checkFlags(call, "info->flags", "nxs_compile_flags", info->flags);
  checkOptimization(call, info->optimization);
  checkText(call, "info->target", info->target);
  checkTexts(call, "info->names", info->names, info->code_count);
  checkTexts(call, "info->options", info->options, info->option_count);
  if (info->codes == nullptr || info->code_count == 0) {
    call.stop(Message::Null, NXS_InvalidValue, "info->codes has no piece of code");
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_sink *sink) {
  if (checkStruct(call, parameter, sink) && sink->write == nullptr) {
    call.stop(Message::Null, NXS_InvalidValue, words(parameter.name, "->write is NULL"));
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_value *value) {
  if (!checkStruct(call, parameter, value)) return;
  if (value->data == nullptr && value->capacity != 0) {
    call.stop(Message::Null, NXS_InvalidValue,
              words(parameter.name, "->data is NULL, and its capacity ", value->capacity));
  }
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_completion *completion) {
  checkStruct(call, parameter, completion);
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_argument_info *info) {
  checkStruct(call, parameter, info);
}

void checkParameter(Call &call, const Parameter &parameter, const nxs_occupancy *occupancy) {
  checkStruct(call, parameter, occupancy);
}

}  // namespace nexus::core::layers::validation
