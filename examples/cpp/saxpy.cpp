// SPDX-License-Identifier: Apache-2.0
//
// Compiles a kernel from its text and runs it on the device that the argument names, such as "cpu".
#include <nexus.h>

#include <algorithm>
#include <iostream>
#include <vector>

const char *const kSource = R"(
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
)";

int main(int count, char **arguments) {
  try {
    const int n = 1 << 20;
    std::vector<float> numbers(n, 1.0F);
    const nexus::Device device = nexus::getSystem().getDevice(count > 1 ? arguments[1] : "");
    const nexus::Buffer x = device.createBuffer(numbers), y = device.createBuffer(numbers);

    const nexus::Kernel saxpy = device.compile(kSource).getKernel("saxpy");
    saxpy(device.getDefaultStream(), n, x, y, 2.0F, n);
    y.copy(numbers);

    const auto wrong = n - std::ranges::count(numbers, 3.0F);
    std::cout << "2 * 1 + 1 on " << device.getName() << ", wrong elements: " << wrong << '\n';
    return wrong == 0 ? 0 : 1;
  } catch (const nexus::Error &error) {
    std::cerr << error.statusName() << ": " << error.what() << '\n';
    return 1;
  }
}
