// SPDX-License-Identifier: Apache-2.0
//
// What the C++ Source API promises, checked on the CPU. The kernel library is the argument.
#include <nexus.h>

#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const char *what, int line) {
  if (!holds) {
    std::cerr << "line " << line << ": " << what << '\n';
    ++failures;
  }
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

// The status of the error that call throws; NXS_Success where it throws none.
template <class Call>
nxs_status statusOf(Call call) {
  try {
    call();
    return NXS_Success;
  } catch (const nexus::Error &error) {
    EXPECT(!std::string(error.what()).empty());
    return error.status();
  }
}

void findsRuntimesAndDevices() {
  const nexus::System system = nexus::getSystem();
  const nexus::Runtimes runtimes = system.getRuntimes();
  EXPECT(runtimes.size() >= 1);
  std::size_t devices = 0;
  for (const nexus::Runtime &runtime : runtimes) {
    devices += runtime.getDevices().size();
  }
  EXPECT(devices >= 1);
  EXPECT(runtimes[0] == runtimes.get(0));
  EXPECT(system.getRuntime("cpu").getName() == "cpu");
  EXPECT(system.getDevice("cpu:0") == system.getRuntime("cpu").getDevice(0));
  EXPECT(!system.getBackends().empty());
  EXPECT(statusOf([&] { runtimes.get(runtimes.size()); }) == NXS_InvalidRuntime);
  EXPECT(statusOf([&] { system.getRuntime("warp"); }) == NXS_InvalidRuntime);
  EXPECT(statusOf([&] { system.getRuntime("cpu").getDevice(99); }) == NXS_InvalidDevice);
}

void readsProperties(const nexus::Device &device) {
  auto vendor = device.getProperty<std::string>("Vendor");
  auto type = device.getProperty<std::string>("Type");
  auto arch = device.getProperty<std::string>("Architecture");
  EXPECT(!vendor.empty() && type == "cpu" && !arch.empty());
  EXPECT(device.getProperty<std::string>("Vendor") == device.getProperty<std::string>(NP_Vendor));
  const nexus::Properties info = device.getInfo();
  EXPECT(info.getProperty<std::int64_t>({"MemorySubsystem", "MemoryTypes", 1, "Size"}) > 0);
  EXPECT(info.getProperty<std::vector<std::string>>({"MemorySubsystem", "SupportedMemoryTypes"})
             .size() > 0);
  EXPECT(!info.getPropertyKeys().empty());
  const nexus::Buffer buffer = device.createBuffer(300);
  EXPECT(buffer.getProperty<int>("Size") == 300);
  EXPECT(buffer.getProperty<double>(NP_Size) == 300.0);
  EXPECT(statusOf([&] { buffer.getProperty<std::int8_t>("Size"); }) == NXS_InvalidProperty);
  EXPECT(statusOf([&] { device.getProperty<int>("Nothing"); }) == NXS_InvalidProperty);
  EXPECT(statusOf([&] { device.getProperty<int>("Vendor"); }) == NXS_InvalidProperty);
}

void refusesExtraFlagsOfNoBackend(const nexus::Device &device) {
  nexus::ProgramOptions options;
  options.extra["cup"] = {"-x"};
  EXPECT(statusOf([&] { device.compile("NEXUS_KERNEL(k, (int, n)) {}", options); }) ==
         NXS_InvalidValue);
}

