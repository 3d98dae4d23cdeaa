// SPDX-License-Identifier: Apache-2.0
// What crosses the border: statuses for exceptions, property values, arguments,
// launches, ranges and patterns.
#include <nexus-plugin/plugin.hpp>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "../unit/check.hpp"
#include "fake_host.hpp"

using namespace nexus_plugin;

namespace {

const bool bound = (bind_host(&FakeHost<0>::get()), true);

constinit HandleTable<HostBuffer, NXS_ObjectType_Buffer> buffers;

// ---- Errors ----

TEST(whatever_is_thrown_becomes_a_status_and_a_text) {
  CHECK_EQUAL(NXS_Success, guarded([] {}));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { throw Error(NXS_InvalidValue, "size is ", 3); }));
  CHECK_EQUAL("size is 3", FakeHost<0>::last_error());
  CHECK_EQUAL(NXS_OutOfHostMemory, guarded([] { throw std::bad_alloc(); }));
  CHECK_EQUAL(NXS_InternalError, guarded([] { throw std::logic_error("odd"); }));
  CHECK_EQUAL("odd", FakeHost<0>::last_error());
  CHECK_EQUAL(NXS_InternalError, guarded([] { throw 5; }));
}

TEST(a_result_is_written_on_success_only) {
  int out = 1;
  CHECK_EQUAL(NXS_Success, guarded(&out, [] { return 2; }));
  CHECK_EQUAL(2, out);
  CHECK_EQUAL(NXS_InvalidValue, guarded(&out, []() -> int { throw Error(NXS_InvalidValue, ""); }));
  CHECK_EQUAL(2, out);
  bool ran = false;
  CHECK_EQUAL(NXS_InvalidValue, guarded(static_cast<int *>(nullptr), [&] { return ran = true; }));
  CHECK(!ran);
}

TEST(what_is_refused_is_named) {
  const auto says = [](const char *words, auto &&check) {
    CHECK_EQUAL(NXS_InvalidValue, guarded(check));
    CHECK(FakeHost<0>::last_error().starts_with(words));
  };
  const nxs_string no_data{nullptr, 4};
  says("path", [&] { check_text(nullptr, "path"); });
  says("path", [&] { check_text(&no_data, "path"); });
  const nxs_sink nowhere{sizeof(nxs_sink), nullptr, nullptr};
  says("code->write is NULL", [&] { check_sink(&nowhere, "code"); });
  nxs_compile_info info{};
  info.struct_size = sizeof(info);
  info.option_count = 1;
  says("info->options", [&] { check_compile_info(&info); });
  info.name = no_data;
  says("info->name", [&] { check_compile_info(&info); });
}

// ---- Property values ----

struct Written {
  nxs_value value{};
  alignas(8) char bytes[64] = {};
  nxs_status status = NXS_Success;

  explicit Written(const Value &given, uint64_t capacity = sizeof(bytes)) {
    value.struct_size = sizeof(value);
    value.data = capacity == 0 ? nullptr : bytes;
    value.capacity = capacity;
    status = guarded([&] { given.write(value); });
  }
  std::string text() const { return std::string(bytes, static_cast<std::size_t>(value.size)); }
};

TEST(values_are_laid_out_as_their_type_says) {
  const Written number(Value(42u));
  CHECK_EQUAL(NXS_ValueType_Int, number.value.type);
  int64_t read = 0;
  std::memcpy(&read, number.bytes, sizeof(read));
  CHECK_EQUAL(42, read);
  CHECK_EQUAL(NXS_ValueType_Flt, Written(Value(1.5)).value.type);
  CHECK_EQUAL("text", Written(Value("text")).text());
  const std::vector<std::string> texts = {"a", "", "bc"};
  CHECK_EQUAL(std::string("a\0\0bc\0", 6), Written(Value(texts)).text());
  CHECK_EQUAL(24u, Written(Value(std::vector<int64_t>{1, 2, 3})).value.size);
  const Written json(Value(Json{"{}"}));
  CHECK_EQUAL(NXS_ValueType_Json, json.value.type);
  CHECK_EQUAL("{}", json.text());
}

