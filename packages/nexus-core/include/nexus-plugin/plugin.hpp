// SPDX-License-Identifier: Apache-2.0
// The kit for writing a plug-in in C++20: header-only, nothing to link.
//
// A plug-in defines the functions of nxs_functions.def as extern "C"; the body of each is
// `return guarded([&] { ... })`. Each kind of object has a HandleTable.
// tests/plugins/nexus-reference is a complete backend in one file.
//
// Every namespace of the kit is hidden, so that two plug-ins in one process share no code of it,
// whatever compiler flags they are built with. Do the same with your own code: keep it in an
// anonymous namespace, or in one marked NXS_HIDDEN.
#ifndef NEXUS_PLUGIN_PLUGIN_HPP_
#define NEXUS_PLUGIN_PLUGIN_HPP_

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/arguments.hpp>
#include <nexus-plugin/background_job.hpp>
#include <nexus-plugin/buffer.hpp>
#include <nexus-plugin/checks.hpp>
#include <nexus-plugin/compile.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/completion.hpp>
#include <nexus-plugin/data_type.hpp>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/event.hpp>
#include <nexus-plugin/event_pool.hpp>
#include <nexus-plugin/failure.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/handle_table.hpp>
#include <nexus-plugin/host.hpp>
#include <nexus-plugin/host_memory.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/kernel.hpp>
#include <nexus-plugin/launch.hpp>
#include <nexus-plugin/library.hpp>
#include <nexus-plugin/near_names.hpp>
#include <nexus-plugin/property_table.hpp>
#include <nexus-plugin/query.hpp>
#include <nexus-plugin/queued_stream.hpp>
#include <nexus-plugin/range.hpp>
#include <nexus-plugin/recording.hpp>
#include <nexus-plugin/runtime.hpp>
#include <nexus-plugin/shared.hpp>
#include <nexus-plugin/staging.hpp>
#include <nexus-plugin/stream_pool.hpp>
#include <nexus-plugin/value.hpp>
#include <nexus-plugin/work_queue.hpp>

#endif  // NEXUS_PLUGIN_PLUGIN_HPP_
