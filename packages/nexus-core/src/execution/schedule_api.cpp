// SPDX-License-Identifier: Apache-2.0
//
// The C functions of schedules and commands.
#include <string>
#include <utility>

#include "base/sink.hpp"
#include "execution/schedule.hpp"
#include "stream/stream.hpp"

using namespace nexus::core;

nxs_status nexus_device_create_schedule(nexus_device *device, nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule", [&] {
    Device &on = given<Device>(device, "device");
    return listed(on, make<Schedule>(on));
  });
}

nxs_status nexus_kernel_create_schedule(nexus_kernel *kernel, nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule",
                    [&] { return make<Schedule>(given<Kernel>(kernel, "kernel").device(), true); });
}

nxs_status nexus_schedule_get_device(nexus_schedule *schedule, nexus_device **out_device) {
  return giveResult(out_device, "out_device",
                    [&] { return Ref(given<Schedule>(schedule, "schedule").device()); });
}

nxs_status nexus_schedule_prepare(nexus_schedule *schedule, nexus_stream *stream) {
  return guarded([&] {
    Schedule &ready = given<Schedule>(schedule, "schedule");
    ready.prepare(queueOf(stream, ready.device(), "schedule"));
  });
}

nxs_status nexus_schedule_get_elapsed_time(nexus_schedule *schedule, double *out_nanoseconds) {
  return giveResult(out_nanoseconds, "out_nanoseconds",
                    [&] { return given<Schedule>(schedule, "schedule").elapsed(); });
}

nxs_status nexus_schedule_run(nexus_schedule *schedule, nexus_stream *stream,
                              nxs_execution_settings settings, uint64_t timeout, uint64_t times) {
  return guarded([&] {
    Schedule &run = given<Schedule>(schedule, "schedule");
    run.run(queueOf(stream, run.device(), "schedule"), settings, timeout, times);
  });
}

nxs_status nexus_schedule_command_count(nexus_schedule *schedule, uint64_t *out_count) {
  return giveResult(out_count, "out_count",
                    [&] { return given<Schedule>(schedule, "schedule").commandCount(); });
}

nxs_status nexus_schedule_get_command(nexus_schedule *schedule, uint64_t index,
                                      nexus_command **out_command) {
  return giveResult(out_command, "out_command",
                    [&] { return Ref(given<Schedule>(schedule, "schedule").command(index)); });
}

nxs_status nexus_schedule_create_command(nexus_schedule *schedule, nexus_kernel *kernel,
                                         nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addKernel(given<Kernel>(kernel, "kernel")));
  });
}

nxs_status nexus_schedule_create_copy_command(nexus_schedule *schedule, nexus_buffer *destination,
                                              nexus_buffer *source, nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(
        to.addCopy(given<Buffer>(destination, "destination"), given<Buffer>(source, "source")));
  });
}

nxs_status nexus_schedule_create_fill_command(nexus_schedule *schedule, nexus_buffer *buffer,
                                              const void *pattern, uint64_t pattern_size,
                                              nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addFill(given<Buffer>(buffer, "buffer"), pattern, pattern_size));
  });
}

nxs_status nexus_schedule_create_signal_command(nexus_schedule *schedule, nexus_event *event,
                                                uint64_t value, uint64_t step,
                                                nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addEvent(NXS_CommandType_Signal, given<Event>(event, "event"), value, step));
  });
}

nxs_status nexus_schedule_create_wait_command(nexus_schedule *schedule, nexus_event *event,
                                              uint64_t value, uint64_t step,
                                              nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addEvent(NXS_CommandType_Wait, given<Event>(event, "event"), value, step));
  });
}

nxs_status nexus_schedule_create_buffer(nexus_schedule *schedule, const nexus_buffer_desc *desc,
                                        nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Schedule &of = given<Schedule>(schedule, "schedule");
    return listed(of.device(), of.createBuffer(layoutOfScratch(desc)));
  });
}

nxs_status nexus_schedule_create_schedule_command(nexus_schedule *schedule, nexus_schedule *nested,
                                                  nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    return Ref(to.addNested(given<Schedule>(nested, "nested")));
  });
}

nxs_status nexus_schedule_create_host_command(nexus_schedule *schedule,
                                              const nexus_host_function *function,
                                              nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    requireWhole(function, "function", "nexus_host_function");
    return Ref(to.addHostFunction(*function));
  });
}

nxs_status nexus_schedule_create_if_command(nexus_schedule *schedule, nexus_buffer *condition,
                                            nexus_schedule *then, nexus_schedule *otherwise,
                                            nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    Buffer &value = given<Buffer>(condition, "condition");
    std::vector<Schedule *> bodies{&given<Schedule>(then, "then")};
    if (otherwise != nullptr) bodies.push_back(&given<Schedule>(otherwise, "otherwise"));
    return Ref(to.addCondition(NXS_CommandType_If, value, bodies, 0));
  });
}

nxs_status nexus_schedule_create_while_command(nexus_schedule *schedule, nexus_buffer *condition,
                                               nexus_schedule *body, uint64_t max_count,
                                               nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    Buffer &value = given<Buffer>(condition, "condition");
    return Ref(
        to.addCondition(NXS_CommandType_While, value, {&given<Schedule>(body, "body")}, max_count));
  });
}

