// SPDX-License-Identifier: Apache-2.0
#include "layers/calls_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "host/host.hpp"
#include "host/property_name.hpp"
#include "json/json.hpp"

namespace nexus::core::layers {

namespace {

constexpr std::size_t kMaxText = 120;  // shown bytes of a string, a value or a list

struct Name {
  std::string_view name;
  uint64_t number;
};

#define NEXUS_NAME(name, number) Name{#name, static_cast<uint64_t>(number)},
constexpr Name kObjectTypes[] = {NXS_FOR_EACH_ObjectType(NEXUS_NAME)};
constexpr Name kArgumentKinds[] = {NXS_FOR_EACH_ArgumentKind(NEXUS_NAME)};
constexpr Name kDataTypes[] = {NXS_FOR_EACH_DataType(NEXUS_NAME)};
constexpr Name kCompletionStates[] = {NXS_FOR_EACH_CompletionState(NEXUS_NAME)};
constexpr Name kBufferSettings[] = {NXS_FOR_EACH_BufferSettings(NEXUS_NAME)};
constexpr Name kLaunchFlags[] = {NXS_FOR_EACH_LaunchFlags(NEXUS_NAME)};
constexpr Name kCompileFlags[] = {NXS_FOR_EACH_CompileFlags(NEXUS_NAME)};
constexpr Name kExecutionSettings[] = {NXS_FOR_EACH_ExecutionSettings(NEXUS_NAME)};
constexpr Name kMapAccess[] = {NXS_FOR_EACH_MapAccess(NEXUS_NAME)};
constexpr Name kCapabilities[] = {NXS_FOR_EACH_Capability(NEXUS_NAME)};
#undef NEXUS_NAME

// Returns the bits of a type that is a set of bits, by their numbers; nothing for another type.
std::span<const Name> bitsOf(std::string_view type) {
  if (type == "nxs_buffer_settings") return kBufferSettings;
  if (type == "nxs_execution_settings") return kExecutionSettings;
  if (type == "nxs_map_access") return kMapAccess;
  if (type == "nxs_launch_flags") return kLaunchFlags;
  if (type == "nxs_compile_flags") return kCompileFlags;
  if (type == "nxs_capability") return kCapabilities;
  return {};
}

std::string hexText(uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

template <std::size_t N>
std::string nameText(const Name (&names)[N], int32_t number) {
  for (const Name &name : names) {
    if (static_cast<int64_t>(name.number) == number) return std::string(name.name);
  }
  return std::to_string(number);
}

// Returns text in quotes, on one line, cut if it is long.
std::string quotedText(std::string_view text) {
  const bool cut = text.size() > kMaxText;
  return json::write(json::Value(text.substr(0, kMaxText))) + (cut ? "..." : "");
}

std::string quotedText(nxs_string text) {
  return text.data == nullptr ? "\"\"" : quotedText(std::string_view(text.data, text.size));
}

std::string pointerText(const void *pointer) {
  return pointer == nullptr ? "NULL" : hexText(reinterpret_cast<uintptr_t>(pointer));
}

std::string bytesText(const void *data, uint64_t size) {
  const std::string_view shown(static_cast<const char *>(data), std::min<uint64_t>(size, 16));
  return nexus_plugin::hexadecimal(shown) + (size > 16 ? "..." : "");
}

std::string tripleText(const uint64_t (&triple)[3]) {
  return "[" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) + ", " +
         std::to_string(triple[2]) + "]";
}

template <typename T>
void putNumbers(std::string &line, const void *data, uint64_t bytes) {
  const auto *numbers = static_cast<const T *>(data);
  line += "[";
  for (uint64_t i = 0; i < bytes / sizeof(T); ++i) {
    if (i == 16) {
      line += ", ...";
      break;
    }
    line += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  }
  line += "]";
}

void putValue(std::string &line, const nxs_value &value) {
  if (value.size > value.capacity) {
    line += "(needs " + std::to_string(value.size) + " bytes, has room for " +
            std::to_string(value.capacity) + ")";
    return;
  }
  switch (value.type) {
    case NXS_ValueType_Int:
      return value.size == sizeof(int64_t)
                 ? void(line += std::to_string(*static_cast<const int64_t *>(value.data)))
                 : void(line += "(an int of " + std::to_string(value.size) + " bytes)");
    case NXS_ValueType_Flt:
      return value.size == sizeof(double)
                 ? void(line += std::to_string(*static_cast<const double *>(value.data)))
                 : void(line += "(a flt of " + std::to_string(value.size) + " bytes)");
    case NXS_ValueType_IntVec:
      return putNumbers<int64_t>(line, value.data, value.size);
    case NXS_ValueType_FltVec:
      return putNumbers<double>(line, value.data, value.size);
    case NXS_ValueType_None:
      line += "not set";
      return;
    default:
      line += quotedText(nxs_string{static_cast<const char *>(value.data), value.size});
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "const void *host_ptr", or "void (*callback)(void *context)".
Parameter parameterOf(std::string_view text) {
  text = trimmed(text);
  Parameter parameter;
  if (const std::size_t star = text.find("(*"); star != std::string_view::npos) {
    parameter.type = "function";
    parameter.name = text.substr(star + 2, text.find(')', star) - star - 2);
  } else {
    const std::size_t name = text.find_last_of(" *") + 1;
    parameter.type = trimmed(text.substr(0, name));
    parameter.name = text.substr(name);
  }
  parameter.is_out = parameter.name.rfind("out_", 0) == 0;
  return parameter;
}

// "["a", "b"]"
std::string quotedTexts(const nxs_string *texts, uint64_t count) {
  std::string list = "[";
  for (uint64_t i = 0; i < count; ++i) {
    list += (i == 0 ? "" : ", ") + quotedText(texts[i]);
  }
  return list + "]";
}

}  // namespace

std::string idText(nxs_id id) {
  if (id == 0) return "none";
  const nxs_object_type type = NXS_ID_TYPE(id);
  const std::string name = lowered(nameText(kObjectTypes, type));
  if (id < 0 || type == NXS_ObjectType_None || name.find_first_of("0123456789") == 0) {
    return hexText(static_cast<uint64_t>(id));
  }
  return name + "#" + std::to_string(NXS_ID_INDEX(id)) + "." +
         std::to_string(NXS_ID_GENERATION(id));
}

std::string bitsText(std::string_view type, uint64_t value) {
  std::string text;
  const auto add = [&](std::string_view part) {
    text += text.empty() ? "" : "|";
    text += part;
  };
  for (const Name &bit : bitsOf(type)) {
    if ((value >> bit.number & 1U) != 0) {
      add(bit.name);
      value &= ~(uint64_t{1} << bit.number);
    }
  }
  if (value != 0 || text.empty()) {
    add(value == 0 ? "0" : hexText(value));
  }
  return text;
}

uint64_t knownBits(std::string_view type) {
  uint64_t known = 0;
  for (const Name &bit : bitsOf(type)) known |= uint64_t{1} << bit.number;
  return known == 0 ? UINT64_MAX : known;
}

std::string propertyText(nxs_property property) {
  const std::string_view name = propertyName(property);
  return name.empty() ? std::to_string(property) : std::string(name);
}

ParameterList::ParameterList(std::string_view text) {
  text = text.substr(1, text.size() - 2);  // without the brackets
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == ',' && depth == 0) {
      parameters_.push_back(parameterOf(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  parameters_.push_back(parameterOf(text.substr(begin)));
}

void putArgument(std::string &line, const Parameter &parameter, int64_t value) {
  line += parameter.type.starts_with("nxs_id") ? idText(value) : std::to_string(value);
}

void putArgument(std::string &line, const Parameter &parameter, uint64_t value) {
  line += bitsOf(parameter.type).empty() ? std::to_string(value) : bitsText(parameter.type, value);
}

void putArgument(std::string &line, const Parameter &parameter, int32_t value) {
  line += parameter.type == "nxs_property" ? propertyText(value) : std::to_string(value);
}

void putArgument(std::string &line, const Parameter &, uint32_t value) {
  line += std::to_string(value);
}

void putArgument(std::string &line, const Parameter &, const nxs_string *value) {
  line += quotedText(*value);
}

void putArgument(std::string &line, const Parameter &, const void *value) {
  line += pointerText(value);
}

void putArgument(std::string &line, const Parameter &, void (*)(void *, nxs_status)) {
  line += "a function";
}

void putArgument(std::string &line, const Parameter &, const nxs_argument *value) {
  line += "{" + nameText(kArgumentKinds, value->kind);
  if (value->kind == NXS_ArgumentKind_Buffer) {
    line += " " + idText(value->buffer) + ", offset=" + std::to_string(value->offset);
  } else if (value->data != nullptr) {
    line +=
        " " + nameText(kDataTypes, value->data_type) + " " + bytesText(value->data, value->size);
  }
  line += ", size=" + std::to_string(value->size) + "}";
}

void putArgument(std::string &line, const Parameter &, const nxs_launch *value) {
  line += "{group_size=" + tripleText(value->group_size) +
          ", grid_size=" + tripleText(value->grid_size) +
          ", group_count=" + tripleText(value->group_count) +
          ", local_memory=" + std::to_string(value->local_memory);
  if (value->flags != 0) line += ", flags=" + bitsText("nxs_launch_flags", value->flags);
  if (value->cluster_size[0] != 0) line += ", cluster_size=" + tripleText(value->cluster_size);
  line += "}";
}

void putArgument(std::string &line, const Parameter &, const nxs_buffer_range *value) {
  line += "{" + idText(value->buffer) + ", offset=" + std::to_string(value->offset) +
          ", size=" + std::to_string(value->size) + "}";
}

void putArgument(std::string &line, const Parameter &, const nxs_rows *value) {
  const auto put = [&](const char *name, const uint64_t (&pair)[2]) {
    line += std::string(", ") + name + "=(" + std::to_string(pair[0]) + ", " +
            std::to_string(pair[1]) + ")";
  };
  line += "{bytes=" + std::to_string(value->bytes);
  put("counts", value->counts);
  put("to_pitches", value->to_pitches);
  put("from_pitches", value->from_pitches);
  line += "}";
}

void putArgument(std::string &line, const Parameter &, const nxs_compile_info *value) {
  line += "{name=" + quotedText(value->name) + ", language=" + quotedText(value->language) +
          ", target=" + quotedText(value->target) +
          ", options=" + quotedTexts(value->options, value->option_count) + ", source of " +
          std::to_string(value->source.size) + " bytes}";
}

void putArgument(std::string &line, const Parameter &, const nxs_link_info *value) {
  line += "{names=" + quotedTexts(value->names, value->code_count) +
          ", target=" + quotedText(value->target) +
          ", options=" + quotedTexts(value->options, value->option_count) + "}";
}

void putArgument(std::string &line, const Parameter &, double value) {
  line += std::to_string(value);
}

void putArgument(std::string &line, const Parameter &, nxs_value *value) {
  putValue(line, *value);
}

void putArgument(std::string &line, const Parameter &, nxs_completion *value) {
  line += "{" + nameText(kCompletionStates, value->state) +
          ", completed=" + std::to_string(value->completed);
  if (value->state == NXS_CompletionState_Failed) {
    line += std::string(", ") + statusName(value->status);
    if (const auto record = findErrorRecord(value->error)) {
      line += ": " + quotedText(record->text);
    }
  }
  line += "}";
}

void putArgument(std::string &line, const Parameter &, nxs_argument_info *value) {
  line += "{" + quotedText(value->name) + ", " + nameText(kArgumentKinds, value->kind) + ", " +
          nameText(kDataTypes, value->data_type) + ", size=" + std::to_string(value->size) + "}";
}

void putArgument(std::string &line, const Parameter &, nxs_occupancy *value) {
  line += "{active_groups=" + std::to_string(value->active_groups) +
          ", max_groups=" + std::to_string(value->max_groups) +
          ", best_group_size=" + std::to_string(value->best_group_size) +
          ", free_local_memory=" + std::to_string(value->free_local_memory) + "}";
}

void putStatus(std::string &line, nxs_status status) {
  line += std::string(" -> ") + statusName(status);
  if (status == NXS_Success) return;
  if (const auto record = findErrorRecord(threadErrorRecord())) {
    line += ": " + quotedText(record->text);
  }
}

std::FILE *openNamed(const char *variable, std::string_view logger, std::string_view otherwise) {
  const std::string path(environmentValue(variable));
  if (path.empty()) return nullptr;
  std::FILE *opened = std::fopen(path.c_str(), "ae");  // e: not inherited by child processes
  if (opened == nullptr) {
    logLine(NXS_LogLevel_Warning, logger,
            join(variable, " is '", path, "', which can't be opened for writing", otherwise, "."));
  }
  return opened;
}

void writeCallLine(uint32_t tag, std::string_view line) noexcept {
  try {
    const std::string_view backend = backendOfTag(tag);
    std::string text = "nexus: calls: ";
    text += backend.empty() ? std::string_view("unknown") : backend;
    text += ": ";
    text += line;
    text += '\n';
    static std::FILE *const named = openNamed("NEXUS_CALLS_FILE", {}, "; the calls go to stderr");
    std::FILE *file = named == nullptr ? stderr : named;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);  // the next call may crash
  } catch (const std::bad_alloc &) {
    // Without memory for the line, the call itself goes on.
    return;
  }
}

}  // namespace nexus::core::layers
