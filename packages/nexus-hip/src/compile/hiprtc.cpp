// SPDX-License-Identifier: Apache-2.0
#include "compile/hiprtc.hpp"

#include <dlfcn.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <nexus-plugin/base/host.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/compile/child_process.hpp>
#include <nexus-plugin/kernel/name_table.hpp>
#include <sstream>
#include <utility>

namespace nexus_hip NXS_HIDDEN {
namespace {

using nexus_plugin::ChildEnd;
using nexus_plugin::ChildResult;
using nexus_plugin::Error;
using nexus_plugin::join;

constexpr const char *kTimeoutVariable = "NEXUS_HIP_COMPILE_TIMEOUT";
constexpr const char *kHowToGet =
    "; install ROCm's hipRTC, or set NEXUS_HIP_HIPRTC to the path of libhiprtc.so";

enum HiprtcResult : int {  // of hiprtc.h
  kOutOfMemory = 1,
  kInvalidOption = 5,
  kCompilation = 6,
};

// ---- Our program -------------------------------------------------------

// What the loader is asked for, parted by ':'. Before HIP 5.3, hipRTC is a part of the runtime.
std::string library_names() {
  const std::string named(nexus_plugin::get_config("hiprtc"));
  if (!named.empty()) return named;
  const std::string driver(nexus_plugin::get_config("driver"));
  const std::size_t folder = driver.rfind('/');
  std::string names;
  if (folder != std::string::npos) names = driver.substr(0, folder) + "/libhiprtc.so:";
  for (const char *library : {"libhiprtc.so", "libamdhip64.so"}) {
    for (const char *version : {"", ".7", ".6", ".5"}) names += join(library, version, ":");
    if (library == std::string_view("libhiprtc.so")) names += "/opt/rocm/lib/libhiprtc.so:";
  }
  return driver.empty() ? names : names + driver;
}

// It lies beside the plug-in.
std::string process_path() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void *>(&process_path), &found) == 0) return "hiprtc_process";
  return (std::filesystem::path(found.dli_fname).parent_path() / "hiprtc_process").string();
}

// Runs it to its end, with a folder for its temporary files. title: of hipRTC, for errors.
ChildResult run_process(const std::vector<std::string> &arguments, const std::string &folder,
                        const std::string &title) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kMostWords = std::size_t{1} << 16;  // bytes
  const double timeout = nexus_plugin::compile_timeout(kTimeoutVariable);
  nexus_plugin::ChildRequest request{{process_path(), library_names()},
                                     {"TMPDIR=" + folder},
                                     Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                        std::chrono::duration<double>(timeout)),
                                     kMostWords,
                                     nexus_plugin::is_interrupted};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  ChildResult result = nexus_plugin::run_child(request);
  result.output = nexus_plugin::valid_utf8(result.output);
  if (result.end == ChildEnd::killed) return result;
  nexus_plugin::check_child_end(result, title, timeout, kTimeoutVariable);
  if (result.end == ChildEnd::not_started) {
    throw Error(NXS_CompilerNotAvailable, "'", request.command.front(),
                "', which runs hipRTC, could not be started: ", std::strerror(result.number),
                "; install nexus-hip again");
  }
  return result;
}

// ---- Where hipRTC is ---------------------------------------------------

struct HiprtcPlace {
  std::string title;     // "hipRTC (libhiprtc.so.6.2.60204)"
  std::string identity;  // changes when the compiler does
};

// The rest of the line that begins with a word; empty if there is none.
std::string line_after(const std::string &text, const std::string &word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(word)) return line.substr(word.size());
  }
  return {};
}

