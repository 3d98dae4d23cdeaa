// SPDX-License-Identifier: Apache-2.0
//
// Finds a device, runs a kernel on it and checks the result; then asks for something that there is
// not. The kernel library is the program's argument.
#include <nexus.h>

#include <exception>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace {

// x *= factor, on the device. Returns how many elements came out wrong.
int runKernel(const nexus::Device &device, const std::string &library) {
  std::vector<float> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 0.0F);

  const nexus::Kernel kernel = device.loadLibrary(library).getKernel("scale");
  const nexus::Buffer buffer = device.createBuffer(numbers);
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command command = schedule.createCommand(kernel);
  command.setArgument(0, buffer);
  command.setArgument(1, 3.0F);
  command.finalize(256, numbers.size());
  schedule.run();

  std::vector<float> result(numbers.size());
  buffer.copy(result);
  int wrong = 0;
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    wrong += result[index] != 3.0F * numbers[index] ? 1 : 0;
  }
  return wrong;
}

// An error of Nexus is made and caught in this program, whatever compiler built libnexus.
bool catchesErrors(const nexus::System &system) {
  try {
    system.getDevice("warp:9");
    return false;
  } catch (const std::exception &error) {
    std::cout << "caught: " << error.what() << '\n';
    return true;
  }
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 2) {
    std::cerr << "usage: scale KERNEL_LIBRARY\n";
    return 2;
  }
  try {
    const nexus::System system = nexus::getSystem();
    const nexus::Device device = system.getDevice("cpu");
    std::cout << device.getSelector() << ": " << device.getProperty<std::string>("Vendor") << ", "
              << device.getProperty<std::string>(NP_Architecture) << '\n';
    const int wrong = runKernel(device, arguments[1]);
    std::cout << "wrong elements: " << wrong << '\n';
    return wrong == 0 && catchesErrors(system) ? 0 : 1;
  } catch (const nexus::Error &error) {
    std::cerr << error.statusName() << ": " << error.what() << '\n';
    return 1;
  }
}