void copiesBuffers(const nexus::Device &device) {
  const std::vector<std::int16_t> numbers{1, -2, 3, -4};
  const nexus::Buffer buffer = device.createBuffer(numbers);
  EXPECT(buffer.getSize() == 8);
  EXPECT(buffer.getDataType() == NXS_DataType_I16);
  EXPECT(buffer.getShape() == std::vector<std::uint64_t>{4});
  EXPECT(buffer.getDevice() == device);

  std::array<std::int16_t, 4> back{};
  buffer.copy(back);
  EXPECT(back[3] == -4);
  buffer.fill(std::int16_t{7});
  buffer.copy(back);
  EXPECT(back[0] == 7 && back[3] == 7);
  buffer.copyFrom(numbers);
  const nexus::Buffer other = device.createBuffer(8);
  buffer.copyTo(other);
  other.copy(back);
  EXPECT(back[1] == -2);
  const nexus::Buffer half = buffer.slice(4, 4);
  half.fill(std::int16_t{0});
  buffer.copy(back);
  EXPECT(back[1] == -2 && back[2] == 0);

  nexus::BufferDesc desc;
  desc.dataType = NXS_DataType_F16;
  desc.shape = {16, 16};
  desc.size = 512;
  EXPECT(device.createBuffer(desc).getShape().size() == 2);
  EXPECT(device.createBuffer(3, NXS_DataType_F64).getSize() == 24);
  EXPECT(nexus::getSystem().createBuffer(3, NXS_DataType_F64).getSize() == 24);
  EXPECT(statusOf([&] { buffer.copy(back.data(), 9); }) == NXS_InvalidValue);
  buffer.close();
  EXPECT(statusOf([&] { buffer.copy(back); }) == NXS_InvalidBuffer);
}

// Allocates in host memory, and fails on demand.
class HostResource final : public nexus::MemoryResource {
 public:
  std::uint64_t allocate(std::uint64_t size) override {
    if (full) throw std::runtime_error("the shelf is full");
    live += size;
    return reinterpret_cast<std::uintptr_t>(std::aligned_alloc(64, (size + 63) / 64 * 64));
  }
  void deallocate(std::uint64_t address, std::uint64_t size) override {
    live -= size;
    std::free(reinterpret_cast<void *>(static_cast<std::uintptr_t>(address)));
  }

  std::uint64_t live = 0;
  bool full = false;
};

void allocatesByResources(const nexus::Device &device) {
  EXPECT(dynamic_cast<nexus::DeviceMemoryResource *>(device.getMemoryResource().get()) != nullptr);
  const auto own = std::make_shared<HostResource>();
  device.setMemoryResource(own);
  EXPECT(device.getMemoryResource() == own);
  {
    const nexus::Buffer buffer = device.createBuffer(std::vector<float>{1, 2, 3});
    EXPECT(own->live == 12);
    std::array<float, 3> back{};
    buffer.copy(back);
    EXPECT(back[2] == 3);
  }
  EXPECT(own->live == 0);
  own->full = true;
  try {
    device.createBuffer(100);
    EXPECT(false);
  } catch (const nexus::Error &error) {
    EXPECT(error.status() == NXS_MemObjectAllocationFailure);
    EXPECT(std::string(error.what()).find("100 bytes and failed: the shelf is full") !=
           std::string::npos);
  }
  own->full = false;
  auto pool = std::make_shared<nexus::MemoryPool>(own);
  device.setMemoryResource(pool);
  {
    const nexus::Buffer buffer = device.createBuffer(600);
  }
  EXPECT(pool->getUsed() == 0 && pool->getPeak() == 1024 && pool->getReserved() == 1024);
  device.setMemoryResource({});
  EXPECT(pool.use_count() == 1);
  pool.reset();
  EXPECT(own->live == 0 && own.use_count() == 1);
}

void viewsHaveStrides(const nexus::Device &device, const std::string &path) {
  const nexus::Buffer matrix =
      device.createBuffer(std::vector<float>{0, 1, 2, 3, 4, 5}).view({2, 3}, {12, 4});
  EXPECT(matrix.isContiguous());
  const nexus::Buffer turned = matrix.view({3, 2}, {4, 12});
  EXPECT(!turned.isContiguous());
  EXPECT((turned.getStrides() == std::vector<std::int64_t>{4, 12}));
  std::vector<float> packed(6);
  turned.copy(packed);
  EXPECT((packed == std::vector<float>{0, 3, 1, 4, 2, 5}));
  const nexus::Buffer column = matrix.view({2}, {12}, 4);
  column.fill(-1.0F);
  matrix.copy(packed);
  EXPECT((packed == std::vector<float>{0, -1, 2, 3, -1, 5}));
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command scale = schedule.createCommand(device.loadLibrary(path).getKernel("scale"));
  EXPECT(statusOf([&] { scale.setArgument(0, column); }) == NXS_InvalidValue);
  EXPECT(statusOf([&] { matrix.view({2}, {12}, 16); }) == NXS_InvalidValue);
}

