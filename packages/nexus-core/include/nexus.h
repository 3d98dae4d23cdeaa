// SPDX-License-Identifier: Apache-2.0
/// The C++ Source API of Nexus: header-only, over the C functions of libnexus.
///
///     nexus::Device device = nexus::getSystem().getDevice();
///     nexus::Buffer buffer = device.createBuffer(std::vector<float>(1024, 1.0f));
///     nexus::Kernel kernel = device.loadLibrary("kernel.so").getKernel("add_vectors");
///     nexus::Schedule schedule = device.createSchedule();
///     nexus::Command command = schedule.createCommand(kernel);
///     command.setArgument(0, buffer);
///     command.finalize(32, 1024);
///     schedule.run();
///
/// Values share the objects that they stand for, and failures are thrown as nexus::Error.
#ifndef NEXUS_NEXUS_H_
#define NEXUS_NEXUS_H_

#include <nexus/cpp20.hpp>

#ifdef NEXUS_CPP20

#include <nexus/buffer.hpp>
#include <nexus/command.hpp>
#include <nexus/data_type.hpp>
#include <nexus/device.hpp>
#include <nexus/error.hpp>
#include <nexus/event.hpp>
#include <nexus/kernel.hpp>
#include <nexus/kernel_calls.hpp>
#include <nexus/launch.hpp>
#include <nexus/library.hpp>
#include <nexus/linker.hpp>
#include <nexus/memory_resource.hpp>
#include <nexus/object.hpp>
#include <nexus/object_code.hpp>
#include <nexus/program.hpp>
#include <nexus/properties.hpp>
#include <nexus/property.hpp>
#include <nexus/runtime.hpp>
#include <nexus/schedule.hpp>
#include <nexus/stream.hpp>
#include <nexus/system.hpp>
#include <nexus/trace.hpp>

#endif  // NEXUS_CPP20

#endif  // NEXUS_NEXUS_H_
