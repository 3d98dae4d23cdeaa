// SPDX-License-Identifier: Apache-2.0
//
// What a caller in C can get wrong and the bindings of Python cannot: NULL, structs of another
// size, objects of another type. The tests of tests/bad_input have the rest.
#include <cstddef>

#include "programs.hpp"

using namespace objects;

namespace {

TEST(objects_of_another_type_and_null_are_refused_by_name) {
  const Object on = device("reference:0");
  const Object in = stream(on);
  const Object buffer = floats(on, {1, 2});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, buffer, 2, buffer, 2);
  Object made;
  uint64_t number = 0;
  int32_t truth = 0;
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_get_size(on, &number), "buffer", "device");
  CHECK_FAILS(NXS_InvalidBuffer, nexus_buffer_get_size(nullptr, &number), "NULL");
  CHECK_FAILS(NXS_InvalidValue, nexus_buffer_get_size(buffer, nullptr), "out_bytes");
  CHECK_FAILS(NXS_InvalidStream, nexus_buffer_fill(buffer, "x", 1, buffer, 1), "stream", "buffer");
  CHECK_FAILS(NXS_InvalidOperation, nexus_close(on), "device");
  CHECK_FAILS(NXS_InvalidHostPtr, nexus_buffer_copy_to_host(buffer, 0, nullptr, 8, nullptr, 1),
              "host");
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(nullptr, made.out()), "desc");
  nexus_buffer_desc desc = describe(8);
  desc.settings = NXS_BufferSettings_OnHost;
  CHECK_FAILS(NXS_InvalidValue, nexus_create_system_buffer(&desc, made.out()), "settings");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_create_buffer_from_handle(on, 64, 0, &desc, made.out()), "settings");
  nexus_memory_resource resource{};
  CHECK_FAILS(NXS_InvalidValue, nexus_device_set_memory_resource(on, &resource), "struct_size");
  resource.struct_size = sizeof(resource);
  CHECK_FAILS(NXS_InvalidValue, nexus_device_set_memory_resource(on, &resource),
              "resource->allocate is NULL");
  CHECK_FAILS(NXS_InvalidDevice, nexus_device_set_memory_resource(in, nullptr), "device");
  CHECK_FAILS(NXS_InvalidValue, nexus_device_get_memory_resource(on, nullptr, nullptr), "see");
  CHECK_FAILS(NXS_InvalidBufferSize, nexus_device_allocate(on, 0, &number), "size is 0");
  CHECK_FAILS(NXS_InvalidValue, nexus_device_allocate(on, 8, nullptr), "out_address");
  CHECK_FAILS(NXS_InvalidValue, nexus_device_deallocate(on, 8), "address is 8");
  CHECK_FAILS(NXS_InvalidValue, nexus_stream_add_callback(in, nullptr, nullptr), "function");
  CHECK_FAILS(NXS_InvalidStream, nexus_stream_record(nullptr, made.out()), "stream");
  CHECK_FAILS(NXS_InvalidEvent, nexus_event_is_done(in, &truth), "stream");
  CHECK_FAILS(NXS_InvalidSchedule, nexus_schedule_prepare(nullptr, in), "schedule");
  CHECK_FAILS(NXS_InvalidCommand, nexus_schedule_get_command(once, 1, made.out()), "1");
  CHECK_FAILS(NXS_InvalidCommand, nexus_command_set_value(nullptr, 1, 1), "command");
  CHECK_FAILS(NXS_InvalidOperation, nexus_command_get_event(command, made.out()), "no event");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_get_objects(on, NXS_ObjectType_Event, 1, nullptr, &number),
              "out_objects");
  CHECK_FAILS(NXS_InvalidValue,
              nexus_device_get_objects(on, NXS_ObjectType_Kernel, 0, nullptr, &number), "type is ",
              "streams");
  CHECK_FAILS(NXS_InvalidValue, nexus_compile(on, text(""), nullptr, made.out()), "info is NULL");
  CHECK_FAILS(NXS_InvalidObject, nexus_device_load_object_code(on, on, made.out()),
              "code is a device; give object code.");
  CHECK_FAILS(NXS_InvalidObject, nexus_device_load_object_code(on, nullptr, made.out()),
              "code is NULL");
  CHECK(made.get() == nullptr);
}

TEST(what_is_no_way_to_a_property_is_refused) {
  const Object on = device("reference:0");
  Object info;
  CHECK_OK(nexus_device_get_info(on, info.out()));
  nxs_value value{};
  value.struct_size = sizeof(value);
  CHECK_FAILS(NXS_InvalidValue, property(on, {}).status, "path");
  CHECK_FAILS(NXS_InvalidObject, property(nullptr, {"Name"}).status, "NULL");
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property_source(info, nullptr, 1, &value), "path");
  CHECK_FAILS(NXS_InvalidObject, nexus_get_property_source(nullptr, nullptr, 1, &value),
              "properties");
  CHECK_FAILS(NXS_InvalidObject, nexus_get_property_source(on, nullptr, 1, &value), "a device");
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("x"), nullptr), "out_properties");
  CHECK_FAILS(NXS_InvalidValue, nexus_lookup_device_info(text("\xff"), info.out()), "name");
  CHECK_FAILS(NXS_InvalidDevice, nexus_lookup_device_info_of(nullptr, info.out()), "device");
  CHECK_FAILS(NXS_InvalidValue, nexus_get_device_info_problems(nullptr), "out_value");
}