void refusesArgumentsOfOtherTypes(const nexus::Device &device, const std::string &path) {
  const nexus::Library library = device.loadLibrary(path);
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command scale = schedule.createCommand(library.getKernel("scale"));
  const nexus::Buffer floats = device.createBuffer(std::vector<float>(4));
  const nexus::Buffer doubles = floats.view(NXS_DataType_F64);
  EXPECT(doubles.getDataType() == NXS_DataType_F64);
  EXPECT(doubles.getShape() == std::vector<std::uint64_t>{2});
  EXPECT(statusOf([&] { floats.slice(0, 12).view(NXS_DataType_F64); }) == NXS_InvalidValue);
  EXPECT(statusOf([&] { scale.setArgument(0, doubles); }) == NXS_InvalidArgValue);
  scale.setArgument(0, floats.view(NXS_DataType_Undefined));
  scale.setArgument(0, doubles.view(NXS_DataType_F32));
  EXPECT(statusOf([&] { scale.setArgument(1, 2.0); }) == NXS_InvalidArgSize);
  EXPECT(statusOf([&] { scale.setArgument(1, 2); }) == NXS_InvalidArgValue);

  const nexus::Command numbers = schedule.createCommand(library.getKernel("numbers"));
  numbers.setArgument(3, true);
  EXPECT(statusOf([&] { numbers.setArgument(3, std::uint8_t{2}); }) == NXS_InvalidArgValue);
}

void writesVariables(const nexus::Device &device, const std::string &path) {
  const nexus::Library library = device.loadLibrary(path);
  const nexus::Buffer table = library.getGlobal("table").view(NXS_DataType_I32);
  EXPECT(table.getShape() == std::vector<std::uint64_t>{4});
  table.slice(4, 4).fill(std::int32_t{20});
  library.close();
  std::vector<std::int32_t> values(4);
  table.copy(values);
  EXPECT((values == std::vector<std::int32_t>{1, 20, 3, 4}));
  EXPECT(statusOf([&] { device.loadLibrary(path).getGlobal("tabel"); }) == NXS_InvalidValue);
}

void describesLibraries(const nexus::Device &device, const std::string &path) {
  const nexus::Library library = device.loadLibrary(path);
  EXPECT(library.getInfo().getPropertyKeys().empty());
  const std::string info =
      R"({"Name": "numbers", "Kernels": [{"Name": "scale", "GroupSize": [64]}]})";
  EXPECT(nexus_library_set_info(library.get(), {info.data(), info.size()}) == NXS_Success);
  EXPECT(library.getInfo().getProperty<std::string>("Name") == "numbers");
  EXPECT(library.getInfo().getSource("Name").kind == "library");
  const nexus::Kernel scale = library.getKernel("scale");
  EXPECT((scale.getInfo().getProperty<std::vector<std::int64_t>>("GroupSize") ==
          std::vector<std::int64_t>{64}));
  EXPECT(library.getKernel("add").getInfo().getPropertyKeys().empty());
}

void holdsComplexNumbers(const nexus::Device &device) {
  const std::vector<std::complex<float>> given{{1, 2}, {3, -4}};
  const nexus::Buffer numbers = device.createBuffer(given);
  EXPECT(numbers.getDataType() == NXS_DataType_C64 && numbers.getSize() == 16);
  std::vector<std::complex<float>> back(2);
  numbers.copy(back);
  EXPECT(back == given);
}

