// SPDX-License-Identifier: Apache-2.0
// Prints how a processor is named for a compiler, its name and then a flag a line:
//
//   compile_parts_tool target <x86|arm|other> <clang|gcc|zig|other> <name>
#include <compile/compiler.hpp>
#include <iostream>
#include <map>
#include <string>

namespace {

using namespace nexus_cpu;

const std::map<std::string, ProcessorFamily> kFamilies = {{"x86", ProcessorFamily::x86},
                                                          {"arm", ProcessorFamily::arm},
                                                          {"other", ProcessorFamily::other}};
const std::map<std::string, CompilerKind> kCompilers = {{"clang", CompilerKind::clang},
                                                        {"gcc", CompilerKind::gcc},
                                                        {"zig", CompilerKind::zig},
                                                        {"other", CompilerKind::other}};

int print_flags(char **words) {
  Processor processor;
  processor.architecture = "imaginary";
  processor.features = {"one", "two"};
  const CompileTarget target =
      resolve_target(words[2], processor, kCompilers.at(words[1]), kFamilies.at(words[0]));
  std::cout << target.name << '\n';
  for (const std::string &flag : target.flags) std::cout << flag << '\n';
  return 0;
}

}  // namespace

int main(int count, char **words) {
  if (count != 5 || words[1] != std::string("target")) return 2;
  return print_flags(words + 2);
}
