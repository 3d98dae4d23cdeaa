// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char **environ;

namespace simulated_kernels {
namespace {

std::string quoted(const std::string &word) {
  std::string text = "'";
  for (const char each : word) {
    if (each == '\'') {
      text += "'\\''";
    } else {
      text += each;
    }
  }
  return text + "'";
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "simulated-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path &path, const std::string &bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file) throw std::runtime_error("can't write " + path.string());
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

Ran run(const std::string &program, const std::vector<std::string> &arguments,
        const Folder &folder) {
  const std::filesystem::path output = folder / "output";
  std::string command = "exec " + program;
  for (const std::string &each : arguments) command += " " + quoted(each);
  command += " >" + quoted(output.string()) + " 2>&1 </dev/null";
  std::string shell = "sh", option = "-c";
  char *const words[] = {shell.data(), option.data(), command.data(), nullptr};
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, words, environ) != 0) {
    return {false, "can't start /bin/sh"};
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, read_file(output)};
}

}  // namespace simulated_kernels
