// SPDX-License-Identifier: Apache-2.0
#include "registry/plugin.hpp"

#include <optional>

#include "base/text.hpp"

namespace nexus::core {

void Plugin::refuseProcess() {
  failWith(NXS_InvalidOperation,
           "The backend was loaded before a fork(), and the child process can't use it; start the "
           "process with the method 'spawn'.");
}

Failure Plugin::failure(nxs_status status, uint64_t error, std::string_view what) const {
  std::string text = "The backend " + name + " could not " + std::string(what) + ": ";
  const std::optional<ErrorRecord> record = findErrorRecord(error);
  if (record && !record->text.empty()) {
    text += sentence(record->text);
  } else {
    text += std::string("it returned ") + statusName(status) + " without saying why.";
  }
  return {status, std::move(text), record ? record->native_code : 0, name};
}

}  // namespace nexus::core
