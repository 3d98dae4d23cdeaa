// SPDX-License-Identifier: Apache-2.0
// Compiles a program with the plug-in's C functions and writes each result to a file:
//
//   compile_tool <plug-in> <folder> key=value...
//
// describe, status, error, log and code, if it exists. Keys: source (a file),
// language, name, target, standard, flags, optimization, define, include, option; zig (what the
// host says the wheel's compiler is); threads (the number of concurrent compilations);
// children=ignored, standard_files=closed (the state of this process when it asks). Prints nothing
// of its own.
#include <fcntl.h>
#include <nexus-api/nxs_functions.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../abi/fake_host.hpp"
#include "../abi/loaded_plugin.hpp"

namespace {

std::string zig;

nxs_host make_host() {
  nxs_host made = FakeHost<0>::make();
  made.get_config = [](uint32_t, const nxs_string *key, nxs_string *out) {
    const std::string_view name(key->data, key->size);
    const char *set = name == "zig"               ? zig.c_str()
                      : name == "cc"              ? std::getenv("NEXUS_CPU_CC")
                      : name == "compile_timeout" ? std::getenv("NEXUS_CPU_COMPILE_TIMEOUT")
                      : name == "allow_options"   ? std::getenv("NEXUS_CPU_ALLOW_OPTIONS")
                                                  : nullptr;
    *out = {set, set == nullptr ? 0 : std::string_view(set).size()};
  };
  return made;
}

nxs_string view(const std::string &text) {
  return {text.data(), text.size()};
}

struct Lists {
  std::vector<std::string> defines, include_paths, options;
};

std::vector<nxs_string> views(const std::vector<std::string> &texts) {
  std::vector<nxs_string> out;
  for (const std::string &text : texts) out.push_back(view(text));
  return out;
}

nxs_sink sink(std::string &bytes) {
  return {sizeof(nxs_sink), &bytes, [](void *context, const void *data, uint64_t size) {
            static_cast<std::string *>(context)->append(static_cast<const char *>(data), size);
          }};
}

struct Outcome {
  nxs_status status = 0;
  std::string error, log, code;
};

void write_file(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

class Tool {
 public:
  Tool(const char *path, int count, char **pairs) : host_(make_host()) {
    for (int i = 0; i < count; ++i) take(pairs[i]);
    zig = one_["zig"];
    const LoadedPlugin loaded(path, RTLD_LOCAL, host_);
    functions_ = loaded.functions;
    if (functions_.GetDevice(loaded.plugin.runtime, 0, &device_) != NXS_Success) std::exit(3);
    if (one_["children"] == "ignored") signal(SIGCHLD, SIG_IGN);
    if (one_["standard_files"] == "closed") {
      for (const int file : {0, 1, 2}) close(file);
    }
    prepare();
  }

  bool only_describes() { return one_["only"] == "describe"; }

  void describe(const std::string &folder) {
    std::string bytes;
    nxs_value value{};
    value.struct_size = sizeof(value);
    if (functions_.DescribeCompile(device_, &info_, &value) != NXS_Success) return;
    bytes.resize(value.size);
    value.data = bytes.data();
    value.capacity = bytes.size();
    if (functions_.DescribeCompile(device_, &info_, &value) != NXS_Success) return;
    bytes.resize(value.size);
    write_file(folder + "/describe", bytes);
  }

  Outcome compile() {
    Outcome out;
    const nxs_sink code = sink(out.code);
    const nxs_sink log = sink(out.log);
    out.status = functions_.CompileProgram(device_, &info_, &code, &log);
    if (out.status != NXS_Success) out.error = FakeHost<0>::last_error();
    return out;
  }

  // The first outcome, or of several the one with another status.
  Outcome compile_all() {
    const char *count = one_["threads"].c_str();
    std::vector<Outcome> outcomes(std::max(1UL, std::strtoul(count, nullptr, 10)));
    std::vector<std::thread> threads;
    for (Outcome &out : outcomes) threads.emplace_back([&] { out = compile(); });
    for (std::thread &thread : threads) thread.join();
    for (const Outcome &out : outcomes) {
      if (out.status != outcomes[0].status) return out;
    }
    return outcomes[0];
  }

 private:
  void take(std::string_view pair) {
    const std::string key(pair.substr(0, pair.find('=')));
    const std::string value(pair.substr(pair.find('=') + 1));
    if (key == "define") {
      lists_.defines.push_back(value);
    } else if (key == "long_define") {
      lists_.defines.push_back("LONG=" + std::string(std::stoul(value), 'x'));
    } else if (key == "include") {
      lists_.include_paths.push_back(value);
    } else if (key == "option") {
      lists_.options.push_back(value);
    } else {
      one_[key] = value;
    }
  }

  void prepare() {
    std::ifstream file(one_["source"], std::ios::binary);
    source_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    defines_ = views(lists_.defines);
    include_paths_ = views(lists_.include_paths);
    options_ = views(lists_.options);
    info_.struct_size = sizeof(info_);
    info_.source = view(source_);
    info_.language = view(one_["language"].empty() ? (one_["language"] = "c") : one_["language"]);
    info_.name = view(one_["name"]);
    info_.target = view(one_["target"]);
    info_.standard = view(one_["standard"]);
    info_.flags = std::strtoull(one_["flags"].c_str(), nullptr, 10);
    info_.optimization = one_["optimization"].empty() ? 3 : std::atoi(one_["optimization"].c_str());
    info_.defines = defines_.data();
    info_.define_count = defines_.size();
    info_.include_paths = include_paths_.data();
    info_.include_path_count = include_paths_.size();
    info_.options = options_.data();
    info_.option_count = options_.size();
  }

  nxs_host host_;
  nxs_functions functions_{};
  nxs_id device_ = 0;
  std::map<std::string, std::string> one_;
  Lists lists_;
  std::string source_;
  std::vector<nxs_string> defines_, include_paths_, options_;
  nxs_compile_info info_{};
};

}  // namespace

int main(int count, char **words) {
  if (count < 3) return 3;
  const std::string folder = words[2];
  Tool tool(words[1], count - 3, words + 3);
  tool.describe(folder);
  if (tool.only_describes()) return 0;
  const std::ptrdiff_t before = open_files();
  const Outcome out = tool.compile_all();
  write_file(folder + "/leaked", std::to_string(open_files() - before));
  write_file(folder + "/status", std::to_string(out.status));
  write_file(folder + "/error", out.error);
  write_file(folder + "/log", out.log);
  write_file(folder + "/code", out.code);
}
