// SPDX-License-Identifier: Apache-2.0
#include "execution/dispatch.hpp"

#include "pool/pool.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nexus-plugin/base/data_type.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

// ---- Errors of runs ---------------------------------------------------

std::string triple(const Item &item) {
  return join("(", item[0], ", ", item[1], ", ", item[2], ")");
}

// Kernels with the plain C convention do not report which barrier it is: site 0.
std::string place(int32_t site) {
  return site == 0 ? std::string("a barrier") : join("the barrier in line ", site);
}

// Returns the failure as an error with a remedy. group_size: work items of a group in x, y and z.
Error barrier_error(std::string_view kernel, const int32_t *group_size,
                    const BarrierFailure &failure) {
  using Kind = BarrierFailure::Kind;
  if (failure.kind == Kind::kNested) {
    return Error(NXS_InvalidOperation, "the kernel '", kernel,
                 "' has barriers, and a work item of another kernel with barriers started it; "
                 "start it from the host");
  }
  if (failure.kind == Kind::kMemory) {
    return Error(NXS_OutOfResources, "the kernel '", kernel,
                 "' has barriers, and there is no memory for the stacks of a group of ",
                 group_size[0], " x ", group_size[1], " x ", group_size[2], " work items, ",
                 fiber_stack_size(), " bytes each (",
                 std::generic_category().message(failure.reason),
                 "); launch smaller groups, or set NEXUS_CPU_FIBER_STACK or NEXUS_CPU_THREADS "
                 "lower");
  }
  return Error(NXS_InvalidKernelDefinition, "the kernel '", kernel, "': work item ",
               triple(failure.waiting), " of group ", triple(failure.group), " waits at ",
               place(failure.site), ", and item ", triple(failure.other), " of the group ",
               failure.kind == Kind::kEnded ? "ended without reaching it"
                                            : join("at ", place(failure.other_site)),
               "; all items of a group must reach the same barriers, so move the barrier out of "
               "divergent branches");
}

constexpr const char *kRemedy =
    "; check the index against the array's length in the kernel, for example with "
    "NEXUS_KERNEL_BOUNDED";

const char *did(Fault::Access access) {
  if (access == Fault::Access::kUnknown) return "used";
  return access == Fault::Access::kRead ? "read" : "wrote";
}

// Returns, for example, "argument 1 (y)".
std::string name_of(const Kernel &kernel, std::size_t index) {
  return kernel.described() ? join("argument ", index, " (", kernel.specs()[index].name, ")")
                            : join("argument ", index);
}

// Returns, for example, "byte 4000 of argument 1 (y), which has 4000 bytes".
std::string place_in(const Kernel &kernel, const BufferArgument &argument, int64_t byte) {
  return join("byte ", byte - static_cast<int64_t>(argument.offset), " of ",
              name_of(kernel, argument.index), ", which has ",
              argument.buffer->size() - argument.offset, " bytes");
}

std::string place_of(const Kernel &kernel, const BufferArguments &arguments,
                     const std::optional<uintptr_t> &address) {
  if (!address) return "an unknown address, perhaps a misaligned one";
  for (const BufferArgument &argument : arguments) {
    if (!argument.buffer->guarded().covers(*address)) continue;
    const auto begin = reinterpret_cast<uintptr_t>(argument.buffer->data());
    return place_in(kernel, argument, static_cast<int64_t>(*address - begin));
  }
  char digits[2 * sizeof(*address)];
  const char *end = std::to_chars(digits, digits + sizeof(digits), *address, 16).ptr;
  return join("the address 0x", std::string_view(digits, static_cast<std::size_t>(end - digits)),
              ", which is not near any of its arguments and not accessible");
}

// Names the work items by their ids in the whole grid, as the kernel counts them.
std::string who(const nexus_cpu_sizes &sizes, const KernelFault &fault) {
  Item first{}, last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = fault.group[d] * sizes.group_size[d];
    last[d] = first[d] + sizes.group_size[d] - 1;
    if (fault.item) first[d] = last[d] = first[d] + (*fault.item)[d];
  }
  if (first == last) return join("work item ", triple(first));
  return join("group ", triple(fault.group), ", one of the work items ", triple(first), " to ",
              triple(last));
}

