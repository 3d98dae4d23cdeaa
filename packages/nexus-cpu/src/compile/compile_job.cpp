// SPDX-License-Identifier: Apache-2.0
#include "compile/compile_job.hpp"

#include "compile/compile_environment.hpp"
#include "compile/source_lines.hpp"
#include "system/clock.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nexus-plugin/binary_check.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/host.hpp>
#include <nexus-plugin/json.hpp>
#include <utility>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::join;
using nexus_plugin::line_directive;
using nexus_plugin::valid_utf8;

constexpr const char *kCompileTimeoutVariable = "NEXUS_CPU_COMPILE_TIMEOUT";
constexpr std::size_t kMostWords = std::size_t{1} << 20;  // bytes of output of one step

void append_words(std::vector<std::string> &out, const std::vector<std::string> &more) {
  out.insert(out.end(), more.begin(), more.end());
}

void remove_all(std::string &text, const std::string &part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
    text.erase(at, part.size());
  }
}

// Returns the file name of a piece, such as "0-a.c.o", as the linker shows it.
std::string piece_file(std::size_t index, std::string_view name) {
  std::string file = join(index, "-", name.substr(name.rfind('/') + 1), ".o");
  for (char &c : file) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return file;
}

uint64_t nanoseconds(double seconds) {
  return static_cast<uint64_t>(seconds * 1e9);
}

}  // namespace

CompileJob::CompileJob(const CompileRequest &request, const CompilePlan &plan)
    : request_(request),
      plan_(plan),
      timeout_(nexus_plugin::compile_timeout(kCompileTimeoutVariable)),
      deadline_(now_ns() + nanoseconds(timeout_)) {}

bool CompileJob::compile() {
  write_source(line_directive(request_.name), request_.source);
  return request_.relocatable ? make_object(plan_.code_flags) : make_library();
}

bool CompileJob::link(const std::vector<nexus_plugin::LinkSettings::Piece> &pieces) {
  std::vector<std::string> arguments = plan_.for_both;
  append_words(arguments, plan_.link_flags);
  append_words(arguments, {"-o", in_folder("program.so")});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    arguments.push_back(in_folder(piece_file(i, pieces[i].name).c_str()));
    write_file(arguments.back(), pieces[i].code, {});
  }
  append_words(arguments, plan_.libraries);
  return step(std::move(arguments), "program.so");
}

bool CompileJob::takes_nothing() {
  write_source({}, {});
  return make_library();
}

bool CompileJob::takes_nothing(const std::vector<std::string> &flags) {
  write_source({}, {});
  return make_object(flags);
}

std::string CompileJob::read_file(const char *name) const {
  std::ifstream file(in_folder(name), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.empty()) fail(NXS_CompilerNotAvailable, "told of no error, and wrote no library");
  return bytes;
}

std::string CompileJob::read_library() const {
  std::string bytes = read_file("program.so");
  const std::string wrong = nexus_plugin::checkBinary("its library", bytes.data(), bytes.size());
  if (!wrong.empty()) fail(NXS_CompilerNotAvailable, "wrote no library: " + wrong);
  return bytes;
}

std::string CompileJob::read_object() const {
  return read_file("program.o");
}

std::string CompileJob::take_words() {
  return std::exchange(words_, {});
}

void CompileJob::write_source(std::string_view first_line, std::string_view source) const {
  write_file(in_folder("program"), first_line, std::string(source) + '\n');
}

void CompileJob::write_file(const std::string &path, std::string_view first,
                            std::string_view rest) const {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << first << rest;
  file.close();
  if (!file) {
    throw Error(NXS_OutOfResources, "the program's text can't be written to '", folder_.path(),
                "': ", std::strerror(errno),
                "; close files where there are too many, or set TMPDIR to a folder with room");
  }
}

void CompileJob::add_source(std::vector<std::string> &arguments) const {
  append_words(arguments, {"-x", request_.cxx ? "c++" : "c", in_folder("program")});
}

bool CompileJob::make_object(std::vector<std::string> arguments) {
  append_words(arguments, {"-c", "-o", in_folder("program.o")});
  add_source(arguments);
  return step(std::move(arguments), "program.o");
}

bool CompileJob::make_library() {
  std::vector<std::string> arguments = plan_.code_flags;
  if (!plan_.one_step) {
    if (!make_object(plan_.code_flags)) return false;
    arguments = plan_.for_both;
  }
  append_words(arguments, plan_.link_flags);
  append_words(arguments, {"-o", in_folder("program.so")});
  if (plan_.one_step) {
    add_source(arguments);
  } else {
    arguments.push_back(in_folder("program.o"));
  }
  append_words(arguments, plan_.libraries);
  return step(std::move(arguments), "program.so");
}

// Runs the compiler once. Returns false if it refuses the program; throws if it does not work.
bool CompileJob::step(std::vector<std::string> arguments, const char *output) {
  const uint64_t now = now_ns();
  ChildRequest child{
      plan_.compiler.command, compile_environment(plan_.compiler.kind, folder_.path()),
      deadline_ > now ? deadline_ - now : 0, kMostWords, nexus_plugin::is_interrupted};
  append_words(child.command, arguments);
  const ChildResult result = run_child(child);
  keep_words(result);
  switch (result.end) {
    case ChildEnd::exited:
      return result.number == 0;
    case ChildEnd::unknown:
      return access(in_folder(output).c_str(), F_OK) == 0;
    case ChildEnd::timed_out:
      fail(NXS_CompilerNotAvailable,
           join("did not end within ", timeout_, " s and was ended; set ", kCompileTimeoutVariable,
                " to more seconds where it needs them"));
    case ChildEnd::interrupted:
      fail(NXS_Cancelled, "was interrupted");
    case ChildEnd::killed:
      fail(NXS_CompilerNotAvailable,
           join("died of signal ", result.number, " (", strsignal(result.number), ")"));
    case ChildEnd::not_started:
      break;
  }
  if (result.number == E2BIG) {
    fail(NXS_InvalidCompilerOptions,
         "could not be started: its defines and options are longer than the system takes");
  }
  if (result.number == EAGAIN || result.number == ENOMEM || result.number == EMFILE ||
      result.number == ENFILE) {
    fail(NXS_OutOfResources, join("could not be started: ", std::strerror(result.number),
                                  "; end other programs, or raise the limits of this one"));
  }
  fail(NXS_CompilerNotAvailable, join("could not be started: ", std::strerror(result.number),
                                      "; set CC to the path of a compiler"));
}

void CompileJob::keep_words(const ChildResult &result) {
  std::string said = valid_utf8(result.output);
  remove_all(said, folder_.path() + "/");
  const CompilerKind kind = plan_.compiler.kind;
  const bool shows_lines = kind == CompilerKind::clang || kind == CompilerKind::zig;
  words_ +=
      said.empty() || shows_lines ? said : with_source_lines(said, request_.name, request_.source);
  if (result.output_cut) {
    words_ += join("\n... cut here: the compiler wrote more than ", kMostWords, " bytes\n");
  }
}

void CompileJob::fail(nxs_status status, const std::string &what) const {
  std::string command;
  for (const std::string &word : plan_.compiler.command) {
    command += (command.empty() ? "" : " ") + word;
  }
  throw Error(status, "the compiler ", plan_.compiler.name, " (", command, ") ", what);
}

}  // namespace nexus_cpu
