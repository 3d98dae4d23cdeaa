// SPDX-License-Identifier: Apache-2.0
// Prints the result of container_limit() with another root folder.
#include <system/usage.hpp>

#include <cstdio>

int main(int count, char **arguments) {
  if (count != 2) return 2;
  std::printf("%u\n", nexus_cpu::container_limit(nexus_cpu::SystemTree(arguments[1])));
  return 0;
}
