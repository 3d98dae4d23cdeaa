// SPDX-License-Identifier: Apache-2.0
#include "visible_devices.hpp"

#include "device_attributes.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

namespace simulated_cuda {
namespace {

// -1: there is none.
int find_device(const std::string &word, int count) {
  for (int i = 0; i < count; ++i) {
    const bool by_uuid = word.size() > 4 && ("GPU-" + uuid_text(i)).rfind(word, 0) == 0;
    if (word == std::to_string(i) || by_uuid) return i;
  }
  return -1;
}

}  // namespace

std::vector<int> visible_devices(int count) {
  const char *list = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<int> visible;
  if (list == nullptr) {
    for (int i = 0; i < count; ++i) visible.push_back(i);
    return visible;
  }
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const int found = find_device(word, count);
    if (found < 0) break;
    visible.push_back(found);
  }
  return visible;
}

}  // namespace simulated_cuda