std::string real_path(const std::string &path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

HiprtcPlace look_for_hiprtc() {
  const nexus_plugin::PrivateFolder folder;
  const ChildResult found = run_process({}, folder.path(), "the search for hipRTC");
  const std::string library = line_after(found.output, "hiprtc: ");
  if (library.empty()) {
    throw Error(NXS_CompilerNotAvailable,
                "there is no hipRTC here: ", found.output.substr(0, found.output.find('\n')),
                kHowToGet);
  }
  const std::string path = real_path(library), comgr = line_after(found.output, "comgr: ");
  const std::string title = join("hipRTC (", std::filesystem::path(path).filename().string(), ")");
  return {title, join(title, ": ", nexus_plugin::file_identity(path), " with ",
                      nexus_plugin::file_identity(real_path(comgr)))};
}

HiprtcPlace find_hiprtc() {
  static std::mutex &mutex = *new std::mutex;
  static auto &known = *new std::map<std::string, HiprtcPlace>;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string names = library_names();
  const auto found = known.find(names);
  return found != known.end() ? found->second : known[names] = look_for_hiprtc();
}

// ---- A compilation -----------------------------------------------------

// Without optimization each kernel would ask for what printf needs (refuse_host_calls), so the
// least is 1.
std::vector<std::string> flags_of(const CompileRequest &request) {
  std::vector<std::string> flags = {"--offload-arch=" + request.target.name(),
                                    "-std=" + request.standard,
                                    join("-O", std::max(1, request.optimization))};
  if (request.fast_math) flags.emplace_back("-ffast-math");
  if (request.debug) flags.emplace_back("-g");
  if (request.line_info) flags.emplace_back("-gline-tables-only");
  for (const std::string &define : request.defines) flags.push_back("-D" + define);
  for (const std::string &path : request.include_paths) flags.push_back("-I" + path);
  flags.insert(flags.end(), request.extra_flags.begin(), request.extra_flags.end());
  return flags;
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_source(const std::string &folder, const CompileRequest &request) {
  std::ofstream file(folder + "/source", std::ios::binary);
  file << nexus_plugin::line_directive(request.name) << request.source;
  file.close();
  if (!file) {
    throw Error(NXS_OutOfResources, "the program's text can't be written to '", folder,
                "'; set TMPDIR to a folder with free space");
  }
}

// Throws if the process ended without a result.
void check_process(const ChildResult &ended, bool has_result, const CompileRequest &request,
                   const std::string &title) {
  if (has_result) return;
  const std::string how =
      ended.end == ChildEnd::killed
          ? join("died of signal ", ended.number, " (", strsignal(ended.number), ")")
          : join("ended its process with ", ended.number);
  std::string words = nexus_plugin::words_for_error(ended.output);
  words.pop_back();  // the line's end
  throw Error(NXS_CompilerNotAvailable, title, " ", how, " when it compiled '", request.name,
              "' for ", request.target.name(), "; it may be older than that architecture: install ",
              "a newer ROCm, or leave options out. It said:\n", words);
}

void check_result(int result, const std::string &function, const CompileRequest &request,
                  const std::string &title, const std::string &log,
                  const std::vector<std::string> &flags) {
  switch (result) {
    case 0:
      return;
    case kCompilation:
      if (log.find("error: unknown argument: '") != log.npos) {
        throw nexus_plugin::options_failure(result, title, log, flags);
      }
      throw nexus_plugin::compile_failure(result, request.name, title, log, flags);
    case kInvalidOption:
      throw nexus_plugin::options_failure(result, title, log, flags);
    case kOutOfMemory:
      throw Error::with_native_code(result, NXS_OutOfHostMemory, title, " has no memory left for '",
                                    request.name, "'");
    default:
      throw Error::with_native_code(result, NXS_CompilerNotAvailable, title, " failed on '",
                                    request.name, "': ", function, " returned ", result,
                                    " (hiprtcResult):\n", nexus_plugin::words_for_error(log));
  }
}

nexus_plugin::NameTable read_names(const std::string &folder, const CompileRequest &request) {
  nexus_plugin::NameTable names;
  std::ifstream file(folder + "/names");
  for (const std::string &expression : request.name_expressions) {
    std::string symbol;
    if (std::getline(file, symbol)) names.insert_or_assign(expression, symbol);
  }
  return names;
}

}  // namespace

std::string hiprtc_title() {
  try {
    return find_hiprtc().title;
  } catch (const Error &) {
    return {};
  }
}

nexus_plugin::CompileDescription describe_hiprtc(const CompileRequest &request) {
  const HiprtcPlace place = find_hiprtc();
  return {place.title, nexus_plugin::valid_utf8(place.identity), request.target.name(),
          flags_of(request), "hsaco"};
}

void compile_with_hiprtc(const CompileRequest &request, const nxs_sink &code, const nxs_sink &log) {
  const std::string title = find_hiprtc().title;
  const nexus_plugin::PrivateFolder folder;
  const std::vector<std::string> flags = flags_of(request);
  write_source(folder.path(), request);
  std::vector<std::string> arguments = {folder.path(), request.name,
                                        std::to_string(request.name_expressions.size())};
  arguments.insert(arguments.end(), request.name_expressions.begin(),
                   request.name_expressions.end());
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const ChildResult ended = run_process(arguments, folder.path(), title);
  std::istringstream told(read_file(folder.path() + "/result"));
  int result = 0;
  std::string function;
  check_process(ended, static_cast<bool>(told >> result), request, title);
  told >> function;
  std::string words = nexus_plugin::valid_utf8(read_file(folder.path() + "/log"));
  words.resize(std::min(words.find('\0'), words.size()));
  nexus_plugin::write_to(log, words);
  check_result(result, function, request, title, words, flags);
  nexus_plugin::write_to(code, nexus_plugin::with_names(read_file(folder.path() + "/code"),
                                                        read_names(folder.path(), request)));
}

}  // namespace nexus_hip
