// SPDX-License-Identifier: Apache-2.0
// The kit for writing a plug-in in C++20: header-only, nothing to link.
//
// A plug-in defines the functions of nxs_functions.def as extern "C"; the body of each is
// `return guarded([&] { ... })`. Each kind of object has a HandleTable.
// tests/plugins/nexus-reference is a complete backend.
//
// Every namespace of the kit is hidden, so that two plug-ins in one process share no code of it,
// whatever compiler flags they are built with. Do the same with your own code: keep it in an
// anonymous namespace, or in one marked NXS_HIDDEN.
#ifndef NEXUS_PLUGIN_PLUGIN_HPP_
#define NEXUS_PLUGIN_PLUGIN_HPP_

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/base/checks.hpp>
#include <nexus-plugin/base/data_type.hpp>
#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/failure.hpp>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/handle_table.hpp>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/base/near_names.hpp>
#include <nexus-plugin/base/property_table.hpp>
#include <nexus-plugin/base/query.hpp>
#include <nexus-plugin/base/shared.hpp>
#include <nexus-plugin/base/value.hpp>
#include <nexus-plugin/compile/background_job.hpp>
#include <nexus-plugin/compile/compile.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>
#include <nexus-plugin/driver/device_attributes.hpp>
#include <nexus-plugin/driver/driver_errors.hpp>
#include <nexus-plugin/driver/driver_function.hpp>
#include <nexus-plugin/driver/lost_device.hpp>
#include <nexus-plugin/driver/visible_devices.hpp>
#include <nexus-plugin/kernel/arguments.hpp>
#include <nexus-plugin/kernel/kernel.hpp>
#include <nexus-plugin/kernel/launch.hpp>
#include <nexus-plugin/kernel/library.hpp>
#include <nexus-plugin/memory/buffer.hpp>
#include <nexus-plugin/memory/host_memory.hpp>
#include <nexus-plugin/memory/range.hpp>
#include <nexus-plugin/memory/row_copy.hpp>
#include <nexus-plugin/recording/recording.hpp>
#include <nexus-plugin/runtime.hpp>
#include <nexus-plugin/stream/completion.hpp>
#include <nexus-plugin/stream/event.hpp>
#include <nexus-plugin/stream/event_pool.hpp>
#include <nexus-plugin/stream/queued_stream.hpp>
#include <nexus-plugin/stream/staging.hpp>
#include <nexus-plugin/stream/stream_pool.hpp>
#include <nexus-plugin/stream/work_queue.hpp>

#endif  // NEXUS_PLUGIN_PLUGIN_HPP_
