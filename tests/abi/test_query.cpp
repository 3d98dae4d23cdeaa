// SPDX-License-Identifier: Apache-2.0
// Negotiation in both directions: which version is served, what is written of the
// host's structs, and what is refused in words.
#include <nexus-plugin/base/query.hpp>

#include <algorithm>
#include <cstring>
#include <list>
#include <string>
#include <string_view>

#include "../unit/check.hpp"
#include "fake_host.hpp"

using namespace nexus_plugin;

namespace {

constexpr nxs_id kRuntime = 77;
constexpr uint32_t kHostMinor = 4;
constexpr uint32_t kMajor = NXS_API_VERSION_MAJOR;

nxs_status get_device(nxs_id, uint32_t, nxs_id *) {
  return NXS_Success;
}
nxs_status release_command(nxs_id) {
  return NXS_Success;
}

// Hosts live as long as the process.
nxs_host &make_host() {
  static std::list<nxs_host> hosts;
  return hosts.emplace_back(FakeHost<0>::make());
}

// A host's side of a query.
struct Query {
  nxs_host &host = make_host();
  nxs_functions table{};
  nxs_plugin plugin{};
  bool started = false;

  Query() {
    host.api_minor = kHostMinor;
    table.struct_size = sizeof(table);
    plugin.struct_size = sizeof(plugin);
    plugin.functions = &table;
  }

