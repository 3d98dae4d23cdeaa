// SPDX-License-Identifier: Apache-2.0
// Runs parts of the compiler driver with the inputs of other machines:
//
//   compile_parts_tool target <x86|arm|other> <clang|gcc|zig|other> <name>   prints a flag a line
//   compile_parts_tool lines <name> <source file> < messages                 prints the messages
#include <compile/compiler.hpp>
#include <compile/source_lines.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nexus-plugin/base/error.hpp>
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

std::string read_all(std::istream &from) {
  return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

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
  const std::string part = count > 1 ? words[1] : "";
  if (part == "target" && count == 5) return print_flags(words + 2);
  if (part != "lines" || count != 4) return 2;
  std::ifstream source(words[3], std::ios::binary);
  std::cout << with_source_lines(read_all(std::cin), words[2], read_all(source));
}
