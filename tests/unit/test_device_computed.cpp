// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check.hpp"
#include "device/device_merge.hpp"
#include "device_db/device_computed.hpp"

using namespace nexus::core;

namespace {

// The value of a key after computing; "absent" where there is none.
std::string computed(const char *tree_text, const char *path) {
  json::Value tree = json::parse(tree_text);
  addComputed(tree);
  const json::Value *value = valueAt(tree, splitPath(path));
  return value == nullptr ? "absent" : json::write(*value);
}

constexpr const char *kGpu = R"({
  "CoreSubsystem": {"SubUnitType": "SM", "Count": 132, "ThreadCount": 4, "ThreadsPerCore": 2,
                    "SIMDSize": 32, "BaseClock": 1590, "MaxClock": 1980.5,
                    "Units": [{"Name": "FP32", "Count": 128}, {"Name": "Tensor Core"}]},
  "MemorySubsystem": {"UnifiedMemory": 0, "MemoryTypes": [
    {"Name": "L1", "Size": 262144}, {"Name": "L2", "LineSize": 128},
    {"Name": "Global", "Size": 85899345920, "BusWidth": 5120, "ClockRate": 2619.0,
     "TransferRate": 5200},
    {"Name": "Local", "MaxSize": 233472}, {"Name": "Registers", "Size": 262144}]},
  "Limits": {"MaxThreadsPerBlock": 1024, "MaxThreadgroupMemorySize": 232448,
             "MaxThreadgroupsPerCore": 32, "MaxBufferSize": 1000, "MaxArguments": 64},
  "Power": {"MaxPower": 700.5},
  "KernelModel": {"Features": ["sm_90", "ptx"]}})";

TEST(flat_keys_follow_from_the_cores) {
  CHECK_EQUAL(std::string("132"), computed(kGpu, "CoreCount"));
  CHECK_EQUAL(std::string("132"), computed(kGpu, "Count"));
  CHECK_EQUAL(std::string("4"), computed(kGpu, "ThreadCount"));
  CHECK_EQUAL(std::string("2"), computed(kGpu, "ThreadsPerCore"));
  CHECK_EQUAL(std::string("32"), computed(kGpu, "SIMDSize"));
  CHECK_EQUAL(std::string("1590"), computed(kGpu, "BaseClock"));
  CHECK_EQUAL(std::string("\"SM\""), computed(kGpu, "SubUnitType"));
  CHECK_EQUAL(std::string(R"(["FP32","Tensor Core"])"), computed(kGpu, "SubUnits"));
}

TEST(a_clock_is_rounded_to_megahertz) {
  CHECK_EQUAL(std::string("1981"), computed(kGpu, "CoreClockRate"));
  CHECK_EQUAL(std::string("2619"), computed(kGpu, "MemoryClockRate"));
}

TEST(flat_keys_follow_from_the_memories) {
  CHECK_EQUAL(std::string("85899345920"), computed(kGpu, "GlobalMemorySize"));
  CHECK_EQUAL(std::string("5120"), computed(kGpu, "MemoryBusWidth"));
  CHECK_EQUAL(std::string("128"), computed(kGpu, "CacheLineSize"));
  CHECK_EQUAL(std::string("233472"), computed(kGpu, "CoreMemorySize"));
  CHECK_EQUAL(std::string("262144"), computed(kGpu, "CoreRegisterSize"));
  CHECK_EQUAL(std::string("0"), computed(kGpu, "UnifiedMemory"));
  CHECK_EQUAL(std::string(R"(["L1","L2","Global","Local","Registers"])"),
              computed(kGpu, "MemorySubsystem/SupportedMemoryTypes"));
}

std::string sizeOfL2(const std::string &variants) {
  json::Value tree = json::parse(R"({"MemorySubsystem": {"MemoryTypes": [{"Name": "L2"}]},
      "Variants": [)" + variants +
                                 "]}");
  std::vector<ComputedValue> computed;
  addSizeOfL2(tree, computed);
  CHECK_EQUAL(!computed.empty(),
              valueAt(tree, {"MemorySubsystem", "MemoryTypes", "L2", "Size"}) != nullptr);
  return json::write(*valueAt(tree, {"MemorySubsystem", "MemoryTypes", "L2"}));
}

std::string variantWithL2(const std::string &name, int size) {
  return R"({"Name": ")" + name + R"(", "MemorySubsystem": {"MemoryTypes": [{"Name": "L2",
      "Size": )" +
         std::to_string(size) + "}]}}";
}

