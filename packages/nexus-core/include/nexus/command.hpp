// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_COMMAND_HPP_
#define NEXUS_COMMAND_HPP_

#include <nexus/buffer.hpp>
#include <nexus/data_type.hpp>
#include <nexus/event.hpp>
#include <nexus/kernel.hpp>
#include <nexus/launch.hpp>
#include <nexus/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace nexus {

class Schedule;

/// One step of a schedule. Made by the create...Command functions of Schedule.
///
/// A kernel command needs its arguments and finalize() before the schedule runs; arguments set
/// after that apply to later runs. Threads: only one thread at a time may record a schedule and its
/// commands.
class Command : public Object {
 public:
  Command() noexcept = default;
  /// Takes over the caller's reference.
  explicit Command(nexus_command *object) noexcept : Object(object) {}

  nxs_command_type getType() const {
    return detail::result<nxs_command_type>(nexus_command_get_command_type, get());
  }

  /// Returns the kernel of a kernel command; throws NXS_InvalidOperation for others.
  Kernel getKernel() const { return detail::result<Kernel>(nexus_command_get_kernel, get()); }

  /// Returns the event of a signal or wait command; throws NXS_InvalidOperation for others.
  Event getEvent() const { return detail::result<Event>(nexus_command_get_event, get()); }

  /// Returns the schedule that a schedule command runs; throws NXS_InvalidOperation for others.
  /// Defined in <nexus/schedule.hpp>.
  Schedule getSchedule() const;

  /// Returns the schedules of an if (`then` and, if given, `otherwise`), a while (its body) or a
  /// switch (its cases).
  std::vector<Schedule> getBodies() const;

  /// Returns a buffer over the memory of a kernel's argument as it was last set. The buffers of a
  /// copy are 0, the destination, and 1, the source; that of a fill or a condition is 0. Throws
  /// NXS_InvalidArgIndex or NXS_InvalidArgValue if there is no buffer.
  Buffer getBuffer(std::uint32_t index) const {
    return detail::result<Buffer>(nexus_command_get_buffer, get(), index);
  }

  /// Returns what was recorded, as the text of a JSON object: see nexus_command_describe.
  std::string describe() const { return detail::written(nexus_command_describe, get()); }

  /// Sets the value of a signal or wait command: the next run uses value, the one after it value +
  /// step.
  void setValue(std::uint64_t value, std::uint64_t step = 1) const {
    detail::check(nexus_command_set_value(get(), value, step));
  }

  /// Binds a buffer: the argument of a kernel, the destination (0) or the source (1) of a copy, the
  /// buffer (0) of a fill. Throws NXS_InvalidArgIndex for another index.
  void setBuffer(std::uint32_t index, const Buffer &buffer) const {
    detail::check(nexus_command_set_buffer(get(), index, buffer.get()));
  }

  /// Passes bytes by value: the argument of a kernel, or the pattern (1) of a fill.
  void setScalar(std::uint32_t index, const void *data, std::uint64_t size,
                 nxs_data_type dataType = NXS_DataType_Undefined) const {
    detail::check(nexus_command_set_scalar(get(), index, data, size, dataType));
  }

  /// Passes a number by value, in the width of its C++ type.
  template <class T>
    requires std::is_trivially_copyable_v<T> && (!std::derived_from<T, Object>)
  void setScalar(std::uint32_t index, const T &value) const {
    setScalar(index, &value, sizeof(value), dataTypeOf<T>());
  }

  /// Allocates size bytes of local memory for each group, as the argument.
  void setLocalMemory(std::uint32_t index, std::uint64_t size) const {
    detail::check(nexus_command_set_local_memory(get(), index, size));
  }

  /// Binds a buffer, allocates local memory, or passes a number by value.
  void setArgument(std::uint32_t index, const Buffer &buffer) const { setBuffer(index, buffer); }
  void setArgument(std::uint32_t index, const LocalMemory &memory) const {
    setLocalMemory(index, memory.size);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T> && (!std::derived_from<T, Object>)
  void setArgument(std::uint32_t index, const T &value) const {
    setScalar(index, value);
  }

  /// The same for the argument of that name: see Kernel::findArgument.
  template <class T>
  void setArgument(std::string_view name, const T &value) const {
    setArgument(getKernel().findArgument(name), value);
  }

  /// Checks the arguments and sets the sizes, both in work items: finalize(32, 1024), finalize({16,
  /// 16}, {1920, 1080}), finalize({}, 1024) to let the backend choose the group.
  void finalize(const Extent &groupSize, const Extent &gridSize) const {
    finalize(Launch{.groupSize = groupSize, .gridSize = gridSize});
  }

  /// Throws NXS_NotSupported if the backend or the device lacks clusters, cooperative or
  /// programmatic launches.
  void finalize(const Launch &launch) const {
    const nexus_launch_desc desc = launch.toNative();
    detail::check(nexus_command_finalize(get(), &desc));
  }

  /// A command that is not enabled does nothing in later runs; the others keep their order.
  void setEnabled(bool enabled) const {
    detail::check(nexus_command_set_enabled(get(), enabled ? 1 : 0));
  }
  bool isEnabled() const {
    return detail::result<std::int32_t>(nexus_command_is_enabled, get()) != 0;
  }

  /// Removes the command from its schedule. It can't be used afterwards. Throws
  /// NXS_InvalidOperation if a run of the schedule is in flight.
  void remove() const { detail::check(nexus_command_remove(get())); }
};

}  // namespace nexus

#endif  // NEXUS_COMMAND_HPP_