TEST(a_value_that_does_not_fit_tells_its_size_and_writes_nothing) {
  const Written asked(Value("longer"), 3);
  CHECK_EQUAL(NXS_Success, asked.status);
  CHECK_EQUAL(6u, asked.value.size);
  CHECK_EQUAL('\0', asked.bytes[0]);
  CHECK_EQUAL(6u, Written(Value("longer"), 0).value.size);
}

TEST(a_description_is_json_whatever_its_texts_hold) {
  CHECK_EQUAL(
      "{\"Compiler\":\"cc\",\"Identity\":\"a\\\\b \\\"c\\\"\\u000a\\u0001\",\"Target\":\"x\","
      "\"Flags\":[\"-O3\",\"-D\\\"q\\\"\"],\"Format\":\"elf\"}",
      to_json({"cc", "a\\b \"c\"\n\x01", "x", {"-O3", "-D\"q\""}, "elf"}));
}

TEST(a_number_that_no_property_can_hold_is_an_error) {
  CHECK_EQUAL(NXS_InternalError, guarded([] { Value{UINT64_MAX}; }));
}

struct Shelf {
  bool open;
};
constexpr auto shelf_properties = property_table<Shelf>({
    {NP_Name, [](const Shelf &) -> Value { return "shelf"; }},
    {NP_Count, [](const Shelf &shelf) -> Value { return shelf.open ? Value(3) : Value(); }},
});

nxs_status get(const Shelf &shelf, nxs_property property, Written &out) {
  return guarded([&] { shelf_properties.get(shelf, property, &out.value); });
}

TEST(a_property_that_is_not_known_is_not_found_and_not_among_the_keys) {
  Written out{Value()};
  CHECK_EQUAL(NXS_Success, get({true}, NP_Count, out));
  CHECK_EQUAL(NXS_InvalidProperty, get({false}, NP_Count, out));
  CHECK(FakeHost<0>::last_error().starts_with(
      "the property Count (number 5) is unknown for this object"));
  CHECK_EQUAL(NXS_InvalidProperty, get({true}, 123456, out));
  CHECK_EQUAL(NXS_Success, get({false}, NP_Keys, out));
  int64_t keys[2] = {-1, -1};
  std::memcpy(keys, out.bytes, sizeof(keys));
  CHECK_EQUAL(uint64_t{sizeof(keys)}, out.value.size);
  CHECK_EQUAL(NP_Name, keys[0]);
  CHECK_EQUAL(NP_Keys, keys[1]);
}

TEST(a_value_struct_that_is_missing_or_too_small_is_refused) {
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { shelf_properties.get({true}, NP_Name, nullptr); }));
  nxs_value small{};
  small.struct_size = 8;
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { shelf_properties.get({true}, NP_Name, &small); }));
}

// ---- Arguments ----

nxs_argument buffer_argument(nxs_id buffer, uint64_t offset, uint64_t size) {
  return {sizeof(nxs_argument), NXS_ArgumentKind_Buffer, 0, buffer, offset, nullptr, size};
}
nxs_argument scalar_argument(const void *data, uint64_t size) {
  return {sizeof(nxs_argument), NXS_ArgumentKind_Scalar, 0, 0, 0, data, size};
}

constexpr ArgumentSpec specs[] = {{"x", NXS_ArgumentKind_Buffer, NXS_DataType_F32, 0},
                                  {"n", NXS_ArgumentKind_Scalar, NXS_DataType_I32, 4},
                                  {"either", NXS_ArgumentKind_Unknown, 0, 8}};