Error bounds_error(const Kernel &kernel, const BufferArguments &arguments,
                   const nexus_cpu_sizes &sizes, const KernelFault &fault) {
  return Error(NXS_InvalidMemObject, "the kernel '", kernel.name(), "' ", did(fault.fault.access),
               " ", place_of(kernel, arguments, fault.fault.address), ", in ", who(sizes, fault),
               kRemedy);
}

// Throws Error if a canary before an argument was overwritten.
void check_canaries(const Kernel &kernel, const BufferArguments &arguments) {
  for (const BufferArgument &argument : arguments) {
    if (const auto byte = argument.buffer->guarded().find_overwritten()) {
      throw Error(NXS_InvalidMemObject, "the kernel '", kernel.name(), "' wrote ",
                  place_in(kernel, argument, *byte), "; the work item is not known", kRemedy);
    }
  }
}

// Warns once of an argument whose memory the plug-in did not allocate: it has no guard pages.
void tell_unguarded(const Kernel &kernel, const Argument<Buffer> &argument, std::size_t index) {
  static std::once_flag told;
  std::call_once(told, [&] {
    log(NXS_LogLevel_Warning, name_of(kernel, index), " of the kernel '", kernel.name(),
        "' is a buffer of ", argument.buffer->size(),
        " bytes in shared memory or memory of the program, which has no guard pages: accesses "
        "beyond its ends are not found; copy the data into a new buffer to have them checked");
  });
}

// ---- Sizes and arguments ----------------------------------------------

constexpr uint64_t kCacheLine = 64;
// Groups per thread if the group size is chosen here: enough to balance uneven groups.
constexpr uint64_t kPartsPerThread = 16;
// Grains per thread: small grains let threads that started at different times finish together.
constexpr uint64_t kGrainsPerThread = 64;
// Launches of more work items are not timed.
constexpr uint64_t kMeasuredItems = uint64_t{1} << 20;
constexpr uint64_t kMaxGroups = uint64_t{1} << 62;

uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}
uint64_t round_up(uint64_t a, uint64_t multiple) {
  return divide_up(a, multiple) * multiple;
}

nexus_cpu_sizes make_sizes(const Launch &launch) {
  check_int_ids(launch);  // plain C functions get them as int32_t
  nexus_cpu_sizes sizes{};
  for (std::size_t d = 0; d < 3; ++d) {
    sizes.grid_size[d] = static_cast<int32_t>(launch.grid_size[d]);
    sizes.group_size[d] = static_cast<int32_t>(launch.group_size[d]);
    sizes.group_count[d] = static_cast<int32_t>(launch.group_count[d]);
  }
  const uint64_t plane = launch.group_count[0] * launch.group_count[1];
  if (!launch.empty() && launch.group_count[2] > kMaxGroups / plane) {
    throw Error(NXS_InvalidGlobalWorkSize, launch.group_count[0], " x ", launch.group_count[1],
                " x ", launch.group_count[2], " groups are more than the device's ", kMaxGroups,
                "; launch fewer");
  }
  return sizes;
}

// Throws NXS_OutOfResources if a group has no size bytes of local memory left after the used ones.
// The comparison can't overflow.
void check_local_memory(std::string_view what, uint64_t size, uint64_t used) {
  if (used <= kMaxLocalMemory && size <= kMaxLocalMemory - used) return;
  throw Error(NXS_OutOfResources, what, " is ", size, " bytes of local memory; with the ", used,
              " before it that exceeds the device's ", kMaxLocalMemory,
              " bytes per group, so use less");
}

// Throws NXS_MisalignedSubBufferOffset for misaligned elements, which are undefined behaviour in C.
void check_alignment(const Argument<Buffer> &argument, std::size_t index, const Kernel &kernel) {
  const nxs_data_type type =
      kernel.described() ? kernel.specs()[index].data_type : argument.data_type;
  const uint64_t size = data_type(type).bits / 8;
  // The start of guarded memory depends on its size. Checks the offset alone, since memory without
  // guards is aligned.
  const uintptr_t begin =
      argument.buffer->guarded() ? 0 : reinterpret_cast<uintptr_t>(argument.buffer->data());
  const auto address = begin + argument.offset;
  if (size < 2 || address % size == 0) return;
  throw Error(NXS_MisalignedSubBufferOffset, name_of(kernel, index), " begins ", argument.offset,
              " bytes into its buffer; give an offset that is a multiple of the ", size,
              " bytes of ", data_type(type).name);
}

