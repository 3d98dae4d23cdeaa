// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_CONTEXT_HPP_
#define NEXUS_SIMULATED_CUDA_CONTEXT_HPP_

#include "call.hpp"
#include "types.hpp"

#include <map>
#include <memory>
#include <set>
#include <thread>

namespace simulated_cuda {

// Never freed, as threads may have it on their stacks: destroyed() says that it is gone. A primary
// context comes back to life when it is retained again.
class Context {
 public:
  explicit Context(Device &device) : device_(&device) {}

  Device &device() const { return *device_; }
  CUcontext handle = nullptr;
  unsigned flags = 0;
  uint64_t id = 0;
  std::map<int, size_t> limits;
  std::set<Context *> peers;  // whose memory this one may use

  bool destroyed() const { return destroyed_; }
  // Why everything in it fails, from a fault of the device on; CUDA_SUCCESS: it doesn't.
  CUresult failure() const { return failure_; }
  void break_down(CUresult why);

  void revive();
  // Ends what runs, and frees all that was made in it.
  void destroy(Call &call);
  // Until all that was submitted to it is done.
  void wait(Call &call);

  // The stream that a handle, 0 and the two special ones included, means here.
  std::shared_ptr<Stream> stream(CUstream wanted);
  const std::shared_ptr<Stream> &legacy();

 private:
  std::shared_ptr<Stream> per_thread();

  Device *device_;
  bool destroyed_ = true;
  CUresult failure_ = CUDA_SUCCESS;
  std::shared_ptr<Stream> legacy_;
  std::map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
};

// Of this thread, or NULL.
Context *current_context();

// Throws CUDA_ERROR_INVALID_CONTEXT.
Context &context_of(CUcontext handle);

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_CONTEXT_HPP_
