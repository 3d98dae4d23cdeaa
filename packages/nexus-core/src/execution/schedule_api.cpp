// SPDX-License-Identifier: Apache-2.0
//
// The C functions of schedules and commands.
#include <utility>

#include "execution/schedule.hpp"
#include "stream/stream.hpp"

using namespace nexus::core;

nxs_status nexus_device_create_schedule(nexus_device *device, nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule", [&] {
    Device &on = given<Device>(device, "device");
    return listed(on, make<Schedule>(on));
  });
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

nxs_status nexus_command_discard(nexus_command *command) {
  return guarded([&] {
    Command &discarded = given<Command>(command, "command");
    discarded.schedule().discard(discarded);
  });
}

nxs_status nexus_command_get_command_type(nexus_command *command, nxs_command_type *out_type) {
  return giveResult(out_type, "out_type",
                    [&] { return given<Command>(command, "command").commandType(); });
}

nxs_status nexus_command_get_kernel(nexus_command *command, nexus_kernel **out_kernel) {
  return giveResult(out_kernel, "out_kernel", [&] {
    Ref<Kernel> kernel = given<Command>(command, "command").kernel();
    if (!kernel) {
      failWith(NXS_InvalidOperation, "command has no kernel; ask a dispatch command.");
    }
    return kernel;
  });
}

nxs_status nexus_command_get_event(nexus_command *command, nexus_event **out_event) {
  return giveResult(out_event, "out_event", [&] {
    Event *event = given<Command>(command, "command").event();
    if (event == nullptr) {
      failWith(NXS_InvalidOperation, "command has no event; ask a signal or a wait command.");
    }
    return Ref(event);
  });
}

nxs_status nexus_command_get_schedule(nexus_command *command, nexus_schedule **out_schedule) {
  return giveResult(out_schedule, "out_schedule", [&] {
    Ref<Schedule> nested = given<Command>(command, "command").nested();
    if (!nested) {
      failWith(NXS_InvalidOperation, "command runs no other schedule; ask a schedule command.");
    }
    return nested;
  });
}

nxs_status nexus_command_set_value(nexus_command *command, uint64_t value, uint64_t step) {
  return guarded([&] { given<Command>(command, "command").setValue(value, step); });
}

nxs_status nexus_command_set_buffer(nexus_command *command, uint32_t index, nexus_buffer *buffer) {
  return guarded([&] {
    Command &to = given<Command>(command, "command");
    Buffer &bound = given<Buffer>(buffer, "buffer");
    Device &device = to.schedule().device();
    Argument argument = Argument::ofBuffer(bound, device);
    if (bound.offset() % device.offsetAlignment() != 0) {
      failWith(NXS_MisalignedSubBufferOffset, "buffer is a slice from byte ", bound.offset(),
               " on, and an argument on '", device.selector(),
               "' begins at a multiple of its BufferOffsetAlignment, ", device.offsetAlignment(),
               " bytes; move the slice or copy it to a buffer of its own.");
    }
    to.setArgument(index, std::move(argument));
  });
}

nxs_status nexus_command_set_scalar(nexus_command *command, uint32_t index, const void *data,
                                    uint64_t size, nxs_data_type data_type) {
  return guarded([&] {
    Command &to = given<Command>(command, "command");
    requirePointer(data, "data");
    if (size == 0) {
      failWith(NXS_InvalidArgSize, "size is 0; give the bytes of the scalar.");
    }
    to.setArgument(index, Argument::ofScalar(data, size, data_type));
  });
}

nxs_status nexus_command_set_local_memory(nexus_command *command, uint32_t index, uint64_t size) {
  return guarded([&] {
    Command &to = given<Command>(command, "command");
    if (size == 0) {
      failWith(NXS_InvalidArgSize, "size is 0; give the bytes of one group's local memory.");
    }
    to.setArgument(index, Argument::ofLocalMemory(size));
  });
}

nxs_status nexus_command_finalize(nexus_command *command, const nexus_launch_desc *desc) {
  return guarded([&] {
    Command &final = given<Command>(command, "command");
    final.finalize(readLaunch(desc));
  });
}
