// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nexus::python {

/// Lets Ctrl-C and other signal handlers of Python end a wait in libnexus.
void installInterruptCheck();
void removeInterruptCheck() noexcept;

}  // namespace nexus::python