void runsBranches(const nexus::Device &device) {
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Buffer x = device.createBuffer(std::vector<int>(4, 1));
  const nexus::Buffer y = device.createBuffer(std::vector<int>(4, 2));
  const auto follows = [](const nexus::Command &command) {
    return command.getProperty<std::vector<std::int64_t>>(NP_Predecessors);
  };
  using Indices = std::vector<std::int64_t>;
  const nexus::Command first = schedule.createFillCommand(x, 5);
  const nexus::Command other = schedule.after({}).createFillCommand(y, 6);
  EXPECT(follows(other).empty());
  EXPECT(follows(schedule.after({first, other}).createCopyCommand(y, x)) == (Indices{0, 1}));
  schedule.parallel([&] {
    schedule.createFillCommand(x, 7);
    EXPECT(follows(schedule.createSignalCommand(device.createEvent())) == Indices{2});
  });
  EXPECT(follows(schedule.createCopyCommand(x, y)) == (Indices{3, 4}));
  EXPECT(statusOf([&] { device.createSchedule().after({first}); }) == NXS_InvalidCommand);
  EXPECT(statusOf([&] { schedule.after({nexus::Command()}); }) == NXS_InvalidCommand);
  EXPECT(statusOf([&] { schedule.parallel([&] { schedule.parallel([] {}); }); }) ==
         NXS_InvalidOperation);
  schedule.run();
  std::vector<int> result(4);
  x.copy(result);
  EXPECT(result[3] == 5);
}

// The CPU has no driver whose streams other libraries use.
void capturesNothing(const nexus::Device &device) {
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Stream stream = device.createStream();
  bool called = false;
  EXPECT(statusOf([&] { schedule.capture(stream, [&] { called = true; }); }) == NXS_NotSupported);
  EXPECT(statusOf([&] { schedule.capture({}, [] {}); }) == NXS_InvalidStream);
  EXPECT(!called && schedule.getCommands().empty());
  EXPECT(nexus_schedule_end_capture(schedule.get(), stream.get(), nullptr) == NXS_InvalidOperation);
}

void usesScratchMemory(const nexus::Device &device) {
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Buffer first = schedule.createBuffer(1024, NXS_DataType_F32);
  const nexus::Buffer second = schedule.createBuffer({.size = 4096});
  std::vector<float> seen(1024);
  schedule.createFillCommand(first, 3.0F);
  schedule.createHostCommand([&] { first.copy(seen); }, "read", {first});
  schedule.createFillCommand(second, 4.0F);
  EXPECT(schedule.getProperty<std::int64_t>("ScratchSize") == 4096);
  schedule.run();
  EXPECT(seen[1023] == 3.0F);
  EXPECT(statusOf([&] { first.copy(seen); }) == NXS_InvalidOperation);
  EXPECT(statusOf([&] { schedule.createBuffer({.size = 4, .data = seen.data()}); }) ==
         NXS_InvalidValue);
}

void decides(const nexus::Device &device) {
  const nexus::Buffer left = device.createBuffer(std::vector<std::int32_t>{2});
  const nexus::Buffer out = device.createBuffer(std::vector<std::int32_t>{0});
  const nexus::Schedule turn = device.createSchedule();
  int turns = 0;
  turn.createHostCommand([&] { left.fill(std::int32_t{++turns < 2}); });
  const nexus::Schedule one = device.createSchedule();
  one.createFillCommand(out, std::int32_t{1});
  const nexus::Schedule two = device.createSchedule();
  two.createFillCommand(out, std::int32_t{2});
  const nexus::Schedule schedule = device.createSchedule();
  EXPECT(schedule.createWhileCommand(left, turn).getType() == NXS_CommandType_While);
  EXPECT(schedule.createIfCommand(left, one, two).getBodies() ==
         (std::vector<nexus::Schedule>{one, two}));
  schedule.createIfCommand(left, one);
  schedule.createSwitchCommand(out, {});
  schedule.createWhileCommand(out, one, 3);
  EXPECT(statusOf([&] { turn.createSwitchCommand(left, {one, schedule}); }) ==
         NXS_InvalidOperation);
  schedule.getCommands()[4].setEnabled(false);
  schedule.run();
  std::vector<std::int32_t> result(1);
  out.copy(result);
  EXPECT(turns == 2 && result[0] == 2);
}

