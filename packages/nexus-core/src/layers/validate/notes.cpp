// SPDX-License-Identifier: Apache-2.0
//
// What calls change: objects that are made, what they say of themselves, and their end.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/data_type.hpp"
#include "base/error_record.hpp"
#include "layers/validate/checks.hpp"
#include "layers/validate/leaks.hpp"

namespace nexus::core::layers::validation {
namespace {

// Whole numbers that the object states; fewer where it states none. Not under the lock.
std::vector<int64_t> statedNumbers(const Call &call, Getter getter, nxs_property property,
                                   std::size_t most) {
  std::vector<int64_t> numbers(most);
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = numbers.data();
  value.capacity = most * sizeof(int64_t);
  const nxs_status status = (call.next().*getter)(*call.given.made, property, &value);
  const bool known = status == NXS_Success && value.size <= value.capacity &&
                     value.type == (most == 1 ? NXS_ValueType_Int : NXS_ValueType_IntVec);
  numbers.resize(known ? value.size / sizeof(int64_t) : 0);
  return numbers;
}

// One above 0; 0 where there is none.
uint64_t statedNumber(const Call &call, Getter getter, nxs_property property) {
  const std::vector<int64_t> numbers = statedNumbers(call, getter, property, 1);
  return numbers.empty() || numbers[0] < 0 ? 0 : static_cast<uint64_t>(numbers[0]);
}

std::string textOf(const nxs_string &text) {
  return text.data == nullptr ? std::string()
                              : std::string(text.data, static_cast<std::size_t>(text.size));
}

void readArguments(const Call &call, KernelFacts &kernel) {
  constexpr uint64_t kMost = 1024;  // that are looked at
  const uint64_t count = call.claims(NXS_Capability_ArgumentInfo)
                             ? statedNumber(call, &nxs_functions::GetKernelProperty, NP_Count)
                             : 0;
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
  const auto sizes = statedNumbers(call, &nxs_functions::GetKernelProperty, property, 3);
  Counts counts{};
  if (sizes.size() == 3) std::copy(sizes.begin(), sizes.end(), counts.begin());
  return counts;
}

KernelFacts readKernel(const Call &call) {
  KernelFacts kernel;
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
  return kernel;
}

DeviceFacts readDevice(const Call &call) {
  constexpr Getter get = &nxs_functions::GetDeviceProperty;
  DeviceFacts device;
  device.alignment = statedNumber(call, get, NP_BufferOffsetAlignment);
  device.max_group = statedNumber(call, get, NP_MaxThreadsPerBlock);
  device.max_local = statedNumber(call, get, NP_MaxThreadgroupMemorySize);
  device.max_buffer = statedNumber(call, get, NP_MaxBufferSize);
  return device;
}

BufferFacts readBuffer(const Call &call) {
  const Given &given = call.given;
  BufferFacts buffer;
  buffer.size = call.is("ImportBuffer")
                    ? statedNumber(call, &nxs_functions::GetBufferProperty, NP_Size)
                    : given.size;
  if (call.is("CreateBufferFromHandle")) {
    // Where a handle is an address that the host uses too, uses of it by its address count.
    buffer.base = given.handle + given.offset;
  } else if ((given.settings & NXS_BufferSettings_Maintain) != 0) {
    buffer.base = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(given.host_ptr));
  } else {
    buffer.space = *given.made;
  }
  return buffer;
}

EventFacts readEvent(const Call &call) {
  EventFacts event;
  event.timed = (call.given.settings & NXS_ExecutionSettings_Timing) != 0;
  event.imported = call.is("ImportEvent");
  return event;
}

void checkGivenId(Call &call, nxs_id id, nxs_object_type type) {
  if (id <= 0 || NXS_ID_TYPE(id) != type || NXS_ID_TAG(id) != call.tag()) {
    call.blame(Message::GivenId, join("it gave ", idText(id),
                                      ", which is no id of that type with the plug-in's tag"));
    return;
  }
  const Locked objects;
  if (type != NXS_ObjectType_Device && objects->lives(id)) {
    call.blame(Message::GivenId,
               join("it gave ", idText(id), ", which is the id of an object that lives"));
  }
}

// Notes an object with what is known of every one: where it was made, and on which device, which is
// that of what it is made of.
template <typename T>
void note(const Call &call, Table<T> Objects::*table, T facts) {
  const Given &given = call.given;
  facts.place = presentPlace();
  facts.of_core = OwnObjects::present();
  const Locked objects;
  facts.device = given.device != 0     ? given.device
                 : given.library != 0  ? objects->deviceOf(given.library)
                 : given.schedule != 0 ? objects->deviceOf(given.schedule)
                                       : *given.made;
  ((*objects).*table).add(*given.made) = std::move(facts);
}

void noteCommand(const Call &call) {
  const Given &given = call.given;
  CommandFacts made;
  made.id = *given.made;
  made.schedule = given.schedule;
  made.finalized = given.kernel == 0;
  if (made.finalized) made.uses = call.uses;  // of a copy or a fill
  {
    const Locked objects;
    made.kernel = objects->kernels.find(given.kernel);
    // A plug-in that took a circle would have the layer go round in it.
    if (given.nested != given.schedule) made.nested = objects->schedules.find(given.nested);
  }
  note(call, &Objects::commands, std::move(made));
  const Locked objects;
  if (const auto schedule = objects->schedules.find(given.schedule)) {
    schedule->commands.push_back(objects->commands.find(*given.made));
  }
}

void noteMade(Call &call) {
  checkGivenId(call, *call.given.made, call.given.makes);
  switch (call.given.makes) {
    case NXS_ObjectType_Device: {
      {
        const Locked objects;
        if (objects->devices.has(*call.given.made)) return;
      }
      return note(call, &Objects::devices, readDevice(call));
    }
    case NXS_ObjectType_Buffer:
      return note(call, &Objects::buffers, readBuffer(call));
    case NXS_ObjectType_Library: {
      Facts library;
      if (call.given.name != nullptr) library.name = textOf(*call.given.name);
      return note(call, &Objects::libraries, std::move(library));
    }
    case NXS_ObjectType_Kernel:
      return note(call, &Objects::kernels, readKernel(call));
    case NXS_ObjectType_Stream: {
      note(call, &Objects::streams, StreamFacts{});
      const Locked objects;
      return objects->order.addStream(*call.given.made);
    }
    case NXS_ObjectType_Event:
      return note(call, &Objects::events, readEvent(call));
    case NXS_ObjectType_Schedule:
      return note(call, &Objects::schedules, ScheduleFacts{});
    default:
      return noteCommand(call);
  }
}

// The one object that a call is given, which ends.
void noteReleased(const Given &given) {
  const Locked objects;
  if (const auto buffer = objects->buffers.find(given.buffer);
      buffer != nullptr && buffer->space != 0) {
    objects->order.forget(buffer->space);
  }
  if (given.stream != 0) objects->order.releaseStream(given.stream);
  if (const auto schedule = objects->schedules.find(given.schedule)) {
    for (const auto &command : schedule->commands) objects->commands.remove(command->id);
  }
  if (const auto command = objects->commands.find(given.command)) {
    if (const auto schedule = objects->schedules.find(command->schedule);
        schedule != nullptr && !command->finalized) {
      std::erase(schedule->commands, command);
    }
  }
  for (const nxs_id id : {given.buffer, given.library, given.kernel, given.stream, given.event,
                          given.schedule, given.command}) {
    objects->remove(id);
  }
}

// Notes what a command has now, or how a buffer is mapped.
void noteChanged(const Call &call) {
  const Given &given = call.given;
  const Locked objects;
  if (const auto command = objects->commands.find(given.command)) {
    if (call.is("FinalizeCommand")) command->finalized = true;
    if (given.argument != nullptr) {
      command->arguments[given.index] = {given.argument->kind, given.argument->size,
                                         call.uses.empty() ? Use{} : call.uses.front()};
    }
  }
  const nxs_id mapped = given.range != nullptr ? given.range->buffer : given.buffer;
  if (const auto buffer = objects->buffers.find(mapped)) {
    if (given.mapped != nullptr) buffer->mappings.insert(*given.mapped);
    const auto ended = buffer->mappings.find(const_cast<void *>(given.pointer));
    if (call.is("UnmapBuffer") && ended != buffer->mappings.end()) buffer->mappings.erase(ended);
  }
}

// That the objects which a call is given together are of one device. An event may be waited for on
// any, and times are of any two.
void checkSameDevice(Call &call) {
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
  for (const auto &[what, id] : all) {
    nxs_id of = 0;
    if (id != 0) {
      const Locked objects;
      of = objects->deviceOf(id);
    }
    if (of == 0) continue;
    if (device != 0 && of != device) {
      call.find(Message::OtherDevice, NXS_InvalidDevice,
                join(first, " is of ", idText(device), ", and ", what, " of ", idText(of)));
      return;
    }
    first = what;
    device = of;
  }
}

}  // namespace

void before(Call &call) {
  checkSameDevice(call);
  checkMemory(call);
  checkRecording(call);
  checkStreams(call);
}

void after(Call &call) {
  if (call.given.makes != 0) noteMade(call);
  if (call.given.out_ticket != nullptr) noteSubmission(call);
  if (call.function().starts_with("nxsRelease")) noteReleased(call.given);
  noteChanged(call);
  checkAnswers(call);
}

void refused(Call &call, nxs_status status) {
  checkClaims(call, status);
  // The buffer is released also where what lies around it was found overwritten.
  if (!call.is("ReleaseBuffer") || status != NXS_InvalidMemObject) return;
  const auto record = findErrorRecord(threadErrorRecord());
  report(call.tag(), call.function(),
         {Message::OutOfBounds, status, record ? record->text : std::string()}, false);
  noteReleased(call.given);
}

}  // namespace nexus::core::layers::validation