  nxs_status ask(const Identity &self) {
    nxs_functions functions{};
    functions.struct_size = sizeof(functions);
    functions.GetDevice = get_device;
    functions.ReleaseCommand = release_command;
    return query(&host, &plugin, self, functions, [this] {
      started = true;
      return kRuntime;
    });
  }
};

Identity identity(uint32_t min_minor = 0, uint32_t api_minor = kHostMinor) {
  return {.name = "acme",
          .version = "3.2.1",
          .capabilities = NXS_Capability_Timing,
          .min_minor = min_minor,
          .api_minor = api_minor};
}

TEST(equal_versions_meet) {
  Query query;
  CHECK_EQUAL(NXS_Success, query.ask(identity()));
  CHECK_EQUAL(kMajor, query.plugin.api_major);
  CHECK_EQUAL(kHostMinor, query.plugin.api_minor);
  CHECK_EQUAL("acme", std::string(view(query.plugin.name)));
  CHECK_EQUAL("3.2.1", std::string(view(query.plugin.version)));
  CHECK_EQUAL(kRuntime, query.plugin.runtime);
  CHECK_EQUAL(NXS_Capability_Timing, query.plugin.capabilities);
  CHECK(query.table.GetDevice == get_device);
}

// A host and a plug-in of these versions; refusal is "" if they agree.
struct Meeting {
  uint32_t host_major, host_minor, host_min_minor;
  uint32_t min_minor, api_minor;  // of the plug-in
  nxs_status status;
  std::string_view refusal;
};

TEST(versions_meet_or_are_refused_in_words) {
  const std::string_view serves = "the plug-in acme 3.2.1 serves the plug-in interface ";
  const std::string_view fit = "; install versions that fit";
  const Meeting meetings[] = {
      {kMajor, kHostMinor, 0, 0, 9, NXS_Success, ""},
      {kMajor, kHostMinor, 0, 0, 1, NXS_Success, ""},
      {kMajor, kHostMinor, 0, 0, 0, NXS_Success, ""},
      {kMajor, kHostMinor, 0, 5, 7, NXS_IncompatibleVersion,
       "1.5 to 1.7, and this Nexus speaks 1.4"},
      {2, 0, 0, 0, kHostMinor, NXS_IncompatibleVersion, "1.0 to 1.4, and this Nexus speaks 2.0"},
      {0, 1, 1, 0, 0, NXS_IncompatibleVersion, "1.0, and this Nexus speaks 0.1"},
  };
  for (const Meeting &each : meetings) {
    Query query;
    query.host.api_major = each.host_major;
    query.host.api_minor = each.host_minor;
    query.host.min_minor = each.host_min_minor;
    CHECK_EQUAL(each.status, query.ask(identity(each.min_minor, each.api_minor)));
    CHECK_EQUAL(each.refusal.empty(), query.started);
    if (each.refusal.empty()) {
      CHECK_EQUAL(std::min(each.host_minor, each.api_minor), query.plugin.api_minor);
      continue;
    }
    CHECK_EQUAL(std::string(serves) + std::string(each.refusal) + std::string(fit),
                FakeHost<0>::last_error());
    CHECK(query.table.GetDevice == nullptr);
  }
}

TEST(a_plugin_older_than_the_hosts_minimum_refuses_in_words) {
  Query query;
  query.host.min_minor = 3;
  CHECK_EQUAL(NXS_IncompatibleVersion, query.ask(identity(0, 1)));
  CHECK_EQUAL(
      "the plug-in acme 3.2.1 speaks the plug-in interface 1.1, and this Nexus needs at least 1.3; "
      "install a newer version of the plug-in",
      FakeHost<0>::last_error());
}

TEST(a_plugin_serves_the_first_minor_unless_it_says_otherwise) {
  Query query;
  query.host.api_minor = 0;
  CHECK_EQUAL(NXS_Success, query.ask({.name = "acme", .version = "3.2.1", .api_minor = 9}));
  CHECK_EQUAL(0u, query.plugin.api_minor);
}

TEST(an_identity_that_serves_no_host_is_refused_in_words) {
  Query query;
  CHECK_EQUAL(NXS_InvalidValue, query.ask(identity(1, 0)));
  CHECK_EQUAL(
      "the plug-in acme 3.2.1 gives its Identity a min_minor of 1, and is built with headers of "
      "1.0; it is at most 0",
      FakeHost<0>::last_error());
  CHECK(!query.started);
}

TEST(nothing_is_written_beyond_the_table_that_the_host_knows) {
  Query query;
  nxs_functions untouched;
  std::memset(&untouched, 0xAB, sizeof(untouched));
  query.table = untouched;
  // Three whole entries and a part of the fourth.
  query.table.struct_size = offsetof(nxs_functions, CreateBuffer) + 4;
  CHECK_EQUAL(NXS_Success, query.ask(identity()));
  CHECK(query.table.GetDevice == get_device);
  CHECK(query.table.GetDeviceProperty == nullptr);
  const auto *bytes = reinterpret_cast<const unsigned char *>(&query.table);
  bool kept = true;
  for (std::size_t i = offsetof(nxs_functions, CreateBuffer); i < sizeof(nxs_functions); ++i) {
    kept = kept && bytes[i] == 0xAB;
  }
  CHECK(kept);
}

TEST(a_larger_table_keeps_what_only_the_host_knows) {
  struct {
    nxs_functions known{};
    void *later = nullptr;
  } larger;
  int marker = 0;
  larger.later = &marker;
  Query query;
  query.plugin.functions = &larger.known;
  larger.known.struct_size = sizeof(larger);
  CHECK_EQUAL(NXS_Success, query.ask(identity()));
  CHECK(larger.known.ReleaseCommand == release_command);
  CHECK(larger.later == &marker);
  CHECK_EQUAL(sizeof(larger), larger.known.struct_size);
}

TEST(what_the_plugin_does_not_define_stays_null) {
  Query query;
  CHECK_EQUAL(NXS_Success, query.ask(identity()));
  CHECK(query.table.CreateBuffer == nullptr);
  CHECK(query.table.MapBuffer == nullptr);
}

TEST(structs_that_are_too_small_are_refused) {
  Query small_host;
  small_host.host.struct_size = 16;
  CHECK_EQUAL(NXS_InvalidValue, small_host.ask(identity()));
  Query small_plugin;
  small_plugin.plugin.struct_size = 16;
  CHECK_EQUAL(NXS_InvalidValue, small_plugin.ask(identity()));
  Query no_table;
  no_table.plugin.functions = nullptr;
  CHECK_EQUAL(NXS_InvalidValue, no_table.ask(identity()));
}

TEST(what_start_throws_is_the_answer) {
  Query asked;
  const nxs_status status = query(&asked.host, &asked.plugin, identity(), {}, []() -> nxs_id {
    throw Error(NXS_DeviceNotAvailable, "no driver; install one");
  });
  CHECK_EQUAL(NXS_DeviceNotAvailable, status);
  CHECK_EQUAL("no driver; install one", FakeHost<0>::last_error());
  CHECK_EQUAL(0, asked.plugin.runtime);
}

}  // namespace
