// SPDX-License-Identifier: Apache-2.0
//
// Notes what calls change: objects that are made and released, and what they state.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/data_type.hpp"
#include "base/error.hpp"
#include "layers/validate/call.hpp"

namespace nexus::core::layers::validation {
namespace {

// ---- What a new object states. All of these call the plug-in. ----------------------

// Returns a number above 0 that the new object states; 0 if it states none.
uint64_t statedNumber(const Call &call, Getter getter, nxs_property property) {
  const auto numbers = statedNumbers(call, getter, *call.given.made, property);
  return numbers.size() != 1 || numbers[0] < 0 ? 0 : static_cast<uint64_t>(numbers[0]);
}

std::string textOf(const nxs_string &text) {
  return text.data == nullptr ? std::string() : std::string(nexus_plugin::view(text));
}

void readArguments(const Call &call, KernelFacts &kernel) {
  constexpr uint64_t kMost = 1024;  // kernels with more are not checked
  const bool described = (kernel.info.capabilities & NXS_Capability_ArgumentInfo) != 0;
  const uint64_t count =
      described ? statedNumber(call, &nxs_functions::GetKernelProperty, NP_Count) : 0;
  if (count == 0 || count > kMost) return;
  std::vector<ArgumentInfo> arguments;
  for (uint32_t i = 0; i < count; ++i) {
    nxs_argument_info info{};
    info.struct_size = sizeof(info);
    if (call.next().GetKernelArgument(*call.given.made, i, &info) != NXS_Success) return;
    arguments.push_back(
        {textOf(info.name), info.kind, info.data_type, info.size, textOf(info.type)});
    const std::optional<bool> constant = pointsToConst(arguments.back().type);
    kernel.accesses.push_back(!constant   ? Access::Unknown
                              : *constant ? Access::Read
                                          : Access::Write);
  }
  kernel.info.argument_count = static_cast<uint32_t>(count);
  kernel.info.arguments = std::move(arguments);
}

Counts requiredSize(const Call &call, nxs_property property) {
  const auto sizes =
      statedNumbers(call, &nxs_functions::GetKernelProperty, *call.given.made, property);
  Counts counts{};
  if (sizes.size() == counts.size()) std::copy(sizes.begin(), sizes.end(), counts.begin());
  return counts;
}

std::shared_ptr<Facts> readKernel(const Call &call) {
  auto facts = std::make_shared<KernelFacts>();
  KernelFacts &kernel = *facts;
  kernel.name = kernel.info.name = textOf(*call.given.name);
  {
    const Locked objects;
    kernel.info.device = idText(objects->deviceOf(call.given.library));
    kernel.info.capabilities = objects->capabilities[call.tag()];
  }
  if (const auto most =
          statedNumber(call, &nxs_functions::GetKernelProperty, NP_MaxThreadsPerBlock)) {
    kernel.info.max_group_size = most;
  }
  kernel.info.required_group_size = requiredSize(call, NP_RequiredGroupSize);
  kernel.info.required_cluster_size = requiredSize(call, NP_RequiredClusterSize);
  readArguments(call, kernel);
  return facts;
}

std::shared_ptr<Facts> readDevice(const Call &call) {
  constexpr Getter get = &nxs_functions::GetDeviceProperty;
  auto device = std::make_shared<DeviceFacts>();
  device->alignment = statedNumber(call, get, NP_BufferOffsetAlignment);
  device->max_group = statedNumber(call, get, NP_MaxThreadsPerBlock);
  device->max_local = statedNumber(call, get, NP_MaxThreadgroupMemorySize);
  device->max_buffer = statedNumber(call, get, NP_MaxBufferSize);
  return device;
}

std::shared_ptr<Facts> readBuffer(const Call &call) {
  const Given &given = call.given;
  auto facts = std::make_shared<BufferFacts>();
  BufferFacts &buffer = *facts;
  buffer.size = call.is("ImportBuffer") || call.is("GetGlobal")
                    ? statedNumber(call, &nxs_functions::GetBufferProperty, NP_Size)
                    : given.size;
  if (call.is("CreateBufferFromHandle")) {
    // The handle may be an address that the host uses too, so it counts as one.
    buffer.base = given.handle + given.offset;
  } else if ((given.settings & NXS_BufferSettings_Maintain) != 0) {
    buffer.base = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(given.host_ptr));
  } else {
    buffer.space = *given.made;
  }
  return facts;
}

// Returns what is known of a new object of any type. May call the plug-in.
std::shared_ptr<Facts> readFacts(const Call &call) {
  const Given &given = call.given;
  switch (given.makes) {
    case NXS_ObjectType_Device:
      return readDevice(call);
    case NXS_ObjectType_Buffer:
      return readBuffer(call);
    case NXS_ObjectType_Kernel:
      return readKernel(call);
    case NXS_ObjectType_Library: {
      auto library = std::make_shared<LibraryFacts>();
      if (given.name != nullptr) library->name = textOf(*given.name);
      return library;
    }
    case NXS_ObjectType_Event: {
      auto event = std::make_shared<EventFacts>();
      event->timed = (given.settings & NXS_ExecutionSettings_Timing) != 0;
      event->imported = call.is("ImportEvent");
      return event;
    }
    case NXS_ObjectType_Stream:
      return std::make_shared<StreamFacts>();
    case NXS_ObjectType_Schedule:
      return std::make_shared<ScheduleFacts>();
    default:
      return std::make_shared<CommandFacts>();
  }
}

// ---- New objects -------------------------------------------------------------------

// Returns whether the id can be one of a new object.
bool checkNewId(Call &call, nxs_id id, nxs_object_type type) {
  const bool right = isIdOf(call, id, type);
  if (right && (type == NXS_ObjectType_Device || !Locked()->lives(id))) return true;
  call.blame(Message::GivenId, "it returned ", idText(id),
             right ? ", the id of an existing object"
                   : ", which is not an id of that type with the plug-in's tag");
  return right;
}

void noteCommand(const Call &call, Objects &objects, const std::shared_ptr<CommandFacts> &command) {
  const Given &given = call.given;
  command->id = *given.made;
  command->schedule = given.schedule;
  command->kernel = objects.find<KernelFacts>(given.kernel);
  command->finalized = given.kernel == 0;
  if (command->finalized) command->uses = call.uses;  // of a copy or fill
  // The layer would loop in a schedule that the plug-in lets run itself.
  const auto run = [&](nxs_id id) {
    const auto nested = objects.find<ScheduleFacts>(id);
    if (nested != nullptr && id != given.schedule) command->nested.push_back(nested);
  };
  run(given.nested);
  if (given.bodies != nullptr) std::for_each_n(given.bodies, given.body_count, run);
  if (const auto schedule = objects.find<ScheduleFacts>(given.schedule)) {
    schedule->commands.push_back(command);
  }
}

// Notes the new object. It is on the device of the object that it is made of.
void noteMade(Call &call, const Place &place) {
  const Given &given = call.given;
  const nxs_id id = *given.made;
  if (!checkNewId(call, id, given.makes)) return;
  if (given.makes == NXS_ObjectType_Device && Locked()->lives(id)) return;
  const std::shared_ptr<Facts> facts = readFacts(call);
  facts->place = place;
  facts->of_core = OwnObjects::present();
  const Locked objects;
  facts->device = given.device != 0     ? given.device
                  : given.library != 0  ? objects->deviceOf(given.library)
                  : given.schedule != 0 ? objects->deviceOf(given.schedule)
                                        : id;
  objects->all[id] = facts;
  if (given.makes == NXS_ObjectType_Stream) objects->order.addStream(id);
  if (const auto command = objects->find<CommandFacts>(id)) noteCommand(call, *objects, command);
}

// ---- Other changes -----------------------------------------------------------------

// Removes the one object that the call was given.
void noteReleased(const Given &given, Objects &objects) {
  if (const auto buffer = objects.find<BufferFacts>(given.buffer);
      buffer != nullptr && buffer->space != 0) {
    objects.order.forget(buffer->space);
  }
  if (given.stream != 0) objects.order.releaseStream(given.stream);
  if (const auto schedule = objects.find<ScheduleFacts>(given.schedule)) {
    for (const auto &command : schedule->commands) objects.all.erase(command->id);
  }
  if (const auto command = objects.find<CommandFacts>(given.command);
      command != nullptr && !command->finalized) {
    if (const auto schedule = objects.find<ScheduleFacts>(command->schedule)) {
      std::erase(schedule->commands, command);
    }
  }
  for (const nxs_id id : {given.buffer, given.library, given.kernel, given.stream, given.event,
                          given.schedule, given.command}) {
    objects.all.erase(id);
  }
}

// Notes the arguments of a command and the mappings of a buffer.
void noteChanged(const Call &call, Objects &objects) {
  const Given &given = call.given;
  if (const auto command = objects.find<CommandFacts>(given.command)) {
    if (call.is("FinalizeCommand")) command->finalized = true;
    if (given.argument != nullptr) {
      command->arguments[given.index] = {given.argument->kind, given.argument->size,
                                         call.uses.empty() ? Use{} : call.uses.front()};
    }
  }
  const nxs_id mapped = given.range != nullptr ? given.range->buffer : given.buffer;
  if (const auto buffer = objects.find<BufferFacts>(mapped)) {
    if (given.mapped != nullptr) buffer->mappings.insert(*given.mapped);
    const auto ended = buffer->mappings.find(const_cast<void *>(given.pointer));
    if (call.is("UnmapBuffer") && ended != buffer->mappings.end()) buffer->mappings.erase(ended);
  }
}

// Checks that the objects of a call are of one device. Events of any device may be waited for, and
// times are of any two.
void checkSameDevice(Call &call, const Objects &objects) {
  const Given &given = call.given;
  if (call.is("WaitEvent") || given.nanoseconds != nullptr) return;
  const auto buffer_of = [](const auto *part) { return part == nullptr ? 0 : part->buffer; };
  const std::pair<const char *, nxs_id> all[] = {{"buffer", given.buffer},
                                                 {"kernel", given.kernel},
                                                 {"event", given.event},
                                                 {"command", given.command},
                                                 {"nested", given.nested},
                                                 {"argument->buffer", buffer_of(given.argument)},
                                                 {"range", buffer_of(given.range)},
                                                 {"source", buffer_of(given.source)},
                                                 {"destination", buffer_of(given.destination)},
                                                 {"schedule", given.schedule},
                                                 {"stream", given.stream}};
  const char *first = nullptr;
  nxs_id device = 0;
  for (const auto &[name, id] : all) {
    const nxs_id of = id == 0 ? 0 : objects.deviceOf(id);
    if (of == 0) continue;
    if (device != 0 && of != device) {
      call.find(Message::OtherDevice, NXS_InvalidDevice, first, " belongs to ", idText(device),
                ", but ", name, " to ", idText(of));
      return;
    }
    first = name;
    device = of;
  }
}

}  // namespace

void before(Call &call) {
  if (call.is("ReleaseStream")) askLast(call);
  const Locked objects;
  checkSameDevice(call, *objects);
  checkMemory(call, *objects);
  checkRecording(call, *objects);
  checkStreams(call, *objects);
}

void after(Call &call) {
  const Given &given = call.given;
  const bool adds = given.makes != 0 || given.out_ticket != nullptr;
  const Place place = adds ? presentPlace() : Place{};
  if (given.makes != 0) noteMade(call, place);
  {
    const Locked objects;
    if (given.out_ticket != nullptr) noteSubmission(call, *objects, place);
    if (call.function().starts_with("nxsRelease")) noteReleased(given, *objects);
    noteChanged(call, *objects);
  }
  checkAnswers(call);
}

void refused(Call &call, nxs_status status) {
  checkClaims(call, status);
  // The buffer is released also if memory around it was found overwritten.
  if (!call.is("ReleaseBuffer") || status != NXS_InvalidMemObject) return;
  reportOutOfBounds(call, status, threadErrorRecord());
  const Locked objects;
  noteReleased(call.given, *objects);
}

}  // namespace nexus::core::layers::validation