TEST(arguments_that_would_be_read_beyond_their_ends_are_refused) {
  const nxs_id buffer = buffers.create(uint64_t{16}, uint64_t{0}, nullptr);
  Arguments<HostBuffer> arguments{std::span(specs)};
  const auto set = [&](uint32_t index, nxs_argument argument) {
    return guarded([&] { arguments.set(index, &argument, buffers); });
  };
  const int64_t number = 7;
  CHECK_EQUAL(NXS_InvalidArgIndex, set(3, scalar_argument(&number, 4)));
  CHECK_EQUAL(NXS_InvalidArgValue, set(0, scalar_argument(&number, 4)));
  CHECK_EQUAL(NXS_InvalidArgSize, set(1, scalar_argument(&number, 8)));
  CHECK_EQUAL(NXS_InvalidArgSize, set(0, buffer_argument(buffer, 8, 9)));
  CHECK_EQUAL(NXS_InvalidBuffer, set(0, buffer_argument(buffer + 1, 0, 4)));
  CHECK_EQUAL(NXS_InvalidKernelArgs, guarded([&] { arguments.fix(); }));
  CHECK_EQUAL(NXS_Success, set(0, buffer_argument(buffer, 8, 8)));
  CHECK_EQUAL(NXS_Success, set(1, scalar_argument(&number, 4)));
  CHECK_EQUAL(NXS_Success, set(2, scalar_argument(&number, 8)));
  CHECK_EQUAL(NXS_Success, set(2, buffer_argument(buffer, 0, 16)));
  CHECK_EQUAL(NXS_Success, guarded([&] { arguments.fix(); }));
  CHECK_EQUAL(NXS_InvalidArgValue, set(2, scalar_argument(&number, 8)));
  buffers.release(buffer);
}

TEST(a_snapshot_keeps_values_and_buffers_as_they_were) {
  const nxs_id buffer = buffers.create(uint64_t{16}, uint64_t{0}, nullptr);
  Arguments<HostBuffer> arguments;
  int number = 1;
  const nxs_argument first = buffer_argument(buffer, 0, 16);
  nxs_argument second = scalar_argument(&number, sizeof(number));
  arguments.set(0, &first, buffers);
  arguments.set(1, &second, buffers);
  const auto snapshot = arguments.snapshot();
  number = 2;
  arguments.set(1, &second, buffers);
  buffers.release(buffer);
  int kept = 0;
  std::memcpy(&kept, (*snapshot)[1].scalar.data(), sizeof(kept));
  CHECK_EQUAL(1, kept);
  CHECK_EQUAL(16u, (*snapshot)[0].buffer->size());
  std::memcpy(&kept, arguments.list()[1].scalar.data(), sizeof(kept));
  CHECK_EQUAL(2, kept);
}

TEST(a_kernel_that_says_nothing_takes_up_to_64_arguments) {
  Arguments<HostBuffer> arguments;
  const int number = 1;
  const nxs_argument argument = scalar_argument(&number, sizeof(number));
  CHECK_EQUAL(NXS_Success, guarded([&] { arguments.set(63, &argument, buffers); }));
  CHECK_EQUAL(NXS_InvalidArgIndex, guarded([&] { arguments.set(64, &argument, buffers); }));
  CHECK_EQUAL(NXS_InvalidKernelArgs, guarded([&] { arguments.fix(); }));
}

// ---- Launches ----

nxs_launch launch_of(uint64_t group, uint64_t grid, uint64_t count) {
  const uint64_t rest = group == 0 ? 0 : 1;
  return {sizeof(nxs_launch), {group, rest, rest}, {grid, 1, 1}, {count, rest, rest}, 0, 0, {}};
}

TEST(the_backend_chooses_where_the_host_leaves_the_group_open) {
  const nxs_launch open = launch_of(0, 100, 0);
  const Launch chosen = check_launch(&open, {64, 1, 1}, 256);
  CHECK_EQUAL(64u, chosen.group_size[0]);
  CHECK_EQUAL(2u, chosen.groups());
  CHECK_EQUAL(100u, chosen.items());
}

