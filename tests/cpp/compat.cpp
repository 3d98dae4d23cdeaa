// SPDX-License-Identifier: Apache-2.0
//
// <nexus/compat.hpp>: each name of the original, and its meaning, on the CPU. The kernel library is
// the argument. Prints the names, for test_compat.py.
#include <nexus/compat.hpp>

#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace original = nexus::compat;

namespace {

int failures = 0;

// Checks what a name of the table means.
void check(const char *name, bool holds) {
  std::cout << name << '\n';
  if (!holds) {
    std::cerr << name << " does not hold\n";
    ++failures;
  }
}

void checkTypes() {
  check("nxs_int", std::is_same_v<nxs_int, std::int32_t> && sizeof(nxs_ulong) == 8);
  check("nxs_dim3", nxs_dim3{1, 2, 3}.z == 3);
  check("nxs_success", nxs_success(NXS_Success) && !nxs_success(NXS_InvalidValue));
  check("nxs_failed", nxs_failed(NXS_InvalidValue) && !nxs_failed(NXS_Success));
  check("nxs_valid_id", nxs_valid_id(0) && !nxs_valid_id(-1));
  check("nxsGetDataType", nxsGetDataType(NXS_DataType_F16 | 32) == NXS_DataType_F16);
  check("nxsGetDataTypeFlags", nxsGetDataTypeFlags(NXS_DataType_F16 | 32) == 32);
  check("nxsGetDataTypeSizeBits", nxsGetDataTypeSizeBits(NXS_DataType_I4) == 4 &&
                                      nxsGetDataTypeSizeBits(NXS_DataType_Undefined) == 0);
}

void checkLayout() {
  const original::Layout layout(std::vector<nxs_ulong>{4, 8}, {}, NXS_DataType_F16);
  check("Layout", layout && layout.getRank() == 2 && layout.getDim(1) == 8 &&
                      layout.getDim(2) == 0 && layout.getStride(1) == 4 &&
                      layout.getNumElements() == 32 && layout.getElementSizeBits() == 16 &&
                      !original::Layout());
  const original::Layout blocks(std::vector<nxs_ulong>{4}, {}, NXS_DataType_F16 | 64);
  check("Layout::getDataTypeFlags", blocks.getDataTypeFlags() == 64);
  const nxs_buffer_layout strided{NXS_DataType_F16, 2, {4, 8}, {8, 1}};
  const original::Layout made(strided);
  check("nxs_buffer_layout",
        made.getDim(1) == 8 && made.getStride(0) == 8 && made.getDataType() == NXS_DataType_F16);
  check("Layout::get", made.get().rank == 2 && made.get().stride[1] == 1 &&
                           original::Layout(strided.dim, 2).get().dim[0] == 4);
  check("nxsGetNumElements", nxsGetNumElements(made.get()) == 32);
}

void checkSystem(const original::System &system) {
  const original::Runtimes runtimes = system.getRuntimes();
  check("Devices", runtimes && !runtimes.empty() && runtimes.get(0) == runtimes[0] &&
                       !runtimes.get(99) && !runtimes[-1]);
  check("System::getRuntime",
        system.getRuntime(0) == runtimes[0] && system.getRuntime("cpu") && !system.getRuntime("x"));
  check("Runtime::getDevice",
        system.getRuntime("cpu").getDevice(0) && !system.getRuntime("cpu").getDevice(99));
  check("Runtime::getDevices", system.getRuntime("cpu").getDevices().size() == 1);
  const auto *files = original::getDeviceInfoDB();
  check("getDeviceInfoDB",
        files->at("nvidia-gpu-sm_90").getProp<std::string>(NP_Architecture) == "sm_90");
  check("lookupDeviceInfo",
        original::lookupDeviceInfo("apple-gpu-m4").getProp<std::string>(NP_Name) == "M4" &&
            !original::lookupDeviceInfo("none"));
}

void checkProperties(const original::Device &device) {
  check("Object::getProp", device.getProp<std::string>(NP_Type) == "cpu" &&
                               device.getProp<nxs_long>(NP_CoreCount) > 0 &&
                               device.getProp<nxs_double>(NP_ElapsedTime) == 0.0);
  const auto name = device.getProperty(NP_Name);
  check("Object::getProperty",
        name && name->getValue<std::string>() == device.getProp<std::string>(NP_Name) &&
            !device.getProperty(NP_ElapsedTime));
  check("Property::getValue", device.getProperty(NP_Keys)->getValueVec<nxs_long>().size() > 10);
  original::Device other = device;
  other.release();
  check("Object::release", device && !other);
  const original::Info info = original::lookupDeviceInfo("nvidia-gpu-sm_90");
  const std::vector<std::string_view> names{"CoreSubsystem", "SIMDSize"};
  const std::vector<nxs_int> keys{NP_CoreSubsystem, NP_SIMDSize};
  check("Info::getProperty",
        info.getProperty(names) == original::Property(nxs_long{32}) &&
            info.getProperty(keys) == info.getProperty({"CoreSubsystem", "SIMDSize"}) &&
            info.getProperty("Type") == info.getProperty(NP_Type) && !info.getProperty("None"));
  check("Device::getInfo", device.getInfo().getProp<std::string>(NP_Type) == "cpu");
}

void checkBuffers(const original::System &system, const original::Device &device) {
  std::array<float, 8> host{1, 2, 3, 4, 5, 6, 7, 8};
  const original::Buffer buffer = device.createBuffer(sizeof(host), host.data());
  const original::Buffer typed =
      device.createBuffer(std::vector<std::size_t>{2, 3}, nullptr, NXS_DataType_F16);
  const original::Buffer inPlace = device.createBuffer(original::Layout(8, NXS_DataType_F32),
                                                       host.data(), NXS_BufferSettings_OnDevice);
  host[0] = 9;
  std::array<float, 8> out{};
  inPlace.copy(out.data());
  check("Device::createBuffer", buffer.getSize() == 32 && typed.getSize() == 12 && out[0] == 9);
  check("Buffer::getSizeBytes", typed.getSizeBytes() == 12);
  check("Buffer::getLayout", typed.getLayout().getDim(1) == 3 &&
                                 typed.getLayout().getStride(0) == 3 &&
                                 typed.getLayout().getDataType() == NXS_DataType_F16);
  check("Buffer::getDataPtr", std::memcmp(buffer.getDataPtr(), &out[1], 4) != 0 &&
                                  std::memcmp(buffer.getDataPtr() + 4, &out[1], 4) == 0);
  host.fill(5);
  buffer.copy(host.data(), NXS_BufferHostToDevice);
  check("Buffer::copy",
        buffer.copy(out.data(), NXS_BufferDeviceToHost) == NXS_Success && out == host);
  const std::array<float, 1> value{7};
  buffer.fill(value.data(), sizeof(value));
  buffer.copy(out.data());
  check("Buffer::fill", out[7] == 7);
  check("Device::copyBuffer", device.copyBuffer(typed).getSizeBytes() == 12);
  check("Device::fillBuffer", device.fillBuffer(value.data(), sizeof(value)).getSize() == 4);
  check("Device::getBuffers", device.getBuffers().size() >= 3);
  check("System::createBuffer", system.createBuffer(32, host.data()).getSizeBytes() == 32);
  check("System::copyBuffer", system.copyBuffer(typed, device).getSizeBytes() == 12);
}

void checkSchedules(const original::Device &device, const char *path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  original::Library library = device.createLibrary(bytes.data(), bytes.size());
  library = device.createLibrary(path);
  check("Device::createLibrary", static_cast<bool>(library));
  const original::Kernel kernel = library.getKernel("scale");
  check("Library::getKernel",
        kernel && library.getKernel("scale", library.getInfo()) && !library.getKernel("none"));
  const std::string about = R"({"Name": "vectors", "Kernels": [{"Name": "scale", "Size": 4}]})";
  nexus_library_set_info(library.get(), {about.data(), about.size()});  // as Python's catalogs do
  check("Library::getInfo", library.getInfo().getProp<std::string>(NP_Name) == "vectors");
  check("Kernel::getInfo", kernel.getInfo().getProp<nxs_long>(NP_Size) == 4);
  check("Library::getKernels", library.getKernels().size() > 1);

  std::vector<float> host(128, 1.0f);
  const original::Buffer buffer = device.createBuffer(host.size() * sizeof(float), host.data());
  const original::Schedule first = device.createSchedule();
  const original::Command command = first.createCommand(kernel);
  check("Command::setArgument",
        command.setArgument(0, buffer) == NXS_Success &&
            command.setArgument(1, 3.0f, "factor", NXS_DataType_F32) == NXS_Success);
  command.finalize({32, 1, 1}, {4, 1, 1}, 0);
  check("Command::finalize",
        command.getProp<original::PropIntVec>(NP_GridSize) == original::PropIntVec{128, 1, 1});
  check("Command::getKernel", command.getKernel() == kernel);

  const original::Command signal = first.createSignalCommand();
  const original::Event ready = signal.getEvent();
  check("Command::getEvent", static_cast<bool>(ready));
  const original::Event done = device.createEvent(NXS_EventType_Shared);
  const original::Schedule second = device.createSchedule();
  const original::Command wait = second.createWaitCommand(ready);
  second.createSignalCommand(done, 2);
  const original::Stream streams[] = {device.createStream(), device.createStream()};
  second.run(streams[0], NXS_ExecutionSettings_NonBlocking);
  first.run(streams[1], NXS_ExecutionSettings_NonBlocking | NXS_ExecutionSettings_Timing);
  check("Event::wait", done.wait(2) == NXS_Success);
  check("Schedule::createSignalCommand", ready.getValue() == 1 && done.getValue() == 2);
  check("Schedule::createWaitCommand", wait.getType() == NXS_CommandType_Wait);
  buffer.copy(host.data());
  check("Schedule::run", host == std::vector<float>(128, 3.0f));
  check("Schedule::getCommands", first.getCommands().size() == 2);
  check("Event::signal", done.signal(3) == NXS_Success && done.getValue() == 3);
}

}  // namespace

int main(int, char **arguments) {
  try {
    const original::System system = original::getSystem();
    const original::Device device = system.getRuntime("cpu").getDevice(0);
    checkTypes();
    checkLayout();
    checkSystem(system);
    checkProperties(device);
    checkBuffers(system, device);
    checkSchedules(device, arguments[1]);
  } catch (const std::exception &error) {
    std::cerr << "not expected: " << error.what() << '\n';
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
