// SPDX-License-Identifier: Apache-2.0
#include "host_compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace simulated_kernels {

std::string host_compiler() {
  const char *named = std::getenv("CXX");
  return named == nullptr || *named == '\0' ? "c++" : named;
}

size_t closing(const std::string &text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return text.size() - 1;
}

namespace {

std::vector<std::string> common_options(const Program &program, const Folder &folder) {
  std::vector<std::string> options = {
      "-std=c++20",       "-O1", "-g1", "-fPIC", "-fno-strict-aliasing", "-fno-exceptions",
      "-ffp-contract=off"};
  if (program.form == Form::hip) {
    options.insert(options.end(), {"-D__HIP__=1", "-D__HIPCC_RTC__=1"});
  } else {
    options.insert(options.end(), {"-D__CUDACC__=1", "-D__CUDACC_RTC__=1",
                                   "-D__CUDA_ARCH__=" + std::to_string(program.architecture * 10)});
  }
  if (!program.headers.empty()) options.push_back("-I" + folder.text() + "/headers");
  options.insert(options.end(), program.options.begin(), program.options.end());
  return options;
}

// A kernel as it is written.
struct Found {
  std::string name;
  std::string bound;  // of __launch_bounds__; "0" where there is none
};

bool is_template(const std::string &text, size_t at) {
  const size_t begin = text.find_last_of(";}", at);
  const std::string before = text.substr(begin == std::string::npos ? 0 : begin,
                                         at - (begin == std::string::npos ? 0 : begin));
  return std::regex_search(before, std::regex(R"(\btemplate\s*<)"));
}

// In preprocessed text, where the keyword still is.
std::vector<Found> find_kernels(const std::string &text) {
  static const std::regex name_before(R"((\w+)\s*$)");
  const std::string keyword = "__global__", bounds = "__launch_bounds__";
  std::vector<Found> kernels;
  for (size_t at = text.find(keyword); at != std::string::npos; at = text.find(keyword, at)) {
    const size_t begin = at;
    at += keyword.size();
    std::string bound = "0";
    size_t open = text.find('(', at);
    while (open != std::string::npos) {  // of the parameters, behind those of attributes
      const std::string before = text.substr(at, open - at);
      std::smatch word;
      if (!std::regex_search(before, word, name_before)) break;
      const size_t end = closing(text, open);
      if (word[1] == bounds) {
        bound = text.substr(open + 1, end - open - 1);
      } else if (word[1] != "__attribute__") {
        if (!is_template(text, begin)) kernels.push_back({word[1], bound});
        break;
      }
      open = text.find('(', end);
    }
  }
  return kernels;
}

std::vector<std::string> find_dynamic_memory(const std::string &text) {
  static const std::regex declaration(
      R"(extern\s+__shared__[^;{}]*?(\w+)\s*\[\s*\]\s*(?:__attribute__[^;]*)?;)");
  std::vector<std::string> names;
  for (std::sregex_iterator each(text.begin(), text.end(), declaration), end; each != end; ++each) {
    const std::string name = (*each)[1];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The first of several values, such as the minimum of blocks.
std::string first_value(const std::string &list) {
  int depth = 0;
  for (size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '(') ++depth;
    if (list[at] == ')') --depth;
    if (list[at] == ',' && depth == 0) return list.substr(0, at);
  }
  return list;
}

std::string entries(const std::string &preprocessed, const Program &program) {
  std::ostringstream text;
  text << "\n#line 1 \"entries\"\n#include \"" SIMULATED_HEADERS "/simulated_entries.h\"\n";
  for (const std::string &name : find_dynamic_memory(preprocessed)) {
    text << "NEXUS_SIMULATED_DYNAMIC(" << name << ")\n";
  }
  const bool barriers = program.relocatable || preprocessed.find("__sync") != std::string::npos ||
                        preprocessed.find("_s_barrier") != std::string::npos;
  int index = 0;
  const auto add = [&](const std::string &kernel, const std::string &bound) {
    text << "NEXUS_SIMULATED_KERNEL(" << index++ << ", (" << bound << "), " << barriers << ", "
         << kernel << ")\n";
  };
  // Those that are asked for by name come first, so that their symbols are found by place.
  for (const std::string &expression : program.expressions) add(expression, "0");
  for (const Found &each : find_kernels(preprocessed)) {
    const auto &asked = program.expressions;
    if (std::find(asked.begin(), asked.end(), each.name) == asked.end()) {
      add(each.name, first_value(each.bound));
    }
  }
  return text.str();
}

// Messages as NVRTC words them, without the text that they point to. clang words them as the host's
// compiler does.
std::string log_of(const std::string &output, const Program &program) {
  static const std::regex message(R"(^(.+?):(\d+):(\d+): (fatal error|error|warning): (.*)$)");
  static const std::regex missing(R"((\S+): No such file or directory)");
  std::ostringstream log;
  std::istringstream lines(output);
  int errors = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts, file;
    if (!std::regex_match(line, parts, message)) continue;
    const std::string what = parts[5];
    if (what.find("initialized and declared") != std::string::npos) continue;  // of what is ours
    if (program.form == Form::hip) {
      log << line << "\n";
      continue;
    }
    log << parts[1] << "(" << parts[2] << "): ";
    if (parts[4] == "fatal error" && std::regex_search(what, file, missing)) {
      log << "catastrophic error: cannot open source file \"" << file[1] << "\"\n\n";
    } else {
      log << (parts[4] == "warning" ? "warning: " : "error: ") << what << "\n\n";
    }
    if (parts[4] != "warning") ++errors;
  }
  if (errors != 0) {
    log << errors << (errors == 1 ? " error" : " errors") << " detected in the compilation of \""
        << program.name << "\".\n";
  }
  return log.str();
}

void name_kernels(const Program &program, const std::string &path, Compiled &compiled) {
  compiled.kernels = kernels_in(path);
  for (size_t i = 0; i < program.expressions.size() && i < compiled.kernels.size(); ++i) {
    compiled.lowered[program.expressions[i]] = compiled.kernels[i].name;
  }
}

}  // namespace

