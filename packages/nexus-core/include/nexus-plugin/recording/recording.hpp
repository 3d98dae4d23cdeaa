// SPDX-License-Identifier: Apache-2.0
// Schedules and their commands, implemented once for every backend: the list, arguments, nesting,
// properties, and all C functions. A backend names its tables and classes,
//
//   struct Recording : RecordingOf<devices, kernels, buffers, streams, KernelCommand, Transfer,
//                                  Schedule> {};
//
// and its classes translate commands for the driver and run them:
//
//   class KernelCommand : RecordedKernel<Recording>           a launch; a Kernel has name() and
//                                                             specs()
//     KernelCommand(Ref<Kernel>);
//     void lower_argument(uint32_t index, const Argument<Buffer> &argument);
//     Launch lower_launch(const nxs_launch &launch);
//   class Transfer : BufferTransfer<Buffer>                   a copy or a fill
//     Transfer(BufferTransfer<Buffer>);
//     nxs_ticket submit_to(Stream &stream) &&;
//   class Schedule : RecordedSchedule<Recording>, or QueuedSchedule if streams are queues
//     static nxs_ticket run(Ref<Schedule>, nxs_id stream, nxs_execution_settings);
//     void prepare(nxs_id stream);
//     void check_condition(const RecordedCondition<Recording> &) const;  optional: throws
//                                                             NXS_NotSupported
//   class Captured                                            work of other libraries; optional
//     bool empty() const;
//
// Each lower_...() gets checked values; if it throws, it must have changed nothing. lower_launch()
// is called when all arguments are set, and again for each new launch of the same command. If
// objects have device(), a device has name(), for check_same_device().
#ifndef NEXUS_PLUGIN_RECORDING_HPP_
#define NEXUS_PLUGIN_RECORDING_HPP_

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/recording/queued_schedule.hpp>

#include <mutex>
#include <type_traits>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// The handle tables and classes of a backend. Its devices must never be released.
template <auto &kDevices, auto &kKernels, auto &kBuffers, auto &kStreams, class KernelCommandClass,
          class TransferClass, class ScheduleClass, class CapturedClass = NoCaptured>
struct RecordingOf {
  template <auto &kTable>
  using ObjectOf = typename std::remove_reference_t<decltype(kTable)>::Object;

  using Device = ObjectOf<kDevices>;
  using Kernel = ObjectOf<kKernels>;
  using Buffer = ObjectOf<kBuffers>;
  using Stream = ObjectOf<kStreams>;
  using KernelCommand = KernelCommandClass;
  using Transfer = TransferClass;
  using Schedule = ScheduleClass;
  using Captured = CapturedClass;
  static constexpr auto &devices = kDevices;
  static constexpr auto &kernels = kKernels;
  static constexpr auto &buffers = kBuffers;
  static constexpr auto &streams = kStreams;
};

// The bodies of NEXUS_PLUGIN_RECORDING's functions.
template <class R>
struct RecordingFunctions {
  using Schedule = typename R::Schedule;
  using Transfer = typename R::Transfer;
  using Ranges = BufferTransfer<typename R::Buffer>;
  static constexpr auto &commands = Recorded<R>::commands;
  static constexpr auto &schedules = Recorded<R>::schedules;

  static nxs_id create_command(nxs_id schedule, nxs_id kernel) {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<typename R::Kernel> code = R::kernels.pin(kernel);
    detail::require_same_device("kernel", *code, *owner);
    return owner->add(schedule, typename R::KernelCommand(std::move(code)));
  }

  static nxs_id create_schedule_command(nxs_id schedule, nxs_id nested) {
    const Ref<Schedule> owner = schedules.pin(schedule);
    Ref<Schedule> inner = schedules.pin(nested);
    detail::require_same_device("nested schedule", *inner, *owner);
    return owner->add_nested(schedule, std::move(inner));
  }

