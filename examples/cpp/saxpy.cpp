// SPDX-License-Identifier: Apache-2.0
//
// Compiles a kernel from its text, runs it on the device that its argument names ("cpu"), and
// checks the result. A second run of the program finds the compiled kernel on disk.
#include <nexus.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

const char *const kSource = R"(
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
)";

// y = 2 x + y on the device. Returns how many elements came out wrong.
int runSaxpy(const nexus::Device &device, const nexus::Library &library) {
  const std::vector<float> ones(1 << 20, 1.0F);
  const nexus::Buffer x = device.createBuffer(ones);
  const nexus::Buffer y = device.createBuffer(ones);
  const nexus::Kernel saxpy = library.getKernel("saxpy");
  saxpy(device.getDefaultStream(), ones.size(), x, y, 2.0F, static_cast<std::int32_t>(ones.size()));

  std::vector<float> result(ones.size());
  y.copy(result);
  int wrong = 0;
  for (const float value : result) {
    wrong += value != 3.0F ? 1 : 0;
  }
  return wrong;
}

}  // namespace

int main(int count, char **arguments) {
  try {
    const nexus::Device device = nexus::getSystem().getDevice(count > 1 ? arguments[1] : "");
    const nexus::Program program(kSource, "nexus", "saxpy.c");
    const nexus::ObjectCode code = program.compile(device);
    std::cout << code.getName() << " for " << code.getTarget() << ": " << code.getCode().size()
              << " bytes of " << code.getFormat() << '\n';
    const int wrong = runSaxpy(device, device.loadLibrary(code));
    std::cout << "wrong elements: " << wrong << '\n';
    return wrong == 0 ? 0 : 1;
  } catch (const nexus::Error &error) {
    std::cerr << error.statusName() << ": " << error.what() << '\n';
    return 1;
  }
}
