// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nexus::python {

/// Sends the log of libnexus and of the plug-ins to Python's logging, as the loggers "nexus" and
/// "nexus.<backend>". Lines may come from any thread; they are written on Python's main thread, so
/// that no thread of a backend ever waits for the GIL.
void installLog();
/// Sends lines to stderr again.
void removeLog() noexcept;

/// Writes the deferred lines. Call it with the GIL held; keeps an error that is set.
void writePendingLog() noexcept;

}  // namespace nexus::python