  static nxs_id create_condition_command(nxs_id schedule, nxs_command_type type,
                                         const nxs_buffer_range *value, const nxs_id *bodies,
                                         uint64_t count, uint64_t max_count) {
    const Ref<Schedule> owner = schedules.pin(schedule);
    const bool is_switch = type == NXS_CommandType_Switch;
    if (!is_switch && type != NXS_CommandType_If && type != NXS_CommandType_While) {
      throw Error(NXS_InvalidValue, "type is ", type, ", which is not a condition");
    }
    if (!is_switch && (count == 0 || count > (type == NXS_CommandType_If ? 2 : 1))) {
      throw Error(NXS_InvalidValue, "body_count is ", count,
                  "; an if has 1 or 2 bodies and a while has 1");
    }
    RecordedCondition<R> made{type, pin_range(R::buffers, value, "value"), {}, max_count};
    detail::require_same_device("buffer", *made.value.buffer, *owner);
    if (made.value.size != sizeof(uint32_t) || made.value.offset % sizeof(uint32_t) != 0) {
      throw Error(NXS_InvalidValue, "value has ", made.value.size, " bytes at ", made.value.offset,
                  "; it must be 4 bytes, at a multiple of 4");
    }
    if (count != 0) check_pointer(bodies, "bodies");
    for (uint64_t i = 0; i < count; ++i) {
      made.bodies.push_back(schedules.pin(bodies[i]));
      detail::require_same_device("body", *made.bodies.back(), *owner);
    }
    if constexpr (requires { owner->check_condition(made); }) owner->check_condition(made);
    return owner->add_condition(schedule, std::move(made));
  }

  template <class... Given>
  static nxs_id create_copy_command(nxs_id schedule, Given... given) {
    const Ref<Schedule> owner = schedules.pin(schedule);
    return owner->add(schedule, Transfer(Ranges::copy(R::buffers, *owner, given...)));
  }

  template <class... Given>
  static nxs_id create_fill_command(nxs_id schedule, Given... given) {
    const Ref<Schedule> owner = schedules.pin(schedule);
    return owner->add(schedule, Transfer(Ranges::fill(R::buffers, *owner, given...)));
  }

  template <class... Given>
  static nxs_ticket transfer_buffer(nxs_id stream, Given... given) {
    const auto queue = R::streams.pin(stream);
    return Transfer(Ranges::copy(R::buffers, *queue, given...)).submit_to(*queue);
  }

  template <class... Given>
  static nxs_ticket fill_buffer(nxs_id stream, Given... given) {
    const auto queue = R::streams.pin(stream);
    return Transfer(Ranges::fill(R::buffers, *queue, given...)).submit_to(*queue);
  }

  static void set_argument(nxs_id command, uint32_t index, const nxs_argument *argument) {
    const LockedCommand<R> locked(command);
    auto &kernel = locked.kernel();
    kernel.set(index, argument);
    locked.schedule().note_rebound(kernel);
  }

  static void finalize_command(nxs_id command, const nxs_launch *launch) {
    const LockedCommand<R> locked(command);
    auto &kernel = locked.kernel();
    locked.schedule().refuse_in_flight("a command can't be finalized");
    kernel.finalize(launch);
    locked.schedule().note_changed();
  }

  static void set_predecessors(nxs_id command, const nxs_id *predecessors, uint64_t count) {
    const LockedCommand<R> locked(command);
    locked.schedule().set_predecessors(*locked, predecessors, count);
  }

  static void release_command(nxs_id command) {
    const LockedCommand<R> locked(command);
    (void)commands.release(command);
    if (!(*locked).finalized()) locked.schedule().remove(*locked);
  }

  static void get_command_property(nxs_id command, nxs_property property, nxs_value *out_value) {
    const LockedCommand<R> locked(command);
    detail::command_properties<R>.get(*locked, property, out_value);
  }

  // own: the backend's additional properties.
  template <std::size_t Count>
  static void get_schedule_property(nxs_id schedule, nxs_property property, nxs_value *out_value,
                                    const PropertyTable<Schedule, Count> &own) {
    static constexpr auto common = property_table<Schedule>({
        {NP_Size, [](const Schedule &each) -> Value { return each.size(); }},
        {NP_Status,
         [](const Schedule &each) -> Value {
           const char *status = each.status();
           return status == nullptr ? Value() : Value(status);
         }},
    });
    const Ref<Schedule> asked = schedules.pin(schedule);
    const std::lock_guard lock(asked->mutex());
    joined(common, own).get(*asked, property, out_value);
  }
};

}  // namespace nexus_plugin

