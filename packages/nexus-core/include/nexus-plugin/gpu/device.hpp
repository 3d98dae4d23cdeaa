// SPDX-License-Identifier: Apache-2.0
// The base class of a backend's Device: the name, attributes, errors and shared state of a GPU.
//
// All that needs the driver goes through a struct of the backend, G; gpu/queue.hpp says how it is
// shaped. This file asks of it
//
//   class Device;     // derived from DeviceBase<G>
//   class Use;        // Use(Device &): while it lives, this thread may call the driver for the
//                     // device; throws
//   using NativeDevice = ...;
//   using Attribute = ...;  // the number of an attribute
//   static constexpr const DriverErrors &errors = ...;
//   static Result attribute(int *value, Attribute which, NativeDevice device) noexcept;
//   static bool is_unknown(Result result) noexcept;  // the driver does not know the attribute
//   static Result uuid(std::string *out, NativeDevice device);
#ifndef NEXUS_PLUGIN_GPU_DEVICE_HPP_
#define NEXUS_PLUGIN_GPU_DEVICE_HPP_

#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/text.hpp>
#include <nexus-plugin/driver/driver_errors.hpp>
#include <nexus-plugin/driver/lost_device.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// The result of a call of the driver, as in driver_errors.hpp.
using Result = int;
inline constexpr Result kSuccess = 0;

template <class G>
struct DeviceState;

// A GPU. Lives as long as the process. Any thread may use it. Reading attributes does not start the
// device.
template <class G>
class DeviceBase {
 public:
  using Driver = G;
  using NativeDevice = typename G::NativeDevice;
  using Attribute = typename G::Attribute;

  // ordinal: the driver's number, which environment variables change.
  DeviceBase(int ordinal, NativeDevice handle, std::string name)
      : ordinal_(ordinal), handle_(handle), name_(std::move(name)) {}
  DeviceBase(const DeviceBase &) = delete;
  DeviceBase &operator=(const DeviceBase &) = delete;

  int ordinal() const noexcept { return ordinal_; }
  NativeDevice handle() const noexcept { return handle_; }
  const std::string &name() const noexcept { return name_; }
  // Returns an empty text if the driver tells none.
  std::string uuid() const {
    std::string uuid;
    return G::uuid(&uuid, handle_) == kSuccess ? uuid : std::string();
  }

  // Returns nothing if the driver does not know the attribute. Throws the driver's other errors.
  std::optional<int> attribute(Attribute which) const {
    int value = 0;
    const Result result = G::attribute(&value, which, handle_);
    if (G::is_unknown(result)) return {};
    check(result, "asking a GPU for an attribute");
    return value;
  }

  // Returns the state that the device's objects share: pools of memory, streams and events. The
  // first call makes it. Throws the driver's error.
  DeviceState<G> &state() {
    DeviceState<G> *made = made_state();
    return made != nullptr ? *made : make_state();
  }
  // Returns NULL if state() was not called yet.
  DeviceState<G> *made_state() const noexcept { return state_.load(std::memory_order_acquire); }

  // Throws if a call of the driver failed. A fatal error is kept, and from then on fails all work
  // of the device. what: such as "making a stream".
  void check(Result result, std::string_view what) const {
    if (result != kSuccess) [[unlikely]]
      fail(result, what);
  }
  // Makes the failure for a call that failed. A fatal one is kept, as by check().
  FailurePtr failure_of(Result result, std::string_view what) const noexcept {
    return lost_.failure_of(G::errors.is_fatal(result), [&] {
      return G::errors.make(result, join(what, " on the device '", name_, "'"));
    });
  }

  // Returns the fatal error; NULL if there is none.
  const Failure *lost() const noexcept { return lost_.failure(); }
  FailurePtr lost_cause() const { return lost_.cause(); }
  // Throws the fatal error if there is one.
  void refuse_lost() const { lost_.refuse(); }

 protected:
  // Returns otherwise if the attribute is not known or not above 0.
  uint64_t number(Attribute which, uint64_t otherwise) const {
    const int value = attribute(which).value_or(0);
    return value > 0 ? static_cast<uint64_t>(value) : otherwise;
  }
  bool has(Attribute which) const { return number(which, 0) != 0; }

 private:
  [[noreturn]] void fail(Result result, std::string_view what) const {
    if (G::errors.is_fatal(result)) throw Failed(failure_of(result, what));
    throw G::errors.make(result, what);
  }
  DeviceState<G> &make_state();  // device_state.hpp has it

  mutable LostDevice lost_;  // const calls may lose the device
  const int ordinal_;
  const NativeDevice handle_;
  const std::string name_;
  std::mutex mutex_;                              // guards the making of state_
  std::atomic<DeviceState<G> *> state_{nullptr};  // never freed
};

// Throws NXS_NotSupported if processes can't share memory and events of the device.
template <class Device>
void check_sharing(const Device &device) {
  if (device.shares_memory()) return;
  throw Error(NXS_NotSupported, "processes can't share memory and events of the device '",
              device.name(), "' (as under WSL); leave Shareable out, and copy through the host");
}

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_DEVICE_HPP_
