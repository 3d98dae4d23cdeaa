// SPDX-License-Identifier: Apache-2.0
// Prints what the CPU backend reads of a machine, as JSON. A root is a folder used instead of "/".
//
//   machine_tool x86 <maker> <family> <model> <feature>...    the name of an x86-64 processor
//   machine_tool signature <eax>                              the fields of CPUID's leaf 1
//   machine_tool arm <implementer> <part>                     vendor and name of one of Arm
//   machine_tool machine <vendor> <architecture> <root>       cores, caches, clocks, sensors,
//   limits;
//                                         "-" for both: an Arm processor, read from the root too
//   machine_tool activity <root> <root> <milliseconds>        changes between two readings
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <machine/machine.hpp>
#include <nexus-plugin/base/json.hpp>
#include <sstream>
#include <system/usage.hpp>

namespace {

using namespace nexus_cpu;
using nexus_plugin::json_array;
using nexus_plugin::json_list;
using nexus_plugin::json_string;

// Keys and values of an object; unknown values are null.
class Printer {
 public:
  ~Printer() { std::cout << (first_ ? "{" : "") << "}\n"; }

  void json(const char *key, const std::string &text) {
    std::cout << (first_ ? "{" : ",") << '"' << key << "\":" << text;
    first_ = false;
  }
  void text(const char *key, const std::string &value) {
    json(key, value.empty() ? "null" : json_string(value));
  }
  void number(const char *key, uint64_t value) {
    json(key, value == 0 ? "null" : std::to_string(value));
  }
  template <class Number>
  void number(const char *key, std::optional<Number> value) {
    std::ostringstream out;
    if (value) out << *value;
    json(key, value ? out.str() : "null");
  }

 private:
  bool first_ = true;
};

unsigned number_of(const char *word) {
  return static_cast<unsigned>(std::strtoul(word, nullptr, 0));
}

int print_x86(int count, char **words) {
  const std::vector<std::string> features(words + 3, words + count);
  Printer out;
  out.text("Vendor", x86_vendor(words[0]));
  out.text("Architecture",
           x86_architecture(words[0], {number_of(words[1]), number_of(words[2]), 0}, features));
  return 0;
}

int print_signature(char **words) {
  const X86Signature signature = x86_signature(number_of(words[0]));
  Printer out;
  out.number("Family", std::optional(signature.family));
  out.number("Model", std::optional(signature.model));
  out.number("Stepping", std::optional(signature.stepping));
  return 0;
}

int print_arm(char **words) {
  const ArmSignature signature{number_of(words[0]), number_of(words[1]), 0, 0};
  Printer out;
  out.text("Vendor", arm_vendor(signature.implementer));
  out.text("Architecture", std::string(arm_architecture(signature)));
  return 0;
}

void print_processor(Printer &out, const Processor &processor) {
  out.text("Name", processor.name);
  out.text("Vendor", processor.vendor);
  out.text("Architecture", processor.architecture);
  out.number("Family", processor.family);
  out.number("Model", processor.model);
  out.number("Stepping", processor.stepping);
  out.json("VectorExtensions", json_list(vector_extensions(processor.features)));
  out.json("MatrixExtensions", json_list(matrix_extensions(processor.features)));
}

void print_system(Printer &out, const SystemTree &tree) {
  const MemoryState memory = read_memory(tree);
  out.number("GlobalMemorySize", memory.total);
  out.number("GlobalMemoryFree", memory.free);
  out.number("GlobalMemoryUsed", memory.used());
  out.number("MemoryUtilization", memory.used_percent());
  out.number("ProcessorTimeLimit", processor_time_limit(tree));
  out.number("MemoryLimit", memory_limit(tree));
  out.number("CurrentClock", read_current_clock(tree));
  out.number("Temperature", read_temperature(tree));
}

int print_machine(char **words) {
  const SystemTree tree{words[2]};
  Processor processor = read_arm_processor(tree);
  if (words[0] != std::string("-")) {
    processor = {};
    processor.vendor = words[0];
    processor.architecture = words[1];
  }
  const Machine machine = read_machine(tree, processor);
  Printer out;
  print_processor(out, processor);
  out.number("CoreCount", machine.cores);
  out.number("ThreadCount", machine.threads);
  out.number("ThreadsPerCore", machine.threads_per_core);
  out.number("SocketCount", machine.sockets);
  out.number("NumaNodeCount", machine.numa_nodes);
  out.number("BaseClock", machine.base_clock_mhz);
  out.number("CoreClockRate", machine.max_clock_mhz);
  out.number("CacheLineSize", machine.cache_line);
  out.json("CoreSubsystem", core_json(processor, machine));
  out.json("MemorySubsystem", memory_json(machine, read_memory(tree).total));
  print_system(out, tree);
  return 0;
}

int print_activity(char **words) {
  ActivitySample before = take_activity_sample(SystemTree(words[0]));
  ActivitySample after = take_activity_sample(SystemTree(words[1]));
  after.time = before.time + std::chrono::milliseconds(number_of(words[2]));
  Printer out;
  out.number("CoreUtilization", utilization_between(before, after));
  out.number("PowerDraw", power_between(before, after));
  return 0;
}

}  // namespace

int main(int count, char **words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "x86" && count >= 5) return print_x86(count - 2, words + 2);
  if (what == "signature" && count == 3) return print_signature(words + 2);
  if (what == "arm" && count == 4) return print_arm(words + 2);
  if (what == "machine" && count == 5) return print_machine(words + 2);
  if (what == "activity" && count == 5) return print_activity(words + 2);
  return 2;
}