// The kernel multiplies its first argument by its second.
void callsKernels(const nexus::Device &device, const std::string &path) {
  const nexus::Kernel kernel = device.loadLibrary(path).getKernel("scale");
  EXPECT(kernel.getDevice() == device);
  const nexus::Buffer buffer = device.createBuffer(std::vector<float>(64, 1.0F));
  const nexus::Stream stream = device.createStream();
  const auto first = [&] {
    std::vector<float> values(64);
    buffer.copy(values);
    return values[0];
  };
  kernel(stream, 64, buffer, 2.0F);
  EXPECT(first() == 2.0F);
  kernel({}, 64, buffer, 3.0F);
  EXPECT(first() == 6.0F);
  kernel.launch(stream, {.groupSize = 8, .groupCount = 8}, false, buffer, 0.5F);
  stream.synchronize();
  EXPECT(first() == 3.0F);
  const std::uint64_t before = device.getProperty<std::uint64_t>(NP_MemoryUsed);
  {
    const nexus::Buffer other = device.createBuffer(std::vector<float>(64, 1.0F));
    for (int turn = 0; turn < 3; ++turn) kernel(stream, 64, other, 2.0F);
    EXPECT(device.getProperty<std::uint64_t>(NP_MemoryUsed) > before);
  }
  EXPECT(device.getProperty<std::uint64_t>(NP_MemoryUsed) == before);
  const nexus::Kernel copy = kernel;  // with calls of its own
  copy(stream, 64, buffer, 2.0F);
  EXPECT(first() == 6.0F);
  EXPECT(device.getSchedules().empty());
  EXPECT(statusOf([&] { kernel(stream, 64, buffer); }) == NXS_InvalidKernelArgs);
  EXPECT(statusOf([&] { kernel(stream, 64, buffer, 2.0); }) == NXS_InvalidArgSize);
  EXPECT(statusOf([&] { kernel(stream, 64, buffer, nexus::LocalMemory{64}); }) ==
         NXS_InvalidArgValue);
  EXPECT(statusOf([&] { kernel(stream, {}, buffer, 2.0F); }) == NXS_InvalidGlobalWorkSize);

  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command command = schedule.createCommand(kernel, buffer, 2.0F);
  command.finalize({}, 64);
  command.setArgument("factor", 0.5F);
  schedule.run();
  EXPECT(first() == 3.0F);
  EXPECT(statusOf([&] { command.setArgument("Factor", 0.5F); }) == NXS_InvalidArgIndex);
  EXPECT(statusOf([&] { schedule.createCommand(kernel, buffer, 2.0); }) == NXS_InvalidArgSize);
  EXPECT(schedule.getCommands().size() == 1);
}

