// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "objects.hpp"

using namespace objects;

namespace {

Object referenceLibrary(nexus_device *device) {
  const std::string source = "nexus-reference 1\nscale_f32\nadd_f32\nadd_i32\n";
  Object library;
  CHECK_OK(nexus_device_load_library(device, source.data(), source.size(), library.out()));
  return library;
}

std::vector<std::string> kernelNames(nexus_library *library) {
  const Bytes bytes = property(library, {"KernelNames"}, NXS_ValueType_StrVec);
  CHECK_OK(bytes.status);
  std::vector<std::string> names;
  for (auto at = bytes.data.begin(); at != bytes.data.end();) {
    const auto end = std::find(at, bytes.data.end(), '\0');
    names.emplace_back(at, end);
    at = end + 1;
  }
  return names;
}

TEST(a_library_names_its_kernels_in_alphabetical_order) {
  const Object library = referenceLibrary(device("reference:0"));
  CHECK_EQUAL((std::vector<std::string>{"add_f32", "add_i32", "scale_f32"}), kernelNames(library));
}

TEST(the_cpu_names_the_kernels_that_describe_themselves) {
  const Object on = device("cpu:0");
  Object library;
  CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_EQUAL(
      (std::vector<std::string>{"add_vectors", "gradient_magnitude", "saxpy", "sobel_gradients"}),
      kernelNames(library));
  for (const std::string &name : kernelNames(library)) {
    Object kernel;
    CHECK_OK(nexus_library_get_kernel(library, text(name), kernel.out()));
  }
}

TEST(an_unknown_kernel_names_near_ones_on_every_backend) {
  const Object reference = referenceLibrary(device("reference:0"));
  Object cpu;
  Object kernel;
  CHECK_OK(nexus_device_load_library_file(device("cpu:0"), text(NEXUS_CPU_KERNELS), cpu.out()));
  CHECK_FAILS(NXS_InvalidKernelName,
              nexus_library_get_kernel(reference, text("add_f23"), kernel.out()), "'add_f23'",
              "did you mean", "'add_f32'");
  CHECK_FAILS(NXS_InvalidKernelName,
              nexus_library_get_kernel(reference, text("xyzzyplugh"), kernel.out()),
              "it has 'add_f32', 'add_i32', 'scale_f32'");
  CHECK_FAILS(NXS_InvalidKernelName, nexus_library_get_kernel(cpu, text("saxby"), kernel.out()),
              "'saxby'", "did you mean", "'saxpy'");
}

}  // namespace
