// SPDX-License-Identifier: Apache-2.0
#include "code/object_code.hpp"

#include "base/file_state.hpp"
#include "base/sink.hpp"
#include "base/text.hpp"
#include "device/device.hpp"
#include "execution/kernel.hpp"
#include "object/property.hpp"

namespace nexus::core {
namespace {

// Unlike given(), accepts object code made before a fork().
ObjectCode &givenCode(nexus_object_code *code) {
  if (code == nullptr || code->type() != ObjectCode::kType) {
    refuseObject(code, ObjectCode::kType, "code");
  }
  return static_cast<ObjectCode &>(*code);
}

constexpr uint64_t kMaxObjectCodeSize = uint64_t{1} << 30;  // as for the cache on disk

std::string readCodeFile(const std::string &path) {
  refuseEndlessFile(path, "object code");
  const FileState state = stateOf(path);
  std::optional<std::string> bytes;
  if (state.size <= kMaxObjectCodeSize) bytes = readText(state, kMaxObjectCodeSize);
  // A file may grow while it is read.
  if (state.size > kMaxObjectCodeSize || (bytes && bytes->size() > kMaxObjectCodeSize)) {
    failWith(NXS_InvalidBinary, "path is '", path, "', a file of more than ", kMaxObjectCodeSize,
             " bytes, too large for object code; give the path of a file from ObjectCode.save().");
  }
  if (!bytes) {
    failWith(NXS_InvalidValue, "path is '", path, "', which can't be read; check the path.");
  }
  return *std::move(bytes);
}

Ref<ObjectCode> codeIn(std::string_view bytes) {
  return make<ObjectCode>(std::make_shared<const CodeContents>(readObjectCode(bytes)),
                          NEXUS_CODE_READ);
}

}  // namespace

std::optional<json::Value> ObjectCode::property(std::string_view name, nxs_property number) {
  if (name == "Flags") return json::parse(contents_->flags);
  if (name == "Kernels" && !contents_->kernels.empty()) return json::parse(contents_->kernels);
  switch (number) {
    case NP_Name:
      return json::Value(contents_->name);
    case NP_Architecture:
      return json::Value(contents_->target);
    case NP_Size:
      return json::Value(static_cast<int64_t>(contents_->code.size()));
    case NP_KernelNames:
      return kernelNames();
    default:
      return std::nullopt;
  }
}

std::optional<json::Value> ObjectCode::kernelNames() const {
  if (contents_->kernels.empty()) return std::nullopt;
  const json::Value kernels = json::parse(contents_->kernels);
  json::Value::Array names;
  for (const json::Value &kernel : *kernels.array()) {
    names.push_back(*kernel.find("name"));
  }
  return json::Value(std::move(names));
}

std::vector<std::string> ObjectCode::propertyKeys() {
  std::vector<std::string> keys{"Keys", "Name", "Architecture", "Size", "Flags"};
  if (!contents_->kernels.empty()) {
    keys.insert(keys.end(), {"KernelNames", "Kernels"});
  }
  return keys;
}

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_object_code_get_info(nexus_object_code *code, nexus_object_code_info *out_info) {
  return guarded([&] {
    requireWhole(out_info, "out_info", "nexus_object_code_info");
    const ObjectCode &of = givenCode(code);
    const CodeContents &contents = of.contents();
    out_info->name = stringOf(contents.name);
    out_info->runtime = stringOf(contents.runtime);
    out_info->target = stringOf(contents.target);
    out_info->format = stringOf(contents.format);
    out_info->code = stringOf(contents.code);
    out_info->log = stringOf(contents.log);
    out_info->flags = stringOf(contents.flags);
    out_info->kernels = stringOf(contents.kernels);
    out_info->origin = of.origin();
    out_info->reserved = 0;
  });
}

nxs_status nexus_object_code_write(nexus_object_code *code, const nxs_sink *bytes) {
  return guarded([&] {
    const ObjectCode &of = givenCode(code);
    writeTo(bytes, "bytes", writeObjectCode(of.contents()));
  });
}

nxs_status nexus_object_code_read(const void *data, uint64_t size, nexus_object_code **out_code) {
  return giveResult(out_code, "out_code", [&] {
    requirePointer(data, "data");
    return codeIn({static_cast<const char *>(data), static_cast<std::size_t>(size)});
  });
}

nxs_status nexus_object_code_read_file(nxs_string path, nexus_object_code **out_code) {
  return giveResult(out_code, "out_code",
                    [&] { return codeIn(readCodeFile(std::string(viewOf(path, "path")))); });
}

nxs_status nexus_device_load_object_code(nexus_device *device, nexus_object_code *code,
                                         nexus_library **out_library) {
  return giveResult(out_library, "out_library", [&] {
    Device &on = given<Device>(device, "device");
    const std::shared_ptr<const CodeContents> shared = givenCode(code).sharedContents();
    const CodeContents &contents = *shared;
    if (contents.runtime != on.plugin().name) {
      failWith(NXS_InvalidBinary, "The object code of the program '", contents.name,
               "' is for the backend '", contents.runtime, "', and the device is '", on.selector(),
               "'; compile the program for that device.");
    }
    nxs_id id = 0;
    on.plugin().call(
        &nxs_functions::CreateLibrary,
        [&] {
          return "load the object code of the program '" + contents.name + "' for " +
                 contents.target;
        },
        on.id(), contents.code.data(), uint64_t{contents.code.size()}, &id);
    return listed(on, make<Library>(on, id, std::string(), Library::Code(shared, &contents.code)));
  });
}