TEST(a_launch_that_lacks_a_field_of_the_first_version_is_refused) {
  nxs_launch launch = launch_of(32, 64, 2);
  launch.struct_size = first_size<nxs_launch> - 1;
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { check_launch(&launch, {64, 1, 1}, 256); }));
}

// The size in 1.0. Fields appended later do not raise the size that hosts must pass.
TEST(what_a_host_has_to_know_of_a_struct_never_grows) {
  CHECK_EQUAL(uint64_t{40}, first_size<nxs_value>);
  CHECK_EQUAL(uint64_t{32}, first_size<nxs_completion>);
  CHECK_EQUAL(uint64_t{48}, first_size<nxs_argument>);
  CHECK_EQUAL(uint64_t{56}, first_size<nxs_argument_info>);
  CHECK_EQUAL(uint64_t{120}, first_size<nxs_launch>);
  CHECK_EQUAL(uint64_t{56}, first_size<nxs_occupancy>);
  CHECK_EQUAL(uint64_t{32}, first_size<nxs_buffer_range>);
  CHECK_EQUAL(uint64_t{24}, first_size<nxs_sink>);
  CHECK_EQUAL(uint64_t{168}, first_size<nxs_compile_info>);
  CHECK_EQUAL(uint64_t{80}, first_size<nxs_link_info>);
  CHECK_EQUAL(uint64_t{80}, first_size<nxs_host>);
  CHECK_EQUAL(uint64_t{80}, first_size<nxs_plugin>);
}

TEST(whole_clusters_are_launched) {
  const LaunchOptions all{.flags = NXS_LaunchFlags_Cooperative, .clusters = true};
  nxs_launch launch = launch_of(0, 65, 0);
  launch.cluster_size[0] = 3;
  launch.cluster_size[1] = launch.cluster_size[2] = 1;
  const Launch chosen = check_launch(&launch, {32, 1, 1}, 256, all);
  CHECK_EQUAL(3u, chosen.group_count[0]);
  CHECK_EQUAL(3u, chosen.groups_per_cluster());
  const auto status = [&] { return guarded([&] { check_launch(&launch, {1, 1, 1}, 256, all); }); };
  CHECK_EQUAL(NXS_Success, status());
  launch.cluster_size[0] = 4;
  launch.grid_size[0] = UINT64_MAX;
  CHECK_EQUAL(NXS_InvalidGlobalWorkSize, status());
  launch.cluster_size[1] = 0;
  CHECK_EQUAL(NXS_InvalidWorkGroupSize, status());
}

// ---- Buffers, ranges and patterns ----

TEST(ranges_and_patterns_are_checked_without_overflow) {
  CHECK_EQUAL(NXS_Success, guarded([] { check_range("range", 4, 4, 8); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { check_range("range", 4, UINT64_MAX, 8); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { check_range("range", 9, 0, 8); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { check_fill(0, 6, "abcd", 3); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { check_fill(2, 8, "abcd", 4); }));
  CHECK_EQUAL(NXS_MemCopyOverlap, guarded([] { check_copy(true, 0, 8, 7, 8); }));
  CHECK_EQUAL(NXS_Success, guarded([] { check_copy(true, 0, 8, 8, 8); }));
  CHECK_EQUAL(NXS_InvalidValue, guarded([] { check_copy(false, 0, 8, 0, 9); }));
}

TEST(a_pattern_is_repeated_to_the_end) {
  const nxs_id id = buffers.create(uint64_t{28}, uint64_t{0}, nullptr);
  const nxs_buffer_range range = {sizeof(range), id, 4, 20};
  const Ref<HostBuffer> buffer = buffers.pin(id);
  const HostCopy<HostBuffer> fill(
      BufferTransfer<HostBuffer>::fill(buffers, *buffer, &range, "abcd", 4));
  std::memset(buffer->data(), '.', 28);
  fill();
  CHECK_EQUAL("....abcdabcdabcdabcdabcd....",
              std::string(reinterpret_cast<const char *>(buffer->data()), 28));
  buffers.release(id);
}

}  // namespace
