// SPDX-License-Identifier: Apache-2.0
// Opens two plug-ins that define the same names, the first with RTLD_GLOBAL, and
// sees that each uses its own objects, functions, statics, threads and host.
#include <string>

#include "../unit/check.hpp"
#include "fake_host.hpp"
#include "loaded_plugin.hpp"

namespace {

// The paths come from the environment: NEXUS_TEST_FIRST and NEXUS_TEST_SECOND.
struct Pair {
  LoadedPlugin one{std::getenv("NEXUS_TEST_FIRST"), RTLD_GLOBAL, FakeHost<1>::get()};
  LoadedPlugin two{std::getenv("NEXUS_TEST_SECOND"), RTLD_LOCAL, FakeHost<2>::get()};
};

const Pair &pair() {
  static const Pair both;
  return both;
}

nxs_id device_of(const LoadedPlugin &plugin) {
  nxs_id device = 0;
  plugin.functions.GetDevice(0, 0, &device);
  return device;
}
nxs_id stream_of(const LoadedPlugin &plugin) {
  nxs_id stream = 0;
  plugin.functions.CreateStream(0, 0, &stream);
  return stream;
}

TEST(each_runs_its_own_functions_and_has_its_own_objects) {
  const nxs_id first = device_of(pair().one);
  device_of(pair().one);
  const nxs_id second = device_of(pair().two);
  const auto number = LoadedPlugin::number<nxsGetDeviceProperty_fn>;
  CHECK_EQUAL(1, number(pair().one.functions.GetDeviceProperty, first, NP_Value));
  CHECK_EQUAL(2, number(pair().two.functions.GetDeviceProperty, second, NP_Value));
  CHECK_EQUAL(2, number(pair().one.functions.GetDeviceProperty, first, NP_Count));
  CHECK_EQUAL(1, number(pair().two.functions.GetDeviceProperty, second, NP_Count));
}

TEST(each_knows_its_own_host) {
  const auto number = LoadedPlugin::number<nxsGetDeviceProperty_fn>;
  CHECK_EQUAL(int64_t{FakeHost<1>::kTag},
              number(pair().one.functions.GetDeviceProperty, device_of(pair().one), NP_ID));
  CHECK_EQUAL(int64_t{FakeHost<2>::kTag},
              number(pair().two.functions.GetDeviceProperty, device_of(pair().two), NP_ID));
  CHECK_EQUAL(NXS_InvalidDevice, pair().two.functions.GetDeviceProperty(0, NP_ID, nullptr));
  CHECK_EQUAL("the device is 0, which is never an id", FakeHost<2>::last_error());
  CHECK_EQUAL("", FakeHost<1>::last_error());
}

TEST(an_id_of_the_one_is_foreign_to_the_other) {
  CHECK_EQUAL(NXS_InvalidDevice,
              pair().two.functions.GetDeviceProperty(device_of(pair().one), NP_ID, nullptr));
}

TEST(work_and_statics_of_the_one_are_not_the_others) {
  const auto called = [](const LoadedPlugin &plugin) {
    nxs_status told = 0;
    nxs_ticket ticket = 0;
    const nxs_id stream = stream_of(plugin);
    plugin.functions.EnqueueHostCallback(
        stream, [](void *to, nxs_status status) { *static_cast<nxs_status *>(to) = status; }, &told,
        &ticket);
    plugin.wait(stream, ticket);
    return told;
  };
  CHECK_EQUAL(1, called(pair().one));
  CHECK_EQUAL(2, called(pair().one));
  CHECK_EQUAL(2, called(pair().two));
}

TEST(late_failures_are_recorded_with_the_own_host) {
  const nxs_id first = stream_of(pair().one);
  const nxs_id second = stream_of(pair().two);
  pair().one.functions.PrepareSchedule(0, first);
  pair().two.functions.PrepareSchedule(0, second);
  CHECK_EQUAL("failed in one", FakeHost<1>::error(pair().one.wait(first).error));
  CHECK_EQUAL("failed in two", FakeHost<2>::error(pair().two.wait(second).error));
}

}  // namespace
