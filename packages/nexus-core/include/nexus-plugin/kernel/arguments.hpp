// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel command: copied from the host, checked, and passed to runs as
// snapshots.
#ifndef NEXUS_PLUGIN_ARGUMENTS_HPP_
#define NEXUS_PLUGIN_ARGUMENTS_HPP_

#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/base/slot.hpp>

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus_plugin NXS_HIDDEN {

// The most arguments that a kernel can have.
inline constexpr uint32_t kMaxArguments = 64;

// Throws NXS_InvalidKernelDefinition if a kernel has more than kMaxArguments arguments.
inline void check_argument_count(uint64_t count, std::string_view kernel) {
  if (count <= kMaxArguments) return;
  throw Error(NXS_InvalidKernelDefinition, "the kernel '", kernel, "' has ", count,
              " arguments; at most ", kMaxArguments, " can be given");
}

// A kernel's description of one of its arguments. The texts live as long as the kernel.
struct ArgumentSpec {
  std::string_view name;
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  uint64_t size = 0;           // bytes of a scalar or of an Unknown argument; 0: not known
  std::string_view type = {};  // as the program declares it; may be empty
};

// Implements nxsGetKernelArgument. The texts in out_info are valid as long as the spec.
inline void write_argument_info(std::span<const ArgumentSpec> specs, uint32_t index,
                                nxs_argument_info *out_info) {
  nxs_argument_info &out = check_struct(out_info, "out_info");
  if (index >= specs.size()) {
    throw Error(NXS_InvalidArgIndex, "index is ", index, "; the kernel has ",
                counted(specs.size(), "argument"));
  }
  const ArgumentSpec &spec = specs[index];
  out.name = as_nxs(spec.name);
  out.kind = spec.kind;
  out.data_type = spec.data_type;
  out.size = spec.size;
  out.type = as_nxs(spec.type);
}

// One argument, set or not. Buffer is the backend's class of buffers, which has size().
template <class Buffer>
struct Argument {
  bool set = false;
  nxs_argument_kind kind = NXS_ArgumentKind_Buffer;
  nxs_data_type data_type = NXS_DataType_Undefined;
  Ref<Buffer> buffer;
  uint64_t offset = 0;            // bytes from the buffer's start
  uint64_t size = 0;              // bytes of the scalar, of the buffer's range or of local memory
  std::vector<std::byte> scalar;  // the scalar, aligned for every scalar type
};

// The arguments of a command, in order. Not a std::vector, since g++ makes helpers of its
// destructor visible; see shared.hpp.
template <class Buffer>
class ArgumentList {
 public:
  explicit ArgumentList(std::size_t size = 0)
      : size_(size), items_(std::make_unique<Argument<Buffer>[]>(size)) {}
  // Copies other, and makes room for at least `least` arguments.
  ArgumentList(const ArgumentList &other, std::size_t least)
      : ArgumentList(other.size_ < least ? least : other.size_) {
    for (std::size_t i = 0; i < other.size_; ++i) items_[i] = other.items_[i];
  }

  std::size_t size() const noexcept { return size_; }
  Argument<Buffer> &operator[](std::size_t index) noexcept { return items_[index]; }
  const Argument<Buffer> &operator[](std::size_t index) const noexcept { return items_[index]; }
  const Argument<Buffer> *begin() const noexcept { return items_.get(); }
  const Argument<Buffer> *end() const noexcept { return items_.get() + size_; }

 private:
  std::size_t size_;
  std::unique_ptr<Argument<Buffer>[]> items_;
};

// The arguments of a command, set by one thread at a time. Other threads may read a snapshot
// while arguments are set.
template <class Buffer>
class Arguments {
 public:
  using List = ArgumentList<Buffer>;

  // The arguments at one point in time; keeps their buffers alive. Empty until it is assigned.
  class Snapshot {
   public:
    Snapshot() = default;
    const List &operator*() const noexcept { return *list_; }
    const List *operator->() const noexcept { return list_.get(); }

   private:
    friend class Arguments;
    explicit Snapshot(Shared<List> list) : list_(std::move(list)) {}
    Shared<List> list_;
  };

  // For a kernel that does not describe its arguments.
  Arguments() : list_(Shared<List>::make()) {}

  // For a kernel that describes its arguments; specs must outlive this.
  explicit Arguments(std::span<const ArgumentSpec> specs)
      : described_(true), specs_(specs), list_(Shared<List>::make(specs.size())) {}

  // Copies an argument; buffers.pin() finds its buffer. After fix() an argument must keep its kind
  // and, unless it is a buffer, its size. Throws the statuses of nxsSetCommandArgument.
  template <class BufferTable>
  void set(uint32_t index, const nxs_argument *argument, const BufferTable &buffers) {
    put(index, checked(index, argument, buffers));
  }

  // The two steps of set(), for a backend that tells its driver in between.
  template <class BufferTable>
  Argument<Buffer> checked(uint32_t index, const nxs_argument *argument,
                           const BufferTable &buffers) const {
    const nxs_argument &given = check_struct(argument, "argument");
    check_fits(index, given);
    Argument<Buffer> made;
    made.set = true;
    made.kind = given.kind;
    made.data_type = given.data_type;
    made.size = given.size;
    if (given.kind == NXS_ArgumentKind_Buffer) {
      made.buffer = buffers.pin(given.buffer);
      made.offset = given.offset;
      check_range("argument", given.offset, given.size, made.buffer->size(), NXS_InvalidArgSize);
    } else if (given.kind == NXS_ArgumentKind_Scalar) {
      const auto *bytes = static_cast<const std::byte *>(check_pointer(given.data, "data"));
      made.scalar.assign(bytes, bytes + given.size);
    }
    return made;
  }
  void put(uint32_t index, Argument<Buffer> &&made) {
    // Leaves the list to a snapshot that uses it, and goes on with a copy.
    if (shared_ || index >= list_->size()) list_ = Shared<List>::make(*list_, index + 1);
    shared_ = false;
    (*list_)[index] = std::move(made);
  }

  // Throws NXS_InvalidKernelArgs if an argument is not set.
  void check_complete() const {
    for (std::size_t index = 0; index < list_->size(); ++index) {
      if (!(*list_)[index].set) {
        throw Error(NXS_InvalidKernelArgs, "argument ", index, " of ", list_->size(),
                    " is not set; set it before the command is finalized");
      }
    }
  }

  // Fixes the kinds and sizes of the arguments: for a command that is finalized. Throws as
  // check_complete().
  void fix() {
    check_complete();
    fixed_ = true;
  }

  const List &list() const noexcept { return *list_; }

  // Returns the present arguments; later calls of set() do not change the snapshot.
  Snapshot snapshot() {
    shared_ = true;
    return Snapshot(list_);
  }

 private:
  // libnexus has checked the argument already. These checks protect the plug-in's memory from other
  // callers; the layer `validate` tells those in detail what is wrong.
  void check_fits(uint32_t index, const nxs_argument &given) const {
    const std::size_t limit = described_ ? specs_.size() : fixed_ ? list_->size() : kMaxArguments;
    if (index >= limit) {
      throw Error(NXS_InvalidArgIndex, "index is ", index, "; the command takes ",
                  counted(limit, "argument"));
    }
    const ArgumentSpec *spec = described_ ? &specs_[index] : nullptr;
    const Argument<Buffer> *before = fixed_ ? &(*list_)[index] : nullptr;
    if (given.kind < NXS_ArgumentKind_Buffer || given.kind > NXS_ArgumentKind_LocalMemory ||
        (spec != nullptr && !is_kind(given.kind, spec->kind)) ||
        (before != nullptr && given.kind != before->kind)) {
      throw Error(NXS_InvalidArgValue, "argument ", index, " has a different kind in the kernel");
    }
    if (given.kind == NXS_ArgumentKind_Buffer) return;
    const bool scalar = given.kind == NXS_ArgumentKind_Scalar;
    if (given.size == 0 ||
        (spec != nullptr && scalar && spec->size != 0 && given.size != spec->size) ||
        (before != nullptr && given.size != before->size)) {
      throw Error(NXS_InvalidArgSize, "argument ", index, " has ", counted(given.size, "byte"),
                  ", not the size of the parameter");
    }
  }

  static bool is_kind(nxs_argument_kind given, nxs_argument_kind wanted) noexcept {
    return wanted == NXS_ArgumentKind_Unknown ? given != NXS_ArgumentKind_LocalMemory
                                              : given == wanted;
  }

  bool described_ = false;
  std::span<const ArgumentSpec> specs_;
  Shared<List> list_;
  bool shared_ = false;  // a snapshot uses the list
  bool fixed_ = false;
};

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_ARGUMENTS_HPP_
