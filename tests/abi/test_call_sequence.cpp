// SPDX-License-Identifier: Apache-2.0
// The sequence of calls that the document of the plug-in API shows, in its order: device discovery,
// a buffer, a library and its kernel, a command, a run, and the releases. The plug-in is the one
// whose path is in NEXUS_TEST_FIRST: the reference backend.
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "../unit/check.hpp"
#include "fake_host.hpp"
#include "loaded_plugin.hpp"

namespace {

using Host = FakeHost<0>;

void expect_success(nxs_status status, const char *what) {
  if (status != NXS_Success) check::fail(what, 0, Host::last_error());
}
#define DO(call) expect_success(call, #call)

nxs_string string_of(const std::string &words) {
  return {words.data(), words.size()};
}

std::string library_file() {
  const std::string path = "sequence.kernels";
  std::ofstream(path) << "nexus-reference 1\nscale_f32\n";
  return path;
}

}  // namespace

TEST(the_documented_sequence_of_calls_runs) {
  const LoadedPlugin plugin(std::getenv("NEXUS_TEST_FIRST"), RTLD_LOCAL, Host::get());
  const nxs_functions &nxs = plugin.functions;
  const nxs_id runtime = plugin.plugin.runtime;

  // Device discovery
  CHECK(LoadedPlugin::number(nxs.GetRuntimeProperty, runtime, NP_Size) >= 1);
  nxs_id device = 0;
  DO(nxs.GetDevice(runtime, 0, &device));
  char name[64] = {};
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = name;
  value.capacity = sizeof(name);
  DO(nxs.GetDeviceProperty(device, NP_Name, &value));
  CHECK_EQUAL(NXS_ValueType_Str, value.type);
  CHECK(value.size > 0 && value.size <= sizeof(name));

  // Buffer allocation
  std::vector<float> numbers{1, 2, 3, 4};
  const uint64_t size = numbers.size() * sizeof(float);
  nxs_id buffer = 0;
  DO(nxs.CreateBuffer(device, size, 0, numbers.data(), &buffer));

  // Library and kernel
  const std::string path = library_file();
  const nxs_string path_text = string_of(path);
  nxs_id library = 0;
  DO(nxs.CreateLibraryFromFile(device, &path_text, &library));
  const std::string kernel_name = "scale_f32";
  const nxs_string kernel_text = string_of(kernel_name);
  nxs_id kernel = 0;
  DO(nxs.GetKernel(library, &kernel_text, &kernel));

  // Command submission
  nxs_id stream = 0;
  DO(nxs.CreateStream(device, 0, &stream));
  nxs_id schedule = 0;
  DO(nxs.CreateSchedule(device, &schedule));
  nxs_id command = 0;
  DO(nxs.CreateCommand(schedule, kernel, &command));
  const float factor = 2;
  const nxs_argument arguments[] = {
      {sizeof(nxs_argument), NXS_ArgumentKind_Buffer, 0, buffer, 0, nullptr, size},
      {sizeof(nxs_argument), NXS_ArgumentKind_Scalar, 0, 0, 0, &factor, sizeof(factor)},
      {sizeof(nxs_argument), NXS_ArgumentKind_Buffer, 0, buffer, 0, nullptr, size},
  };
  for (uint32_t index = 0; index < 3; ++index) {
    DO(nxs.SetCommandArgument(command, index, &arguments[index]));
  }
  const nxs_launch launch = {sizeof(nxs_launch), {2, 1, 1}, {4, 1, 1}, {2, 1, 1}, 0, 0, {}};
  DO(nxs.FinalizeCommand(command, &launch));
  nxs_ticket ticket = 0;
  DO(nxs.RunSchedule(schedule, stream, 0, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, plugin.wait(stream, ticket).state);

  DO(nxs.CopyBuffer(buffer, 0, numbers.data(), size, stream, &ticket));
  CHECK_EQUAL(NXS_CompletionState_Completed, plugin.wait(stream, ticket).state);
  CHECK(numbers == std::vector<float>({2, 4, 6, 8}));

  // Cleanup
  DO(nxs.ReleaseCommand(command));
  DO(nxs.ReleaseSchedule(schedule));
  DO(nxs.ReleaseStream(stream));
  DO(nxs.ReleaseKernel(kernel));
  DO(nxs.ReleaseLibrary(library));
  DO(nxs.ReleaseBuffer(buffer));
}