// Runs on a fiber.
void run_range_item(const void *group, const int32_t *item) {
  const auto *of = static_cast<const nexus_cpu_group *>(group);
  of->run_item(of, item);
}

// The function that kernels with descriptors call at a barrier, as nexus_cpu_range's barrier. The
// range's context is a FiberGroup.
void reach_range_barrier(nexus_cpu_group *group, const nexus_int32 *item, nexus_int32 site) {
  FiberGroup &groups = *static_cast<FiberGroup *>(group->range->context);
  if (groups.on_fiber() || group->others_done != 0) return groups.wait(site);
  groups.start({run_range_item, group, {group->id[0], group->id[1], group->id[2]}}, item, site);
  group->others_done = 1;
}

}  // namespace

Size3 choose_group_size(const uint64_t (&grid_size)[3]) {
  GroupLimits limits;
  limits.max_items = kMaxGroupItems;
  limits.least = 64;  // below, calling a group costs more than its work
  limits.row = 256;
  limits.parts = uint64_t{Pool::configured_size()} * kPartsPerThread;
  return nexus_plugin::choose_group_size(grid_size, limits);
}

Dispatch::Dispatch(Ref<Kernel> kernel, const ArgumentList &arguments, const Launch &launch,
                   std::shared_ptr<RunTime> run_time)
    : Work(launch.groups(),
           std::max<uint64_t>(1, launch.groups() / (Pool::configured_size() * kGrainsPerThread)),
           launch.groups() <= kMeasuredItems / launch.items_per_group()),
      kernel_(std::move(kernel)),
      run_time_(std::move(run_time)),
      sizes_(make_sizes(launch)) {
  if (kernel_->plain() != nullptr) caller_ = plain_caller(arguments.size());
  pack(arguments);
  pack_local_memory(arguments, launch.local_memory);
}

void Dispatch::pack(const ArgumentList &arguments) {
  const bool indirect = kernel_->range() != nullptr;
  std::size_t chunks = 0;
  for (const auto &argument : arguments) chunks += divide_up(argument.scalar.size(), sizeof(Chunk));
  scalars_.resize(chunks);
  addresses_.resize(arguments.size());
  std::size_t chunk = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto &argument = arguments[i];
    if (argument.kind == NXS_ArgumentKind_Scalar) {
      std::memcpy(&scalars_[chunk], argument.scalar.data(), argument.scalar.size());
      pointers_.push_back(&scalars_[chunk]);
      chunk += divide_up(argument.scalar.size(), sizeof(Chunk));
      continue;
    }
    if (argument.kind == NXS_ArgumentKind_Buffer) {
      check_alignment(argument, i, *kernel_);
      if (guarded_ && !argument.buffer->guarded()) tell_unguarded(*kernel_, argument, i);
      addresses_[i] = argument.buffer->data() + argument.offset;
      buffers_.push_back({i, argument.buffer, argument.offset});
    }
    pointers_.push_back(indirect ? &addresses_[i] : addresses_[i]);
  }
}

// Allocates a block of local memory for each thread, since threads run different groups at the same
// time.
void Dispatch::pack_local_memory(const ArgumentList &arguments, uint64_t extra) {
  const uint64_t declared = kernel_->local_memory();  // in the frame of the kernel's own code
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != NXS_ArgumentKind_LocalMemory) continue;
    check_local_memory(join("argument ", i), arguments[i].size, declared + local_stride_);
    locals_.push_back({i, local_stride_});
    local_stride_ += round_up(arguments[i].size, kCacheLine);
  }
  check_local_memory("local_memory", extra, declared + local_stride_);
  local_extra_ = local_stride_;
  local_stride_ += round_up(extra, kCacheLine);
  if (local_stride_ == 0) return;
  void *memory = nullptr;
  const auto bytes = static_cast<std::size_t>(local_stride_ * (Pool::configured_size() + 1));
  if (posix_memalign(&memory, kCacheLine, bytes) != 0) throw std::bad_alloc();
  local_memory_.reset(static_cast<std::byte *>(memory));
}

