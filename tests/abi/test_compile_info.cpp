// SPDX-License-Identifier: Apache-2.0
// What the kit reads of an nxs_compile_info, and writes of nxsDescribeCompile's answer.
#include <nexus-plugin/plugin.hpp>

#include <string>
#include <vector>

#include "../unit/check.hpp"
#include "fake_host.hpp"

using namespace nexus_plugin;

namespace {

const bool bound = (bind_host(&FakeHost<0>::get()), true);

nxs_compile_info info_of(std::string_view source) {
  nxs_compile_info info{};
  info.struct_size = sizeof(info);
  info.source = as_nxs(source);
  return info;
}

nxs_status read(const nxs_compile_info *info) {
  return guarded([&] { check_compile_info(info); });
}

bool says(std::string_view part) {
  return FakeHost<0>::last_error().find(part) != std::string::npos;
}

TEST(all_that_the_host_gives_is_read) {
  nxs_compile_info info = info_of("text");
  const nxs_string defines[] = {as_nxs("A=1"), as_nxs("B")};
  info.defines = defines;
  info.define_count = 2;
  info.optimization = 2;
  info.language = as_nxs("c");
  const CompileSettings settings = check_compile_info(&info);
  CHECK_EQUAL("text", settings.source);
  CHECK_EQUAL("c", settings.language);
  CHECK_EQUAL(2, settings.optimization);
  CHECK_EQUAL(std::size_t{2}, settings.defines.size());
  CHECK_EQUAL("A=1", settings.defines.at(0));
  CHECK(settings.options.empty());
}

TEST(what_is_no_info_is_refused_by_its_field) {
  CHECK_EQUAL(NXS_InvalidValue, read(nullptr));
  nxs_compile_info info = info_of("");
  info.struct_size = 8;
  CHECK_EQUAL(NXS_InvalidValue, read(&info));
  CHECK(says("struct_size"));
  info = info_of("");
  info.name.size = 3;
  CHECK_EQUAL(NXS_InvalidValue, read(&info));
  CHECK(says("info->name"));
  info = info_of("");
  info.option_count = 1;
  CHECK_EQUAL(NXS_InvalidValue, read(&info));
  CHECK(says("info->options"));
}

TEST(a_sink_needs_a_function) {
  nxs_sink sink{sizeof(nxs_sink), nullptr, nullptr};
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { check_sink(&sink, "code"); }));
  CHECK(says("code->write is NULL"));
  CHECK_EQUAL(NXS_InvalidValue, guarded([&] { check_sink(nullptr, "log"); }));
}

TEST(a_sink_gets_all_bytes_and_no_call_for_none) {
  std::string taken;
  const nxs_sink sink{sizeof(nxs_sink), &taken, [](void *context, const void *data, uint64_t size) {
                        static_cast<std::string *>(context)->append(static_cast<const char *>(data),
                                                                    size) += '|';
                      }};
  write_to(sink, "ab");
  write_to(sink, "");
  write_to(sink, std::string_view("\0c", 2));
  CHECK_EQUAL(std::string("ab|\0c|", 6), taken);
}

TEST(a_description_is_json_whatever_its_texts_hold) {
  const CompileDescription description{"cc", "a\\b \"c\"\n\x01", "x", {"-O3", "-D\"q\""}, "elf"};
  std::string memory(400, '\0');
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = memory.data();
  value.capacity = memory.size();
  to_value(description).write(value);
  CHECK_EQUAL(NXS_ValueType_Json, value.type);
  CHECK_EQUAL(
      "{\"Compiler\":\"cc\",\"Identity\":\"a\\\\b \\\"c\\\"\\u000a\\u0001\",\"Target\":\"x\","
      "\"Flags\":[\"-O3\",\"-D\\\"q\\\"\"],\"Format\":\"elf\"}",
      memory.substr(0, value.size));
}

}  // namespace
