// SPDX-License-Identifier: Apache-2.0
//
// Devices, libraries and kernels, and buffers of other processes: what they say of themselves is
// read once, for the checks of what is made of them.
#include <cstddef>
#include <optional>

#include "layers/validate/function_checks.hpp"
#include "layers/validate/launch_checks.hpp"
#include "layers/validate/submission.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

constexpr int64_t kMaxArguments = 1024;  // that are looked at

// A whole number above 0 that the object states; 0 where it states none. Not under the lock.
uint64_t statedNumber(const Call &call, Getter getter, nxs_id id, nxs_property property) {
  int64_t number = 0;
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = &number;
  value.capacity = sizeof(number);
  const nxs_status status = (call.next().*getter)(id, property, &value);
  const bool known = status == NXS_Success && value.type == NXS_ValueType_Int &&
                     value.size == sizeof(number) && number > 0;
  return known ? static_cast<uint64_t>(number) : 0;
}

std::string textOf(const nxs_string &text) {
  return text.data == nullptr ? std::string()
                              : std::string(text.data, static_cast<std::size_t>(text.size));
}

std::optional<std::vector<ArgumentFacts>> argumentsOf(const Call &call, nxs_id kernel) {
  const uint64_t count =
      call.claims(NXS_Capability_ArgumentInfo)
          ? statedNumber(call, &nxs_functions::GetKernelProperty, kernel, NP_Count)
          : 0;
  if (count == 0 || count > kMaxArguments) {
    return std::nullopt;
  }
  std::vector<ArgumentFacts> arguments;
  for (uint32_t i = 0; i < count; ++i) {
    nxs_argument_info info{};
    info.struct_size = sizeof(info);
    if (call.next().GetKernelArgument(kernel, i, &info) != NXS_Success) {
      return std::nullopt;
    }
    arguments.push_back({info.kind, info.size, accessOf(textOf(info.type))});
  }
  return arguments;
}

void noteLibrary(Call &call, nxs_id device, std::string name, nxs_id library) {
  checkGivenId(call, library, NXS_ObjectType_Library);
  const Place place = presentPlace();
  const Locked objects;
  Facts &facts = objects->libraries.add(library);
  noteNew(facts, device, place);
  facts.name = std::move(name);
}

}  // namespace

void after(Call &call, f::ImportBuffer, nxs_id device, const void *, uint64_t, nxs_id *out_buffer) {
  checkGivenId(call, *out_buffer, NXS_ObjectType_Buffer);
  const uint64_t size = statedNumber(call, &nxs_functions::GetBufferProperty, *out_buffer, NP_Size);
  const Place place = presentPlace();
  const Locked objects;
  BufferFacts &facts = objects->buffers.add(*out_buffer);
  noteNew(facts, device, place);
  facts.size = size;
  facts.space = *out_buffer;
}

void after(Call &call, f::GetDevice, nxs_id, uint32_t, nxs_id *out_device) {
  checkGivenId(call, *out_device, NXS_ObjectType_Device);
  {
    const Locked objects;
    if (objects->devices.has(*out_device)) return;
  }
  constexpr Getter get = &nxs_functions::GetDeviceProperty;
  DeviceFacts facts;
  facts.device = *out_device;
  facts.alignment = statedNumber(call, get, *out_device, NP_BufferOffsetAlignment);
  facts.max_group = statedNumber(call, get, *out_device, NP_MaxThreadsPerBlock);
  facts.max_local = statedNumber(call, get, *out_device, NP_MaxThreadgroupMemorySize);
  facts.max_buffer = statedNumber(call, get, *out_device, NP_MaxBufferSize);
  const Locked objects;
  objects->devices.add(*out_device) = facts;
}

void before(Call &call, f::CreateLibrary, nxs_id, const void *data, uint64_t size, nxs_id *) {
  if (data == nullptr && size != 0) {
    call.stop(Message::Null, NXS_InvalidValue, words("data is NULL, and size ", size));
  }
}

void after(Call &call, f::CreateLibrary, nxs_id device, const void *, uint64_t,
           nxs_id *out_library) {
  noteLibrary(call, device, {}, *out_library);
}

void after(Call &call, f::CreateLibraryFromFile, nxs_id device, const nxs_string *path,
           nxs_id *out_library) {
  noteLibrary(call, device, textOf(*path), *out_library);
}

void after(Call &, f::ReleaseLibrary, nxs_id library) {
  const Locked objects;
  objects->libraries.remove(library);
}

void after(Call &call, f::GetKernel, nxs_id library, const nxs_string *name, nxs_id *out_kernel) {
  checkGivenId(call, *out_kernel, NXS_ObjectType_Kernel);
  const uint64_t max_group =
      statedNumber(call, &nxs_functions::GetKernelProperty, *out_kernel, NP_MaxThreadsPerBlock);
  const auto arguments = argumentsOf(call, *out_kernel);
  const Place place = presentPlace();
  const Locked objects;
  KernelFacts &facts = objects->kernels.add(*out_kernel);
  noteNew(facts, objects->deviceOf(library), place);
  facts.name = textOf(*name);
  facts.max_group = max_group;
  facts.described = arguments.has_value();
  if (arguments) facts.arguments = *arguments;
}

void after(Call &, f::ReleaseKernel, nxs_id kernel) {
  const Locked objects;
  objects->kernels.remove(kernel);
}

}  // namespace nexus::core::layers::validation
