// SPDX-License-Identifier: Apache-2.0
// The built-in kernels of the reference device: host functions. A kernel with the same name in the
// conformance suite (nexus/conformance/kernels) does the same.
#ifndef REFERENCE_KERNELS_HPP_
#define REFERENCE_KERNELS_HPP_

#include "reference_parameters.hpp"

#include <atomic>
#include <functional>

namespace reference NXS_HIDDEN {

// ---- One work item for each element ----

template <class T>
void fill(const Launch &launch, Global<T> out, T value) {
  std::fill_n(out.elements(launch.items()), launch.items(), value);
}
template <class T>
void copy(const Launch &launch, Global<T> x, Global<T> out) {
  std::copy_n(x.elements(launch.items()), launch.items(), out.elements(launch.items()));
}
template <class T>
void scale(const Launch &launch, Global<T> x, T factor, Global<T> out) {
  const T *from = x.elements(launch.items());
  std::transform(from, from + launch.items(), out.elements(launch.items()),
                 [=](T element) { return element * factor; });
}
template <class T>
void add(const Launch &launch, Global<T> a, Global<T> b, Global<T> out) {
  const T *left = a.elements(launch.items());
  std::transform(left, left + launch.items(), b.elements(launch.items()),
                 out.elements(launch.items()), std::plus<T>());
}

// ---- Groups: code before a barrier runs for all items of a group, then the code after it ----

inline void write_ids(const Launch &launch, Global<int32_t> out) {
  const Size3 &size = launch.group_size;
  const Size3 &count = launch.group_count;
  const Size3 launched{count[0] * size[0], count[1] * size[1], count[2] * size[2]};
  int32_t *number = out.elements(21 * launched[0] * launched[1] * launched[2]);
  const auto write = [&number](const Size3 &numbers) {
    for (const uint64_t each : numbers) *number++ = static_cast<int32_t>(each);
  };
  for (uint64_t z = 0; z < launched[2]; ++z) {
    for (uint64_t y = 0; y < launched[1]; ++y) {
      for (uint64_t x = 0; x < launched[0]; ++x) {
        write({x, y, z});
        write({x / size[0], y / size[1], z / size[2]});
        write({x % size[0], y % size[1], z % size[2]});
        write(size);
        write(count);
        write(launch.grid_size);
        write(launched);
      }
    }
  }
}
inline void group_sum(const Launch &launch, Global<int32_t> x, Global<int32_t> sums,
                      Local<int32_t> scratch) {
  const uint64_t items = launch.group_size[0];
  const int32_t *from = x.elements(launch.grid_size[0]);
  int32_t *to = sums.elements(launch.group_count[0]);
  int32_t *shared = scratch.elements(items);
  for (uint64_t group = 0; group < launch.group_count[0]; ++group) {
    for (uint64_t l = 0; l < items; ++l) {
      const uint64_t i = group * items + l;
      shared[l] = i < launch.grid_size[0] ? from[i] : 0;
    }
    to[group] = 0;
    for (uint64_t l = 0; l < items; ++l) to[group] += shared[l];
  }
}
inline void reverse_groups(const Launch &launch, Global<int32_t> x) {
  const uint64_t items = launch.group_size[0];
  int32_t *element = x.elements(launch.group_count[0] * items);
  for (uint64_t group = 0; group < launch.group_count[0]; ++group, element += items) {
    std::reverse(element, element + items);
  }
}

// ---- Numbers passed by value ----

template <class T>
void store(const Launch &, Global<T> out, T value) {
  *out.elements(1) = value;
}
inline void store_integers(const Launch &, int8_t a, Global<int64_t> signed_out, bool b, int64_t c,
                           uint8_t d, uint64_t e, int16_t f, Global<uint64_t> unsigned_out,
                           int32_t g, uint16_t h, uint32_t i) {
  std::ranges::copy(std::array<int64_t, 4>{a, f, g, c}, signed_out.elements(4));
  std::ranges::copy(std::array<uint64_t, 5>{b, d, h, i, e}, unsigned_out.elements(5));
}
inline void store_vector(const Launch &, Global<float> out, Float4 value) {
  std::ranges::copy(value, out.elements(4));
}
inline void weighted_sum(const KernelArguments &arguments, const Launch &) {
  int32_t sum = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    sum += static_cast<int32_t>(i) * Parameter<int32_t>::take(arguments[i], i);
  }
  *Parameter<Global<int32_t>>::take(arguments[0], 0).elements(1) = sum;
}

// ---- Work ----

inline void empty(const Launch &) {}
inline void spin(const Launch &launch, Global<uint32_t> out, int64_t turns) {
  uint32_t *element = out.elements(launch.items());
  for (uint64_t i = 0; i < launch.items(); ++i) {
    uint32_t x = element[i];
    for (int64_t k = 0; k < turns; ++k) x = x * 1664525u + (x >> 16) + 1013904223u;
    element[i] = x;
  }
}
inline void count_up(const Launch &launch, Global<int32_t> counter) {
  std::atomic_ref<int32_t> count(*counter.elements(1));
  for (uint64_t i = 0; i < launch.items(); ++i) count.fetch_add(1, std::memory_order_relaxed);
}
inline void set_byte(const Launch &, Global<uint8_t> out, int64_t at, uint8_t value) {
  out.elements(static_cast<uint64_t>(at) + 1)[at] = value;
}
inline void fail(const Launch &) {
  throw Error(NXS_InternalError, "fail always fails");
}

inline constexpr BuiltIn built_ins[] = {
    built_in<fill<float>>("fill_f32", {"out", "value"}),
    built_in<fill<int32_t>>("fill_i32", {"out", "value"}),
    built_in<fill<int64_t>>("fill_i64", {"out", "value"}),
    built_in<copy<uint8_t>>("copy_u8", {"x", "out"}),
    built_in<copy<int32_t>>("copy_i32", {"x", "out"}),
    built_in<scale<float>>("scale_f32", {"x", "factor", "out"}),
    built_in<add<float>>("add_f32", {"a", "b", "out"}),
    built_in<add<int32_t>>("add_i32", {"a", "b", "out"}),
    built_in<write_ids>("write_ids", {"out"}),
    built_in<group_sum>("group_sum", {"x", "sums", "scratch"}),
    built_in<reverse_groups>("reverse_groups", {"x"}),
    built_in<store_integers>("store_integers", {"a", "signed_out", "b", "c", "d", "e", "f",
                                                "unsigned_out", "g", "h", "i"}),
    built_in<store<float>>("store_f32", {"out", "value"}),
    built_in<store<double>>("store_f64", {"out", "value"}),
    built_in<store_vector>("store_vector", {"out", "value"}),
    built_in_sum("sum_16", weighted_sum, 16),
    built_in_sum("sum_64", weighted_sum, 64),
    built_in<empty>("empty", {}),
    built_in<spin>("spin", {"out", "turns"}),
    built_in<count_up>("count_up", {"counter"}),
    built_in<set_byte>("set_byte", {"out", "at", "value"}),
    built_in<fail>("fail", {}),
};

}  // namespace reference

#endif  // REFERENCE_KERNELS_HPP_
