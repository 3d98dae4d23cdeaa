// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_CONTEXT_HPP_
#define NEXUS_SIMULATOR_CONTEXT_HPP_

#include "call.hpp"

#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace simulator {

// Never freed, as threads may have it on their stacks: destroyed() says that it is gone. A primary
// context comes back to life when it is retained again.
class Context {
 public:
  // Destroyed, until it is revived.
  static Context &make(Device &device);
  explicit Context(Device &device) : device_(&device) {}

  Device &device() const { return *device_; }
  Handle handle = nullptr;
  std::set<Context *> peers;  // whose memory this one may use

  bool destroyed() const { return destroyed_; }
  // Why everything in it fails, from a fault of the device on; kSuccess: it doesn't.
  Result failure() const { return failure_; }
  bool broken() const { return destroyed_ || failure_ != kSuccess; }
  void break_down(Result why);

  void revive();
  // Ends what runs, and frees all that was made in it.
  void destroy(Call &call);
  // Until all that was submitted to it is done.
  void wait(Call &call);

  // The stream that a handle, 0 and the two special ones included, means here.
  std::shared_ptr<Stream> stream(Handle wanted);
  const std::shared_ptr<Stream> &legacy();

 private:
  std::shared_ptr<Stream> per_thread();

  Device *device_;
  bool destroyed_ = true;
  Result failure_ = kSuccess;
  std::shared_ptr<Stream> legacy_;
  std::map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
};

// The device's primary context, alive.
Context &primary_context(Device &device);

// Of this thread; the last is current.
std::vector<Context *> &context_stack();
// Of this thread, or NULL.
Context *current_context();

// Throws kInvalidContext.
Context &context_of(Handle handle);

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_CONTEXT_HPP_
