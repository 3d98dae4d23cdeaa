// SPDX-License-Identifier: Apache-2.0
// Metal and the Objective-C runtime, opened when the backend starts, in plain C++: messages, owned
// objects and autorelease pools.
//
// Metal's methods may autorelease what they return. So each entry to Metal is made under a Pool.
#ifndef NEXUS_METAL_DRIVER_HPP_
#define NEXUS_METAL_DRIVER_HPP_

#include "driver/metal_types.hpp"

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/text.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace nexus_metal NXS_HIDDEN {

using namespace nexus_plugin;

// The functions that the backend calls beside messages. Filled by start_driver(), then read only.
struct Driver {
  id (*get_class)(const char *name) = nullptr;
  SEL (*register_selector)(const char *name) = nullptr;
  void (*send)() = nullptr;  // of every type: see Message
  void *(*push_pool)() = nullptr;
  void (*pop_pool)(void *pool) = nullptr;
  id (*copy_all_devices)() = nullptr;
  const void *global_block = nullptr;  // the class of blocks that are not copied
};
extern constinit Driver driver;

// A message with its types. The compiler passes them as in a call of the method.
template <class Result, class... Arguments>
struct Message {
  SEL selector = nullptr;
  Result operator()(id receiver, Arguments... arguments) const {
    const auto send = reinterpret_cast<Result (*)(id, SEL, Arguments...)>(driver.send);
    return send(receiver, selector, arguments...);
  }
};

struct Messages {
#define NEXUS_SELECTOR(name, text, ...) Message<__VA_ARGS__> name;
#include "driver/selectors.def"
};
extern constinit Messages msg;

// Opens Metal. Throws NXS_DeviceNotAvailable with the reason, such as that this is not a Mac.
void start_driver();

// Drains what is autoreleased on this thread while it lives.
class Pool {
 public:
  Pool() noexcept : pool_(driver.push_pool()) {}
  ~Pool() { driver.pop_pool(pool_); }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

 private:
  void *pool_;
};

// A reference to an object, or empty.
class Owned {
 public:
  Owned() noexcept = default;
  // Takes over a reference, such as that of a method whose name begins with "new".
  explicit Owned(id object) noexcept : object_(object) {}
  static Owned retained(id object) noexcept {
    return Owned(object == nullptr ? nullptr : msg.retain(object));
  }
  Owned(const Owned &other) noexcept : Owned(retained(other.object_)) {}
  Owned(Owned &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned &operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_ == nullptr) return;
    const Pool pool;  // what is destroyed may autorelease what it owns
    msg.release(object_);
  }

  id get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  id object_ = nullptr;
};

// An object's address, as NP_NativeHandle.
inline int64_t handle_of(id object) noexcept {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(object));
}

// Each is called under a Pool.
id to_nsstring(const std::string &text);  // autoreleased; throws NXS_InvalidValue unless UTF-8
std::string to_text(id nsstring);         // "" for nil

// Throws the error of an NSError: "<what> failed: <its text>", with its number.
[[noreturn]] void throw_error(id nserror, nxs_status status, std::string_view what);

// Returns what a method named "new..." gave. Throws if that is nil.
Owned made(id object, nxs_status status, std::string_view what);

}  // namespace nexus_metal

#endif  // NEXUS_METAL_DRIVER_HPP_