// Defines the C functions of schedules and of commands, nxsTransferBuffer and nxsFillBuffer.
//   NEXUS_PLUGIN_RECORDING(Recording, schedule_properties)
// schedule_properties: a PropertyTable of the properties beside NP_Size and NP_Status.
#define NEXUS_PLUGIN_RECORDING(R, schedule_properties)                                            \
  NEXUS_PLUGIN_RESULT(                                                                            \
      CreateSchedule, (nxs_id device, nxs_id * out),                                              \
      nexus_plugin::RecordingFunctions<R>::schedules.create(*R::devices.pin(device)))             \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      ReleaseSchedule, (nxs_id schedule),                                                         \
      nexus_plugin::RecordingFunctions<R>::schedules.release(schedule)->release_commands())       \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      PrepareSchedule, (nxs_id schedule, nxs_id stream),                                          \
      nexus_plugin::RecordingFunctions<R>::schedules.pin(schedule)->prepare(stream))              \
  NEXUS_PLUGIN_RESULT(                                                                            \
      RunSchedule,                                                                                \
      (nxs_id schedule, nxs_id stream, nxs_execution_settings settings, nxs_ticket * out),        \
      R::Schedule::run(nexus_plugin::RecordingFunctions<R>::schedules.pin(schedule), stream,      \
                       settings))                                                                 \
  NEXUS_PLUGIN_FUNCTION(GetScheduleProperty,                                                      \
                        (nxs_id schedule, nxs_property property, nxs_value * out),                \
                        nexus_plugin::RecordingFunctions<R>::get_schedule_property(               \
                            schedule, property, out, schedule_properties))                        \
  NEXUS_PLUGIN_RESULT(CreateCommand, (nxs_id schedule, nxs_id kernel, nxs_id * out),              \
                      nexus_plugin::RecordingFunctions<R>::create_command(schedule, kernel))      \
  NEXUS_PLUGIN_RESULT(                                                                            \
      CreateCopyCommand,                                                                          \
      (nxs_id schedule, const nxs_buffer_range *to, const nxs_buffer_range *from, nxs_id *out),   \
      nexus_plugin::RecordingFunctions<R>::create_copy_command(schedule, to, from))               \
  NEXUS_PLUGIN_RESULT(CreateFillCommand,                                                          \
                      (nxs_id schedule, const nxs_buffer_range *range, const void *pattern,       \
                       uint64_t pattern_size, nxs_id *out),                                       \
                      nexus_plugin::RecordingFunctions<R>::create_fill_command(                   \
                          schedule, range, pattern, pattern_size))                                \
  NEXUS_PLUGIN_RESULT(                                                                            \
      CreateScheduleCommand, (nxs_id schedule, nxs_id nested, nxs_id * out),                      \
      nexus_plugin::RecordingFunctions<R>::create_schedule_command(schedule, nested))             \
  NEXUS_PLUGIN_RESULT(CreateConditionCommand,                                                     \
                      (nxs_id schedule, nxs_command_type type, const nxs_buffer_range *value,     \
                       const nxs_id *bodies, uint64_t count, uint64_t most, nxs_id *out),         \
                      nexus_plugin::RecordingFunctions<R>::create_condition_command(              \
                          schedule, type, value, bodies, count, most))                            \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      SetCommandArgument, (nxs_id command, uint32_t index, const nxs_argument *argument),         \
      nexus_plugin::RecordingFunctions<R>::set_argument(command, index, argument))                \
  NEXUS_PLUGIN_FUNCTION(FinalizeCommand, (nxs_id command, const nxs_launch *launch),              \
                        nexus_plugin::RecordingFunctions<R>::finalize_command(command, launch))   \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      SetCommandPredecessors, (nxs_id command, const nxs_id *predecessors, uint64_t count),       \
      nexus_plugin::RecordingFunctions<R>::set_predecessors(command, predecessors, count))        \
  NEXUS_PLUGIN_FUNCTION(ReleaseCommand, (nxs_id command),                                         \
                        nexus_plugin::RecordingFunctions<R>::release_command(command))            \
  NEXUS_PLUGIN_FUNCTION(                                                                          \
      GetCommandProperty, (nxs_id command, nxs_property property, nxs_value * out),               \
      nexus_plugin::RecordingFunctions<R>::get_command_property(command, property, out))          \
  NEXUS_PLUGIN_RESULT(                                                                            \
      TransferBuffer,                                                                             \
      (nxs_id stream, const nxs_buffer_range *to, const nxs_buffer_range *from, nxs_ticket *out), \
      nexus_plugin::RecordingFunctions<R>::transfer_buffer(stream, to, from))                     \
  NEXUS_PLUGIN_RESULT(                                                                            \
      FillBuffer,                                                                                 \
      (nxs_id stream, const nxs_buffer_range *range, const void *pattern, uint64_t pattern_size,  \
       nxs_ticket *out),                                                                          \
      nexus_plugin::RecordingFunctions<R>::fill_buffer(stream, range, pattern, pattern_size))

#endif  // NEXUS_PLUGIN_RECORDING_HPP_
