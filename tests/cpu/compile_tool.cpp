// SPDX-License-Identifier: Apache-2.0
// Compiles a program by the plug-in's C functions and writes what came back to files, one for each:
//
//   compile_tool <plug-in> <folder> key=value...
//
// describe, status, error, log and code; only those that there are. Keys: source (a file),
// language, name, target, standard, flags, optimization, define, include, option; zig (what the
// host says the wheel's compiler is); threads (compile so often at the same time);
// children=ignored, standard_files=closed (the state of this process when it asks). Prints nothing
// of its own.
#include <dlfcn.h>
#include <fcntl.h>
#include <nexus-api/nxs_functions.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::mutex errors_mutex;
std::vector<std::string> errors(1);
thread_local uint64_t latest_error = 0;
std::string zig;

nxs_host make_host() {
  nxs_host made{};
  made.struct_size = sizeof(made);
  made.api_major = NXS_API_VERSION_MAJOR;
  made.api_minor = NXS_API_VERSION_MINOR;
  made.tag = 7;
  made.log = [](uint32_t, nxs_log_level, const nxs_string *) {};
  made.make_error = [](uint32_t, int64_t, const nxs_string *text) {
    const std::lock_guard lock(errors_mutex);
    errors.emplace_back(text->data, text->size);
    return latest_error = errors.size() - 1;
  };
  made.retain_error = [](uint64_t) {};
  made.release_error = [](uint64_t) {};
  made.get_config = [](uint32_t, const nxs_string *key, nxs_string *out) {
    const std::string_view name(key->data, key->size);
    const char *set = name == "zig"               ? zig.c_str()
                      : name == "cc"              ? std::getenv("NEXUS_CPU_CC")
                      : name == "compile_timeout" ? std::getenv("NEXUS_CPU_COMPILE_TIMEOUT")
                      : name == "allow_options"   ? std::getenv("NEXUS_CPU_ALLOW_OPTIONS")
                                                  : nullptr;
    *out = {set, set == nullptr ? 0 : std::string_view(set).size()};
  };
  made.intern_property = [](uint32_t, const nxs_string *) {
    return nxs_property{NXS_PROPERTY_INVALID};
  };
  made.is_interrupted = [](uint32_t) { return int32_t{0}; };
  return made;
}

std::string latest_text() {
  const std::lock_guard lock(errors_mutex);
  return errors[latest_error];
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
  Tool(const char *plugin, int count, char **pairs) : host_(make_host()) {
    for (int i = 0; i < count; ++i) take(pairs[i]);
    zig = one_["zig"];
    load(plugin);
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
    if (out.status != NXS_Success) out.error = latest_text();
    return out;
  }

  // The first outcome; where several ran at once, a status that differs from it wins.
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

  void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::exit(3);
    const auto query = reinterpret_cast<nxsQueryPlugin_fn>(dlsym(library, "nxsQueryPlugin"));
    nxs_plugin plugin{};
    plugin.struct_size = sizeof(plugin);
    plugin.functions = &functions_;
    functions_.struct_size = sizeof(functions_);
    if (query == nullptr || query(&host_, &plugin) != NXS_Success) std::exit(3);
    if (functions_.GetDevice(plugin.runtime, 0, &device_) != NXS_Success) std::exit(3);
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
