// SPDX-License-Identifier: Apache-2.0
#include "language/kernel_header.hpp"

#include <map>

namespace nexus::core {
namespace {

using HeaderTexts = std::map<std::string, std::string, std::less<>>;

const HeaderTexts &headerTexts() {
  // Never destroyed: threads may still compile while the process exits.
  static const HeaderTexts &all = []() -> const HeaderTexts & {
    auto *texts = new HeaderTexts;
    for (const EmbeddedText &file : embeddedKernelHeaders()) {
      std::string &text = (*texts)[file.name];
      for (const char *const *piece = file.pieces; *piece != nullptr; ++piece) {
        text += *piece;
      }
    }
    return *texts;
  }();
  return all;
}

}  // namespace

const std::string *kernelHeaderText(std::string_view name) {
  const auto found = headerTexts().find(name);
  return found == headerTexts().end() ? nullptr : &found->second;
}

}  // namespace nexus::core