TEST(the_l2_of_an_architecture_is_that_of_its_products_where_they_agree) {
  const std::string silent = R"({"Name": "silent"})";
  CHECK_EQUAL(std::string(R"({"Name":"L2","Size":7})"),
              sizeOfL2(variantWithL2("a", 7) + "," + silent + "," + variantWithL2("b", 7)));
  CHECK_EQUAL(std::string(R"({"Name":"L2"})"),
              sizeOfL2(variantWithL2("a", 7) + "," + variantWithL2("b", 8)));
  CHECK_EQUAL(std::string(R"({"Name":"L2"})"), sizeOfL2(silent));
}

TEST(a_memory_of_which_nothing_is_known_is_not_supported) {
  CHECK_EQUAL(std::string(R"(["L1"])"), computed(R"({"MemorySubsystem": {"MemoryTypes": [
      {"Name": "L2"}, {"Name": "L1", "Size": 9}]}})",
                                                 "MemorySubsystem/SupportedMemoryTypes"));
}

TEST(bandwidth_is_told_or_bus_width_times_transfer_rate) {
  CHECK_EQUAL(std::string("3328000000000"), computed(kGpu, "MemoryBandwidth"));
  CHECK_EQUAL(std::string("7"), computed(R"({"MemorySubsystem": {"MemoryTypes": [
      {"Name": "Global", "Bandwidth": 7, "BusWidth": 8, "TransferRate": 1}]}})",
                                         "MemoryBandwidth"));
}

TEST(flat_keys_follow_from_limits_power_and_features) {
  CHECK_EQUAL(std::string("1024"), computed(kGpu, "MaxThreadsPerBlock"));
  CHECK_EQUAL(std::string("1024"), computed(kGpu, "MaxThreadsPerThreadgroup"));
  CHECK_EQUAL(std::string("232448"), computed(kGpu, "MaxThreadgroupMemorySize"));
  CHECK_EQUAL(std::string("32"), computed(kGpu, "MaxThreadgroupsPerCore"));
  CHECK_EQUAL(std::string("1000"), computed(kGpu, "MaxBufferSize"));
  CHECK_EQUAL(std::string("64"), computed(kGpu, "MaxArguments"));
  CHECK_EQUAL(std::string("700.5"), computed(kGpu, "MaxPower"));
  CHECK_EQUAL(std::string("\"sm_90,ptx\""), computed(kGpu, "Features"));
}

TEST(what_is_said_is_not_computed) {
  CHECK_EQUAL(std::string("4"),
              computed(R"({"CoreCount": 4, "CoreSubsystem": {"Count": 8}})", "CoreCount"));
}

TEST(a_value_of_another_type_gives_none) {
  CHECK_EQUAL(std::string("absent"), computed(R"({"CoreSubsystem": {"Count": "8"}})", "CoreCount"));
  CHECK_EQUAL(std::string("absent"), computed(R"({"CoreSubsystem": {"Count": 1.5}})", "CoreCount"));
  CHECK_EQUAL(std::string("absent"), computed(R"({"CoreSubsystem": 8})", "CoreCount"));
  CHECK_EQUAL(std::string("absent"),
              computed(R"({"CoreSubsystem": {"MaxClock": 1e300}})", "CoreClockRate"));
  CHECK_EQUAL(std::string("absent"), computed(R"({"KernelModel": {"Features": [1]}})", "Features"));
  CHECK_EQUAL(std::string("absent"), computed(R"({})", "CoreCount"));
}

TEST(what_was_computed_tells_from_what) {
  json::Value tree = json::parse(R"({"MemorySubsystem": {"MemoryTypes": [
      {"Name": "Global", "BusWidth": 8, "TransferRate": 1}]}})");
  std::string text;
  for (const ComputedValue &value : addComputed(tree)) {
    text += value.path;
    for (const std::string &from : value.from) text += " <- " + from;
    text += "\n";
  }
  CHECK_EQUAL(std::string("MemoryBusWidth <- MemorySubsystem/MemoryTypes/Global/BusWidth\n"
                          "MemoryBandwidth <- MemorySubsystem/MemoryTypes/Global/BusWidth <- "
                          "MemorySubsystem/MemoryTypes/Global/TransferRate\n"
                          "MemorySubsystem/SupportedMemoryTypes <- MemorySubsystem/MemoryTypes\n"),
              text);
}

}  // namespace