void runsSchedules(const nexus::Device &device, const std::string &path) {
  const nexus::Kernel kernel = device.loadLibrary(path).getKernel("scale");
  EXPECT(kernel.getArguments().has_value() && kernel.getArguments()->at(1).name == "factor");
  const std::vector<float> ones(1024, 1.0F);
  const nexus::Buffer buffer = device.createBuffer(ones);
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command command = schedule.createCommand(kernel);
  command.setArgument(0, buffer);
  command.setArgument(1, 2.0F);
  command.finalize(nexus::Launch{.groupSize = 32, .groupCount = 32});
  const nexus::Event event = device.createEvent();
  EXPECT(schedule.createSignalCommand(event, 1).getEvent() == event);
  EXPECT(schedule.getCommands().size() == 2);
  EXPECT(schedule.getCommands()[0] == command);
  const nexus::Command fill = schedule.createFillCommand(buffer, 9.0F);
  fill.setScalar(1, 8.0F);
  fill.setBuffer(0, buffer);
  EXPECT(fill.isEnabled());
  fill.setEnabled(false);
  EXPECT(!fill.isEnabled());
  const nexus::Schedule cleared = device.createSchedule();
  cleared.createScheduleCommand(schedule);
  cleared.clear();
  EXPECT(cleared.getCommands().empty());
  schedule.createFillCommand(buffer, 7.0F).remove();
  EXPECT(schedule.getCommands().size() == 3);
  const nexus::Schedule outer = device.createSchedule();
  EXPECT(outer.createScheduleCommand(schedule).getSchedule() == schedule);
  EXPECT(outer.getCommands()[0].getType() == NXS_CommandType_Schedule);
  EXPECT(statusOf([&] { schedule.createScheduleCommand(outer); }) == NXS_InvalidOperation);
  EXPECT(statusOf([&] { command.getSchedule(); }) == NXS_InvalidOperation);
  EXPECT(command.getBuffer(0).getShape() == buffer.getShape());
  EXPECT(statusOf([&] { command.getBuffer(1); }) == NXS_InvalidArgValue);
  EXPECT(statusOf([&] { command.getBuffer(9); }) == NXS_InvalidArgIndex);
  EXPECT(command.describe().find("\"kernel\":") != std::string::npos);
  EXPECT(!kernel.getCode().empty());

  int calls = 0;
  EXPECT(outer.createHostCommand([&] { ++calls; }, "count").getType() == NXS_CommandType_Host);
  EXPECT(outer.getCommands()[1].getProperty<std::string>("Name") == "count");
  EXPECT(outer.getCommands()[1].getProperty<std::string>("Replay") == "host");
  EXPECT(statusOf([&] { outer.createHostCommand({}); }) == NXS_InvalidValue);
  runsBranches(device);
  capturesNothing(device);
  usesScratchMemory(device);
  decides(device);

  const nexus::Stream stream = device.createStream();
  schedule.run(stream, false);
  event.wait(1, std::chrono::seconds(60));
  outer.run(stream);
  stream.synchronize();
  EXPECT(calls == 1);
  std::vector<float> result(1024);
  buffer.copy(result);
  EXPECT(result[1023] == 4.0F);
  EXPECT(event.getValue() == 2);
  EXPECT(statusOf([&] { command.finalize(0, 1024); }) == NXS_InvalidWorkGroupSize);
  for (const nexus::Launch &launch :
       {nexus::Launch{.gridSize = 1024, .clusterSize = 2},
        nexus::Launch{.gridSize = 1024, .cooperative = true},
        nexus::Launch{.gridSize = 1024, .programmatic = true}}) {  // which the CPU lacks
    EXPECT(statusOf([&] { command.finalize(launch); }) == NXS_NotSupported);
  }
  EXPECT(statusOf([&] { kernel.getOccupancy(32); }) == NXS_NotSupported);
  EXPECT(statusOf([&] { event.wait(9, std::chrono::milliseconds(1)); }) == NXS_Timeout);
  EXPECT(statusOf([&] { event.signal(1); }) == NXS_InvalidValue);
}

void takesTimes(const nexus::Device &device) {
  const nexus::Buffer buffer = device.createBuffer(std::vector<float>(1 << 16));
  const nexus::Stream stream = device.createStream();
  const nexus::Event start = device.createEvent(NXS_EventType_Shared, true);
  EXPECT(start.getDevice() == device);
  EXPECT(!start.isDone());
  stream.signal(start, 3);
  buffer.fill(1.0F, stream, false);
  const nexus::Event end = stream.record();
  EXPECT(end.getType() == NXS_EventType_Signal);
  end.wait();
  EXPECT(end.isDone() && start.isDone());
  EXPECT(end.getElapsedTime(start) > 0);
  const nexus::Event plain = device.createEvent();
  EXPECT(statusOf([&] { plain.getElapsedTime(start); }) == NXS_ProfilingInfoNotAvailable);
  const nexus::Event unused = device.createEvent(NXS_EventType_Signal, true);
  EXPECT(statusOf([&] { unused.getElapsedTime(start); }) == NXS_InvalidOperation);

  const nexus::Schedule schedule = device.createSchedule();
  schedule.createFillCommand(buffer, 2.0F);
  schedule.prepare();
  schedule.prepare(stream);
  EXPECT(statusOf([&] { schedule.getElapsedTime(); }) == NXS_ProfilingInfoNotAvailable);
  schedule.run(stream, true, nexus::forever, true);
  EXPECT(schedule.getElapsedTime() > 0);
  EXPECT(schedule.getProperty<double>("ElapsedTime") == schedule.getElapsedTime() / 1e6);
}

