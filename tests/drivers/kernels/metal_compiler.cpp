// SPDX-License-Identifier: Apache-2.0
#include "metal_compiler.hpp"

#include <regex>
#include <sstream>
#include <stdexcept>

namespace simulated_kernels {
namespace {

// A parameter of a kernel, as it is written.
struct Written {
  std::string name, attribute, place;  // "x", "buffer", "0"
};
struct Kernel {
  std::string name, most;  // threads of a threadgroup; "0": not bounded
  std::vector<Written> parameters;
};

// Splits at commas that are in no brackets.
std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char each : list) {
    if (each == '(' || each == '[' || each == '<') ++depth;
    if (each == ')' || each == ']' || each == '>') --depth;
    if (each == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += each;
    }
  }
  if (parts.size() == 1 && parts[0].find_first_not_of(" \n") == std::string::npos) parts.clear();
  return parts;
}

// Throws std::runtime_error for what is not known here.
Written parameter_of(const std::string &text) {
  static const std::regex form(R"((\w+)\s*\[\[\s*(\w+)\s*(?:\(\s*([^)]*?)\s*\))?\s*\]\])");
  std::smatch found;
  if (std::regex_search(text, found, form)) return {found[1], found[2], found[3]};
  throw std::runtime_error("a parameter without an attribute: " + text);
}

// Finds the kernels in preprocessed text, and takes their attributes away.
std::vector<Kernel> take_kernels(std::string &text) {
  static const std::regex head(
      R"((?:\[\[\s*max_total_threads_per_threadgroup\s*\(([^\]]*)\)\s*\]\]\s*)?\bkernel\s+void\s+(\w+)\s*\()");
  std::vector<Kernel> kernels;
  std::string rest = std::move(text);
  text.clear();
  for (std::smatch found; std::regex_search(rest, found, head);) {
    Kernel kernel{found[2], found[1].matched ? found[1].str() : "0", {}};
    const auto end = closing(rest, static_cast<size_t>(found.position() + found.length()) - 1);
    const auto begin = static_cast<size_t>(found.position() + found.length());
    for (const std::string &each : split(rest.substr(begin, end - begin))) {
      kernel.parameters.push_back(parameter_of(each));
    }
    text += found.prefix().str() + "extern \"C\" void " + kernel.name +
            rest.substr(begin - 1, end - begin + 1);
    rest.erase(0, end);
    kernels.push_back(std::move(kernel));
  }
  text += rest;
  return kernels;
}

// Variables in threadgroup memory are one for all threads, which a thread of the host runs. Those
// with a star are pointers to it.
std::string with_static_memory(const std::string &text) {
  static const std::regex declaration(
      R"(([;{}]\s*)(threadgroup\s+[^;*&()={}\[\]]*(?:\[[^;{}\[\]]*\][^;*&()={}\[\]]*)*;))");
  static const std::regex name(R"((\w+)\s*(?:\[.*)?$)");
  std::string made;
  std::string rest = text;
  for (std::smatch found; std::regex_search(rest, found, declaration);) {
    const std::string what = found[2];
    made += found.prefix().str() + found[1].str() + "static __thread " + what;
    for (const std::string &each : split(what.substr(0, what.size() - 1))) {
      std::smatch variable;
      if (std::regex_search(each, variable, name))
        made += " NEXUS_METAL_LOCAL(" + variable[1].str() + ")";
    }
    rest = ";" + found.suffix().str();  // may begin the next one
    made += " ";
  }
  return made + rest;
}

std::string entries(const std::vector<Kernel> &kernels, bool barriers) {
  std::ostringstream text;
  text << "\n#line 1 \"entries\"\n";
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Kernel &kernel = kernels[i];
    std::ostringstream call, bindings;
    for (size_t p = 0; p < kernel.parameters.size(); ++p) {
      const Written &each = kernel.parameters[p];
      const std::string first = "(" + std::to_string(p) + ", " + kernel.name + ", ";
      const bool buffer = each.attribute == "buffer", local = each.attribute == "threadgroup";
      call << (p == 0 ? "" : ", ");
      if (buffer || local) {
        call << (buffer ? "NEXUS_METAL_BUFFER" : "NEXUS_METAL_THREADGROUP") << first << each.place
             << ")";
        bindings << "NEXUS_METAL_BINDING" << first << "\"" << each.name << "\", " << local << ", "
                 << each.place << ") ";
      } else {
        call << "NEXUS_METAL_POSITION" << first << each.attribute << ")";
      }
    }
    text << "NEXUS_METAL_KERNEL(" << i << ", " << kernel.name << ", (" << kernel.most << "), "
         << barriers << ", " << call.str() << ")\nextern \"C\" { nexus_metal_binding "
         << "nexus_metal_bindings_" << kernel.name << "[] = {" << bindings.str() << "{}}; }\n";
  }
  return text.str();
}

// As Metal words them: the messages alone.
std::string log_of(const std::string &output) {
  static const std::regex message(R"(^.+?:\d+:\d+: (fatal error|error|warning): .*$)");
  std::istringstream lines(output);
  std::string log;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, message)) log += line + "\n";
  }
  return log.empty() ? output : log;
}

const char kFirstLine[] = "#line 1 \"program_source\"\n";

}  // namespace

Compiled compile_metal(const std::string &source, const std::vector<std::string> &options) {
  const Folder folder;
  const std::string program = folder / "program.cpp", preprocessed = folder / "program.ii",
                    translated = folder / "translated.cpp", object = folder / "program.so";
  write_file(program, kFirstLine + source);
  write_file(folder / "headers/metal_stdlib", "");  // its words stay as they are
  std::vector<std::string> arguments{"-std=c++14",
                                     "-E",
                                     "-fdiagnostics-color=never",
                                     "-nostdinc",
                                     "-nostdinc++",
                                     "-D__METAL_VERSION__=300",
                                     "-D__METAL__=1",
                                     "-I" + folder.text() + "/headers"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {program, "-o", preprocessed});
  Compiled compiled;
  const Ran first = run(host_compiler(), arguments);
  if (!first.well) {
    compiled.log = log_of(first.output);
    return compiled;
  }
  std::string text = read_file(preprocessed);
  try {
    const std::vector<Kernel> kernels = take_kernels(text);
    const bool barriers = text.find("threadgroup_barrier") != std::string::npos;
    write_file(translated, "#include \"" SIMULATED_HEADERS "/simulated_metal.h\"\n" +
                               with_static_memory(text) + entries(kernels, barriers));
  } catch (const std::runtime_error &error) {
    compiled.log = std::string("program_source:1:1: error: ") + error.what() + "\n";
    return compiled;
  }
  const Ran ran = run(
      host_compiler(),
      {"-std=c++14", "-O1", "-g1", "-fPIC", "-fno-strict-aliasing", "-fno-exceptions",
       "-ffp-contract=off", "-w", "-fdiagnostics-color=never", "-DNEXUS_SIMULATED_METAL=1",
       "-I" SIMULATED_METAL_STDLIB, "-shared", "-Wl,-Bsymbolic", translated, "-o", object, "-lm"});
  compiled.log = log_of(first.output + ran.output);
  compiled.well = ran.well;
  if (ran.well) compiled.object = read_file(object);
  return compiled;
}

}  // namespace simulated_kernels