TEST(a_launch_of_two_sizes_or_none_is_refused) {
  const Object on = device("reference:0");
  const Object a = floats(on, {1, 2});
  const Object once = schedule(on);
  const Object command = scaleCommand(once, on, a, 2, a, 2);
  nexus_launch_desc desc = launch(2, 2);
  desc.group_count[0] = desc.group_count[1] = desc.group_count[2] = 1;
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, nexus_command_finalize(command, &desc),
              "grid_size and group_count are both given; give one of them.");
  desc = {};
  desc.struct_size = sizeof(desc);
  CHECK_FAILS(NXS_InvalidGlobalWorkSize, nexus_command_finalize(command, &desc),
              "grid_size is (0, 0, 0); give the work items to run, or group_count.");
  CHECK_OK(run(once));
  CHECK_EQUAL((Floats{2, 4}), contents(a));
}

TEST(memory_that_is_not_to_be_shared_is_not_exported) {
  const nxs_sink sink{sizeof(sink), nullptr, [](void *, const void *, uint64_t) {}};
  const Object buffer = floats(device("cpu:0"), {1});
  CHECK_FAILS(NXS_InvalidOperation, nexus_buffer_export(buffer, &sink), "Shareable");
  const nexus_buffer_desc desc = describe(64);
  Object system;
  CHECK_OK(nexus_create_system_buffer(&desc, system.out()));
  CHECK_FAILS(NXS_NotSupported, nexus_buffer_export(system, &sink), "system buffer");
}

TEST(memory_that_is_too_small_is_told_the_size) {
  const Object on = device("cpu:0");
  const nexus_key key = Path("Type").keys().front();
  char memory[8] = "unused";
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = memory;
  value.capacity = 2;
  CHECK_OK(nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value));
  CHECK_EQUAL(uint64_t{3}, value.size);
  CHECK_EQUAL(std::string("unused"), std::string(memory));
  value.data = nullptr;
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value),
              "out_value");
}

TEST(a_struct_that_is_too_small_is_refused_and_an_older_one_gets_what_it_knows) {
  const Object on = device("cpu:0");
  const nexus_key key = Path("Type").keys().front();
  nxs_value value{};
  value.struct_size = 8;
  CHECK_FAILS(NXS_InvalidValue, nexus_get_property(on, &key, 1, NXS_ValueType_Str, &value),
              "struct_size");
  Object library;
  Object kernel;
  Object command;
  CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("add_vectors"), kernel.out()));
  const Object once = schedule(on);
  CHECK_OK(nexus_schedule_create_command(once, kernel, command.out()));
  nexus_launch_desc desc = launch(2, 2);
  desc.struct_size = 8;
  CHECK_FAILS(NXS_InvalidValue, nexus_command_finalize(command, &desc), "struct_size");
  nxs_argument_info info{};
  info.struct_size = offsetof(nxs_argument_info, type);
  CHECK_OK(nexus_kernel_get_argument(kernel, 0, &info));
  CHECK_EQUAL(std::string("a"), stringOf(info.name));
  CHECK(info.type.data == nullptr);
}

TEST(the_description_of_a_library_is_a_json_object) {
  const Object on = device("cpu:0");
  Object library;
  Object kernel;
  Object info;
  CHECK_OK(nexus_device_load_library_file(on, text(NEXUS_CPU_KERNELS), library.out()));
  CHECK_OK(nexus_library_get_kernel(library, text("add_vectors"), kernel.out()));
  CHECK_FAILS(NXS_InvalidLibrary, nexus_library_set_info(on, text("{}")), "library is a device");
  CHECK_FAILS(NXS_InvalidValue, nexus_library_set_info(library, text("[]")), "info is a list");
  CHECK_FAILS(NXS_InvalidValue, nexus_library_set_info(library, text("{")), "info is not JSON");
  CHECK_FAILS(NXS_InvalidLibrary, nexus_library_get_info(nullptr, info.out()), "library is NULL");
  CHECK_FAILS(NXS_InvalidValue, nexus_library_get_info(library, nullptr), "out_properties");
  CHECK_FAILS(NXS_InvalidKernel, nexus_kernel_get_info(library, info.out()), "kernel is a library");
  for (const char *odd : {R"({"Kernels": 3})", R"({"Kernels": [3, {}, {"Name": 3}]})"}) {
    CHECK_OK(nexus_library_set_info(library, text(odd)));
    CHECK_OK(nexus_kernel_get_info(kernel, info.out()));
  }
}

}  // namespace