void Dispatch::run(uint64_t begin, uint64_t end, unsigned worker) noexcept {
  std::byte *local = local_stride_ == 0 ? nullptr : local_memory_.get() + worker * local_stride_;
  void *const *arguments = pointers_.data();
  void *own_pointers[kMaxArguments];
  void *own_addresses[kMaxArguments];
  if (!locals_.empty()) {
    std::copy(pointers_.begin(), pointers_.end(), own_pointers);
    for (const Local &memory : locals_) {
      own_addresses[memory.argument] = local + memory.offset;
      own_pointers[memory.argument] = kernel_->range() != nullptr
                                          ? static_cast<void *>(&own_addresses[memory.argument])
                                          : own_addresses[memory.argument];
    }
    arguments = own_pointers;
  }
  run_groups(begin, end, arguments, local == nullptr ? nullptr : local + local_extra_);
}

void Dispatch::run_groups(uint64_t begin, uint64_t end, void *const *arguments,
                          void *local) noexcept {
  if (begin == end || failed_.load(std::memory_order_relaxed)) return;
  FiberGroup groups(sizes_.group_size);
  std::optional<PlainRange> plain;
  const bool done =
      guarded_ ? run_watched(groups, begin, end, arguments, local)
               : groups.run([&] { call_kernel(groups, begin, end, arguments, local, plain); });
  if (!done && !failed_.exchange(true, std::memory_order_relaxed)) failure_ = groups.failure();
}

void Dispatch::call_kernel(FiberGroup &groups, uint64_t begin, uint64_t end, void *const *arguments,
                           void *local, std::optional<PlainRange> &plain) noexcept {
  if (kernel_->range() != nullptr) {
    const nexus_cpu_range range = {sizeof(nexus_cpu_range), begin,  end, &sizes_, arguments,
                                   reach_range_barrier,     &groups};
    return kernel_->range()(&range);
  }
  plain.emplace(PlainRange::Kernel{caller_, kernel_->plain(), arguments, local}, sizes_, groups);
  plain->run(begin, end);
  plain.reset();
}

// The group that a thread runs while it is watched for faults.
struct Dispatch::Watched {
  Dispatch &dispatch;
  FiberGroup &groups;
  uint64_t group;
  std::optional<PlainRange> plain = {};

  Item group_id() const noexcept {
    const auto x = static_cast<uint64_t>(dispatch.sizes_.group_count[0]);
    const auto y = static_cast<uint64_t>(dispatch.sizes_.group_count[1]);
    return {static_cast<int32_t>(group % x), static_cast<int32_t>(group / x % y),
            static_cast<int32_t>(group / x / y)};
  }

  std::optional<Item> item() const noexcept {
    if (groups.on_fiber()) return groups.item_on_fiber();
    if (!plain) return {};  // the kernel's own loop runs the items
    const int32_t *id = plain->id();
    return Item{id[3], id[4], id[5]};
  }
};

bool Dispatch::run_watched(FiberGroup &groups, uint64_t begin, uint64_t end, void *const *arguments,
                           void *local) noexcept {
  Watched watched{*this, groups, begin};
  const FaultWatch watch(caught, &watched);
  return groups.run([&] {
    for (; watched.group < end; ++watched.group) {
      call_kernel(groups, watched.group, watched.group + 1, arguments, local, watched.plain);
    }
  });
}

void Dispatch::caught(void *watched, const Fault &fault) noexcept {
  const Watched &running = *static_cast<const Watched *>(watched);
  Dispatch &self = running.dispatch;
  if (!self.failed_.exchange(true, std::memory_order_relaxed)) {
    self.fault_ = {fault, running.group_id(), running.item()};
  }
  running.groups.abandon();
}

void Dispatch::finish(uint64_t busy_ns) {
  if (failed_.load(std::memory_order_relaxed)) {
    failed_.store(false, std::memory_order_relaxed);
    if (const auto fault = std::exchange(fault_, std::nullopt)) {
      // The fault is told, so what the kernel wrote before its arguments is not blamed on others.
      for (const BufferArgument &argument : buffers_) argument.buffer->guarded().find_overwritten();
      throw bounds_error(*kernel_, buffers_, sizes_, *fault);
    }
    throw barrier_error(kernel_->name(), sizes_.group_size, failure_);
  }
  if (guarded_) check_canaries(*kernel_, buffers_);
  if (busy_ns != 0) run_time_->learn(busy_ns);
}

}  // namespace nexus_cpu
