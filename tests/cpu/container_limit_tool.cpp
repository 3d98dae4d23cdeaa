// SPDX-License-Identifier: Apache-2.0
// Prints what container_limit() reads under a folder that stands for the root.
#include <system/usage.hpp>

#include <cstdio>

int main(int count, char **arguments) {
  if (count != 2) return 2;
  std::printf("%u\n", nexus_cpu::container_limit(nexus_cpu::SystemTree(arguments[1])));
  return 0;
}