Compiled compile(const Program &program) {
  const Folder folder;
  const std::string source = folder / "program.cpp", wrapper = folder / "wrapper.cpp",
                    preprocessed = folder / "program.ii", object = folder / "program.so",
                    relocatable = folder / "program.o";
  const std::string first_line = "#line 1 \"" + program.name + "\"\n";
  write_file(source, first_line + program.source);
  for (const auto &[name, text] : program.headers) write_file(folder / ("headers/" + name), text);

  std::vector<std::string> arguments = common_options(program, folder);
  arguments.insert(arguments.end(), {"-w", "-E", "-P", source, "-o", preprocessed});
  Compiled compiled;
  const Ran first = run(host_compiler(), arguments);
  if (!first.well) {
    compiled.log = log_of(first.output, program);
    return compiled;
  }
  const std::string header = program.form == Form::hip ? "hip" : "device";
  write_file(wrapper, "#include \"" SIMULATED_HEADERS "/simulated_" + header + ".h\"\n" +
                          first_line + program.source + entries(read_file(preprocessed), program));
  arguments = common_options(program, folder);
  arguments.insert(arguments.end(), {"-Wno-attributes", "-fdiagnostics-color=never", "-c", wrapper,
                                     "-o", relocatable});
  const Ran ran = run(host_compiler(), arguments);
  compiled.log = log_of(ran.output, program);
  if (!ran.well) {
    if (compiled.log.empty()) compiled.log = ran.output;
    return compiled;
  }
  const Ran linked =
      run(host_compiler(), {"-shared", "-Wl,-Bsymbolic", "-o", object, relocatable, "-lm"});
  if (!linked.well && !program.relocatable) {
    compiled.log += linked.output;
    return compiled;
  }
  compiled.well = true;
  compiled.object = read_file(program.relocatable ? relocatable : object);
  try {
    if (linked.well) name_kernels(program, object, compiled);
  } catch (const std::runtime_error &error) {  // symbols that come from other pieces
    if (!program.relocatable) compiled.log += error.what();
    compiled.well = program.relocatable;
  }
  return compiled;
}

Compiled link(const std::vector<std::string> &objects) {
  const Folder folder;
  const std::string output = folder / "linked.so";
  std::vector<std::string> arguments = {"-shared", "-Wl,-Bsymbolic", "-o", output};
  for (size_t i = 0; i < objects.size(); ++i) {
    const std::string piece = folder / ("piece" + std::to_string(i) + ".o");
    write_file(piece, objects[i]);
    arguments.push_back(piece);
  }
  arguments.emplace_back("-lm");
  const Ran ran = run(host_compiler(), arguments);
  Compiled linked;
  linked.log = ran.output;
  if (!ran.well) return linked;
  try {
    linked.kernels = kernels_in(output);
    linked.object = read_file(output);
    linked.well = true;
  } catch (const std::runtime_error &error) {
    linked.log += error.what();
  }
  return linked;
}

}  // namespace simulated_kernels