void ordersStreams(const nexus::Device &device) {
  const nexus::Buffer first = device.createBuffer(std::vector<int>(1 << 16));
  const nexus::Buffer second = device.createBuffer(std::vector<int>(1 << 16));
  const nexus::Stream left = device.createStream();
  const nexus::Stream right = device.createStream();
  const nexus::Event gate = device.createEvent();
  left.wait(gate, 1);
  first.fill(7, left, false);
  right.wait(left);
  first.copyTo(second, right, false);
  EXPECT(!right.isIdle());

  std::promise<nxs_status> called;
  auto owned = std::make_unique<int>(5);
  right.addCallback([&called, owned = std::move(owned)](nxs_status status) {
    called.set_value(*owned == 5 ? status : NXS_InternalError);
  });
  gate.signal(1);
  EXPECT(called.get_future().get() == NXS_Success);
  std::vector<int> back(1 << 16);
  second.copy(back);
  EXPECT(back.front() == 7 && back.back() == 7);

  std::promise<nxs_status> cancelled;
  left.wait(gate, 2);
  left.addCallback([&cancelled](nxs_status status) { cancelled.set_value(status); });
  left.close();
  EXPECT(cancelled.get_future().get() == NXS_Cancelled);
  EXPECT(statusOf([&] { left.addCallback([](nxs_status) {}); }) == NXS_InvalidStream);
}

void setsValues(const nexus::Device &device) {
  const nexus::Event event = device.createEvent();
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command signal = schedule.createSignalCommand(event);
  schedule.run();
  EXPECT(event.getValue() == 1);
  signal.setValue(10, 5);
  schedule.run();
  EXPECT(event.getValue() == 10);
  schedule.run();
  EXPECT(event.getValue() == 15);
  signal.setValue(2);
  EXPECT(statusOf([&] { schedule.run(); }) == NXS_InvalidValue);
}

void sharesObjects(const nexus::Device &device) {
  nexus::Buffer buffer = device.createBuffer(8);
  const nexus::Buffer same = buffer;
  const nexus::Buffer moved = std::move(buffer);
  EXPECT(same == moved);
  EXPECT(std::unordered_set<nexus::Buffer>({same, moved, device.createBuffer(8)}).size() == 2);
  const nexus::Buffer empty;
  EXPECT(!empty);
  EXPECT(statusOf([&] { empty.getSize(); }) == NXS_InvalidBuffer);
  static_assert(std::is_nothrow_copy_constructible_v<nexus::Error>);
  static_assert(std::is_nothrow_move_constructible_v<nexus::Buffer>);
}

void refusesSharedEvents(const nexus::Device &device) {
  EXPECT(statusOf([&] { device.createShareableEvent(); }) == NXS_NotSupported);
  EXPECT(statusOf([&] { device.createShareableEvent(NXS_EventType_Shared); }) == NXS_InvalidValue);
  EXPECT(statusOf([&] { device.createEvent().exportEvent(); }) == NXS_InvalidOperation);
  EXPECT(statusOf([&] { device.importEvent("none"); }) == NXS_NotSupported);
}

void errorsAreStandardExceptions(const nexus::Device &device) {
  try {
    device.loadLibrary("nowhere.so");
    EXPECT(false);
  } catch (const std::exception &error) {
    EXPECT(std::string(error.what()).find("nowhere.so") != std::string::npos);
  }
}

