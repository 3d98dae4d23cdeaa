// SPDX-License-Identifier: Apache-2.0
// Kernels that the driver has loaded. Beside the members in device.hpp, G has
//
//   class Library;  // derived from LoadedLibrary<G>
//   class Kernel;   // derived from LoadedKernel<G>
//   using Function = ...;  // a pointer
//   static constexpr const char *kConvention = ...;  // of kernels that do not describe themselves
//   // Returns the threads of a block with which the most warps run at the same time.
//   static Result best_group(int *items, Function function, uint64_t dynamic_shared) noexcept;
//   // Only if kernels have to ask for more dynamic shared memory than usual:
//   static Result allow_dynamic_shared(Function function, uint64_t bytes) noexcept;
//
// and its Device has max_shared_memory().
#ifndef NEXUS_PLUGIN_GPU_KERNEL_HPP_
#define NEXUS_PLUGIN_GPU_KERNEL_HPP_

#include <nexus-plugin/gpu/device_state.hpp>
#include <nexus-plugin/kernel/kernel_description.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {
namespace gpu {

// A function of a library: the base class of a backend's Kernel, whose constructor sets the
// protected members. Immutable afterwards; any thread may use it.
template <class G>
class LoadedKernel {
 public:
  using Device = typename G::Device;
  using Function = typename G::Function;

  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  Device &device() const noexcept { return library_->device(); }
  const std::string &name() const noexcept { return name_; }
  Function function() const noexcept { return function_; }

  // Returns whether the kernel is written in the portable language. Then the names and kinds of its
  // arguments are known, those in local memory are offsets into dynamic shared memory, and the
  // grid's size is the last parameter.
  bool described() const noexcept { return described_; }
  // Returns whether the number and sizes of the arguments are known, and so specs().
  bool counted() const noexcept { return counted_; }
  // Returns the arguments, without the grid's size.
  std::span<const ArgumentSpec> specs() const noexcept { return specs_; }

  const std::optional<Size3> &required_group_size() const noexcept { return required_group_size_; }
  uint64_t max_group_items() const noexcept { return max_group_items_; }  // threads of a block
  uint64_t warp_size() const noexcept { return warp_size_; }
  uint64_t shared_memory() const noexcept { return shared_memory_; }    // static bytes of a block
  uint64_t private_memory() const noexcept { return private_memory_; }  // bytes of a thread
  uint64_t registers() const noexcept { return registers_; }            // of a thread

  // Returns the threads of a block with which the most warps run at the same time. Keeps the
  // driver's last answer.
  uint64_t best_group_items(uint64_t dynamic_shared) const {
    const std::lock_guard lock(mutex_);
    if (best_ && best_->dynamic_shared == dynamic_shared) return best_->items;
    const typename G::Use current(device());
    int items = 0;
    const Result result = G::best_group(&items, function_, dynamic_shared);
    const bool told = result == kSuccess && items > 0;
    best_ = {dynamic_shared, told ? static_cast<uint64_t>(items) : max_group_items_};
    return best_->items;
  }
  // Lets launches use that many bytes of dynamic shared memory. Throws NXS_OutOfResources if the
  // device has too little.
  void allow_dynamic_shared(uint64_t bytes) const {
    const uint64_t most = device().max_shared_memory();
    if (bytes > most || shared_memory_ > most - bytes) {
      throw Error(NXS_OutOfResources, "a group needs ", bytes, " bytes of local memory and ",
                  shared_memory_, " that the kernel declares, and the device '", device().name(),
                  "' has ", most, "; use less local memory");
    }
    if constexpr (requires { G::allow_dynamic_shared(function_, bytes); }) {
      const std::lock_guard lock(mutex_);
      if (bytes <= allowed_dynamic_) return;
      const typename G::Use current(device());
      device().check(G::allow_dynamic_shared(function_, bytes),
                     join("asking for ", bytes, " bytes of local memory"));
      allowed_dynamic_ = bytes;
    }
  }

 protected:
  // Throws if the device is lost.
  LoadedKernel(Ref<typename G::Library> library, const std::string &name)
      : library_(std::move(library)), name_(name) {
    device().refuse_lost();
  }
  ~LoadedKernel() = default;

  const typename G::Library &library() const noexcept { return *library_; }
  // For a kernel of the portable language.
  void describe(KernelDescription description) {
    description_ = std::move(description);
    described_ = counted_ = true;
    specs_ = specs_of(description_.arguments, name_);
    required_group_size_ = description_.group_size;
  }

  Function function_{};
  bool counted_ = false;
  std::vector<ArgumentSpec> specs_;
  std::optional<Size3> required_group_size_;
  uint64_t max_group_items_ = 1, warp_size_ = 1, shared_memory_ = 0, private_memory_ = 0;
  uint64_t registers_ = 0;
  mutable uint64_t allowed_dynamic_ = 0;  // bytes

 private:
  struct BestGroup {
    uint64_t dynamic_shared, items;
  };

  Ref<typename G::Library> library_;  // keeps the code loaded
  std::string name_;
  KernelDescription description_;  // owns the texts of specs_
  bool described_ = false;
  mutable std::mutex mutex_;
  mutable std::optional<BestGroup> best_;  // the driver's last answer
};

template <class G, class Kernel = typename G::Kernel>
inline constexpr auto kernel_properties =
    joined(described_kernel_properties<Kernel>,
           property_table<Kernel>({
               {NP_Count,
                [](const Kernel &kernel) -> Value {
                  return kernel.counted() ? Value(kernel.specs().size()) : Value();
                }},
               {NP_NativeHandle,
                [](const Kernel &kernel) -> Value {
                  return reinterpret_cast<uintptr_t>(kernel.function());
                }},
               {NP_Convention,
                [](const Kernel &kernel) -> Value {
                  return kernel.described() ? "nexus" : G::kConvention;
                }},
               {NP_PreferredGroupMultiple, member<&Kernel::warp_size>},
               {NP_LocalMemorySize, member<&Kernel::shared_memory>},
               {NP_PrivateMemorySize, member<&Kernel::private_memory>},
               {NP_RegistersPerThread, known_member<&Kernel::registers>},
               {NP_MaxThreadgroupMemorySize,
                [](const Kernel &kernel) -> Value { return kernel.device().max_shared_memory(); }},
           }));

}  // namespace gpu
}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_GPU_KERNEL_HPP_
