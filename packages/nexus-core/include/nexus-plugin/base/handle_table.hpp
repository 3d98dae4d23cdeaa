// SPDX-License-Identifier: Apache-2.0
// The objects of one kind, with the ids by which the host names them.
//
//   constinit HandleTable<Buffer, NXS_ObjectType_Buffer> buffers;
//   nxs_id id = buffers.create(size);     // the id owns the object
//   Ref<Buffer> buffer = buffers.pin(id); // throws Error(NXS_InvalidBuffer)
//   buffers.release(id);                  // stale from now on; lives while pinned
//
// Any thread may call any function at any time; none takes a lock. A table is a global variable
// without a destructor, so nothing happens at exit. Its memory grows with the largest number of
// objects alive at the same time.
#ifndef NEXUS_PLUGIN_HANDLE_TABLE_HPP_
#define NEXUS_PLUGIN_HANDLE_TABLE_HPP_

#include <nexus-plugin/base/object_type.hpp>
#include <nexus-plugin/base/slot.hpp>

#include <atomic>
#include <bit>
#include <memory>
#include <utility>

namespace nexus_plugin NXS_HIDDEN {

// GenerationBits is smaller only in tests, which use up the generations of a slot.
template <class T, nxs_object_type Type, unsigned GenerationBits = NXS_ID_GENERATION_BITS>
class HandleTable final : private detail::SlotOwner<T> {
 public:
  using Object = T;

  constexpr HandleTable() noexcept = default;
  HandleTable(const HandleTable &) = delete;
  HandleTable &operator=(const HandleTable &) = delete;

  // Makes an object and its id. Throws what T's constructor throws, and Error(NXS_OutOfResources)
  // if there are no more ids.
  template <class... Args>
  nxs_id create(Args &&...args) {
    Slot &slot = take_slot();
    try {
      ::new (slot.storage()) T(std::forward<Args>(args)...);
    } catch (...) {
      give_back(slot);
      throw;
    }
    slot.publish();
    return id_of(slot);
  }

  // Returns a Ref to the object of an id. Throws Error(NXS_Invalid<Object>) if the id is stale,
  // foreign, of another type, negative or garbage.
  Ref<T> pin(nxs_id id) const {
    if (Slot *slot = find(id); slot != nullptr && slot->try_pin(NXS_ID_GENERATION(id))) {
      return Ref<T>(*slot);
    }
    throw_invalid_id(id, Type);
  }

  // Makes the id stale at once. The object is destroyed with its last Ref, which may be the
  // returned one. Throws as pin().
  Ref<T> release(nxs_id id) {
    if (Ref<T> last = try_release(id)) return last;
    throw_invalid_id(id, Type);
  }

  // Does the same, but returns an empty Ref if the id is not valid.
  Ref<T> try_release(nxs_id id) noexcept {
    Slot *slot = find(id);
    return slot != nullptr && slot->try_retire_id(NXS_ID_GENERATION(id)) ? Ref<T>(*slot) : Ref<T>();
  }

  // Returns whether the id is valid and belongs to object, which may be empty. For code that keeps
  // an object and often receives its id: cheaper than pin(), since it only loads.
  bool names(nxs_id id, const Ref<T> &object) const noexcept {
    return object && this->id(object) == id && object.slot()->valid();
  }

  // Returns the id of an object of this table, also if it is stale.
  nxs_id id(const Ref<T> &object) const noexcept { return id_of(*object.slot()); }

  // The number of slots ever used: the largest number of objects alive at the same time, and the
  // slots whose generations are used up.
  uint32_t slot_count() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  using Slot = detail::Slot<T>;

  static constexpr uint32_t kLastGeneration = (uint32_t{1} << GenerationBits) - 1;
  static constexpr uint32_t kMaxSlots = uint32_t{1} << NXS_ID_INDEX_BITS;
  static constexpr uint32_t kFirstChunk = 64;  // slots; twice as many in each next chunk
  static constexpr unsigned kChunks = NXS_ID_INDEX_BITS - std::bit_width(kFirstChunk) + 2;

  static nxs_id id_of(const Slot &slot) noexcept {
    return NXS_ID_MAKE(Type, host_tag(), slot.generation(), slot.index());
  }

  struct Place {
    unsigned chunk;
    uint32_t offset;
  };

  static Place place_of(uint32_t index) noexcept {
    const uint32_t shifted = index + kFirstChunk;
    const auto chunk = static_cast<unsigned>(std::bit_width(shifted) - std::bit_width(kFirstChunk));
    return {chunk, shifted - (kFirstChunk << chunk)};
  }

  // Returns the slot of the id, which may be stale; NULL if the id is not of this table.
  Slot *find(nxs_id id) const noexcept {
    constexpr uint64_t index_and_generation =
        (uint64_t{1} << (NXS_ID_INDEX_BITS + NXS_ID_GENERATION_BITS)) - 1;
    const auto expected = static_cast<uint64_t>(NXS_ID_MAKE(Type, host_tag(), 0, 0));
    if ((static_cast<uint64_t>(id) & ~index_and_generation) != expected) return nullptr;
    const Place place = place_of(NXS_ID_INDEX(id));
    Slot *chunk = chunks_[place.chunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + place.offset;
  }

  Slot &take_slot() {
    if (Slot *slot = free_.pop(*this)) return *slot;
    uint32_t index = used_.load(std::memory_order_relaxed);
    do {
      if (index == kMaxSlots) {
        throw Error(NXS_OutOfResources, "there are ", index, " objects of the kind ",
                    object_name(Type), ", and no more ids; release some");
      }
    } while (!used_.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
    Slot &slot = chunk(place_of(index).chunk)[place_of(index).offset];
    slot.assign(*this, index);
    return slot;
  }

  // Returns the chunk. The first thread that needs it allocates it.
  Slot *chunk(unsigned number) {
    Slot *existing = chunks_[number].load(std::memory_order_acquire);
    if (existing != nullptr) return existing;
    auto made = std::make_unique<Slot[]>(std::size_t{kFirstChunk} << number);
    if (chunks_[number].compare_exchange_strong(existing, made.get(), std::memory_order_acq_rel)) {
      return made.release();
    }
    return existing;
  }

  void give_back(Slot &slot) noexcept override {
    if (slot.next_generation(kLastGeneration)) free_.push(slot);
  }

  Slot &slot_at(uint32_t index) const noexcept override {
    const Place place = place_of(index);
    return chunks_[place.chunk].load(std::memory_order_acquire)[place.offset];
  }

  std::atomic<Slot *> chunks_[kChunks] = {};
  std::atomic<uint32_t> used_{0};
  detail::FreeList<T> free_;
};

// Reserves room for one more element, so that a push_back after create() can't fail. Grows as
// push_back does: reserve(size() + 1) would move all elements each time.
template <class List>
void make_room_for_one(List &list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 1);
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_HANDLE_TABLE_HPP_