const char *const kProgram = R"(
NEXUS_KERNEL_BOUNDED(put, (n), (NEXUS_GLOBAL int *, out), (int, n)) {
  out[nexus_global_id(0)] = NUMBER;
}
)";

void compilesPrograms(const nexus::Device &device) {
  nexus::ProgramOptions options;
  options.defines = {"NUMBER=42"};
  const nexus::Program program(kProgram, "nexus", "put.c", options);
  const nexus::ObjectCode code = program.compile(device);
  EXPECT(code.getName() == "put.c");
  EXPECT(code.getRuntime() == "cpu");
  EXPECT(!code.getTarget().empty() && !code.getFormat().empty() && !code.getCode().empty());
  EXPECT(code.getKernelNames() == std::vector<std::string>{"put"});
  EXPECT(code.getProperty<std::string>({"Kernels", 0, "arguments", 0, "name"}) == "out");
  EXPECT(!code.getFlags().empty());
  EXPECT(code.getLog().empty());
  EXPECT(program.compile("cpu").getCode().size() == code.getCode().size());
  EXPECT(program.compile(device).getOrigin() == NEXUS_CODE_FROM_MEMORY);

  const nexus::ObjectCode read = nexus::ObjectCode::read(code.write());
  EXPECT(read.getOrigin() == NEXUS_CODE_READ);
  EXPECT(statusOf([&] { nexus::ObjectCode::read("no object code"); }) == NXS_InvalidBinary);
  EXPECT(statusOf([&] { nexus::ObjectCode::load("/nowhere.nxo"); }) == NXS_InvalidValue);
  EXPECT(statusOf([&] { nexus::ObjectCode::load("/"); }) == NXS_InvalidValue);  // a folder

  const nexus::Buffer out = device.createBuffer(std::vector<std::int32_t>(100, 0));
  const nexus::Schedule schedule = device.createSchedule();
  const nexus::Command command = schedule.createCommand(device.loadLibrary(read).getKernel("put"));
  command.setArgument(0, out);
  command.setArgument(1, std::int32_t{100});
  command.finalize(32, 100);
  schedule.run();
  std::vector<std::int32_t> result(100);
  out.copy(result);
  EXPECT(result == std::vector<std::int32_t>(100, 42));
  EXPECT(device.compile(program).getKernelNames() == std::vector<std::string>{"put"});
}

void refusesPrograms(const nexus::Device &device) {
  try {
    nexus::Program("NEXUS_KERNEL(k, (int, n)) { nonsense }", "nexus", "bad.c").compile(device);
    EXPECT(false);
  } catch (const nexus::Error &error) {
    EXPECT(error.status() == NXS_CompileProgramFailure);
    EXPECT(error.log().find("bad.c:1") != std::string::npos);
    EXPECT(std::string(error.what()).find("bad.c:1") != std::string::npos);
  }
  EXPECT(statusOf([&] { device.compile(""); }) == NXS_InvalidProgram);
  EXPECT(statusOf([&] { nexus::Program("x", "basic").compile(device); }) == NXS_NotSupported);
}

}  // namespace

int main(int, char **arguments) {
  try {
    const nexus::Device device = nexus::getSystem().getDevice("cpu");
    findsRuntimesAndDevices();
    readsProperties(device);
    refusesExtraFlagsOfNoBackend(device);
    copiesBuffers(device);
    allocatesByResources(device);
    viewsHaveStrides(device, arguments[1]);
    writesVariables(device, arguments[1]);
    describesLibraries(device, arguments[1]);
    holdsComplexNumbers(device);
    refusesArgumentsOfOtherTypes(device, arguments[1]);
    callsKernels(device, arguments[1]);
    runsSchedules(device, arguments[1]);
    takesTimes(device);
    ordersStreams(device);
    setsValues(device);
    sharesObjects(device);
    refusesSharedEvents(device);
    errorsAreStandardExceptions(device);
    compilesPrograms(device);
    refusesPrograms(device);
  } catch (const std::exception &error) {
    std::cerr << "not expected: " << error.what() << '\n';
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}