nxs_status nexus_schedule_create_switch_command(nexus_schedule *schedule, nexus_buffer *selector,
                                                nexus_schedule *const *cases, uint64_t count,
                                                nexus_command **out_command) {
  return giveResult(out_command, "out_command", [&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    Buffer &value = given<Buffer>(selector, "selector");
    std::vector<Schedule *> bodies;
    for (uint64_t i = 0; i < count; ++i) {
      requirePointer(cases, "cases");
      const std::string entry = "cases[" + std::to_string(i) + "]";
      bodies.push_back(&given<Schedule>(cases[i], entry.c_str()));
    }
    return Ref(to.addCondition(NXS_CommandType_Switch, value, bodies, 0));
  });
}

nxs_status nexus_schedule_set_after(nexus_schedule *schedule, nexus_command *const *after,
                                    uint64_t count) {
  return guarded([&] {
    Schedule &to = given<Schedule>(schedule, "schedule");
    Predecessors predecessors;
    if (after != nullptr) {
      predecessors.emplace();
      for (uint64_t i = 0; i < count; ++i) {
        const std::string entry = "after[" + std::to_string(i) + "]";
        predecessors->push_back(&given<Command>(after[i], entry.c_str()));
      }
    }
    to.setNextPredecessors(std::move(predecessors));
  });
}

nxs_status nexus_schedule_begin_parallel(nexus_schedule *schedule) {
  return guarded([&] { given<Schedule>(schedule, "schedule").beginParallel(); });
}

nxs_status nexus_schedule_end_parallel(nexus_schedule *schedule) {
  return guarded([&] { given<Schedule>(schedule, "schedule").endParallel(); });
}

nxs_status nexus_command_get_command_type(nexus_command *command, nxs_command_type *out_type) {
  return giveResult(out_type, "out_type",
                    [&] { return given<Command>(command, "command").commandType(); });
}

nxs_status nexus_command_get_kernel(nexus_command *command, nexus_kernel **out_kernel) {
  return giveResult(out_kernel, "out_kernel", [&] {
    Ref<Kernel> kernel = given<Command>(command, "command").kernel();
    if (!kernel) {
      failWith(NXS_InvalidOperation, "command has no kernel; give a kernel command.");
    }
    return kernel;
  });
}

nxs_status nexus_command_get_event(nexus_command *command, nexus_event **out_event) {
  return giveResult(out_event, "out_event", [&] {
    Event *event = given<Command>(command, "command").event();
    if (event == nullptr) {
      failWith(NXS_InvalidOperation, "command has no event; give a signal or a wait command.");
    }
    return Ref(event);
  });
}

nxs_status nexus_command_get_schedule(nexus_command *command, nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule", [&] {
    Ref<Schedule> nested = given<Command>(command, "command").nested();
    if (!nested) {
      failWith(NXS_InvalidOperation, "command runs no schedule; give a schedule command.");
    }
    return nested;
  });
}

nxs_status nexus_command_body_count(nexus_command *command, uint64_t *out_count) {
  return giveResult(out_count, "out_count",
                    [&] { return uint64_t{given<Command>(command, "command").bodies().size()}; });
}

nxs_status nexus_command_get_body(nexus_command *command, uint64_t index,
                                  nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule", [&] {
    std::vector<Ref<Schedule>> bodies = given<Command>(command, "command").bodies();
    if (index >= bodies.size()) {
      failWith(NXS_InvalidValue, "index is ", index, ", and the command has ", bodies.size(),
               " schedules, counted from 0.");
    }
    return bodies[index];
  });
}

nxs_status nexus_command_get_buffer(nexus_command *command, uint32_t index,
                                    nexus_buffer **out_buffer) {
  return giveResult(out_buffer, "out_buffer", [&] {
    Ref<Buffer> buffer = given<Command>(command, "command").buffer(index);
    return buffer->device() == nullptr ? buffer : listed(*buffer->device(), buffer);
  });
}

nxs_status nexus_command_describe(nexus_command *command, const nxs_sink *json) {
  return guarded(
      [&] { writeTo(json, "json", json::write(given<Command>(command, "command").recording())); });
}

nxs_status nexus_command_set_value(nexus_command *command, uint64_t value, uint64_t step) {
  return guarded([&] { given<Command>(command, "command").setValue(value, step); });
}

nxs_status nexus_command_set_buffer(nexus_command *command, uint32_t index, nexus_buffer *buffer) {
  return guarded([&] {
    given<Command>(command, "command").setBuffer(index, given<Buffer>(buffer, "buffer"));
  });
}

nxs_status nexus_command_set_scalar(nexus_command *command, uint32_t index, const void *data,
                                    uint64_t size, nxs_data_type data_type) {
  return guarded(
      [&] { given<Command>(command, "command").setScalar(index, data, size, data_type); });
}

nxs_status nexus_command_set_local_memory(nexus_command *command, uint32_t index, uint64_t size) {
  return guarded([&] { given<Command>(command, "command").setLocalMemory(index, size); });
}

nxs_status nexus_command_set_enabled(nexus_command *command, int32_t enabled) {
  return guarded([&] { given<Command>(command, "command").setEnabled(enabled != 0); });
}

nxs_status nexus_command_is_enabled(nexus_command *command, int32_t *out_enabled) {
  return giveResult(out_enabled, "out_enabled",
                    [&] { return given<Command>(command, "command").enabled() ? 1 : 0; });
}

nxs_status nexus_command_remove(nexus_command *command) {
  return guarded([&] {
    Command &removed = given<Command>(command, "command");
    removed.schedule().remove(removed);
  });
}

nxs_status nexus_schedule_clear(nexus_schedule *schedule) {
  return guarded([&] { given<Schedule>(schedule, "schedule").clear(); });
}

nxs_status nexus_command_finalize(nexus_command *command, const nexus_launch_desc *desc) {
  return guarded([&] {
    Command &final = given<Command>(command, "command");
    final.finalize(readLaunch(desc));
  });
}
