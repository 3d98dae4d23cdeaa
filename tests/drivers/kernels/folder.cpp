// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <stdlib.h>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace simulated_kernels {
namespace {

std::string quoted(const std::string &word) {
  std::string text = "'";
  for (const char each : word) text += each == '\'' ? "'\\''" : std::string(1, each);
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

Ran run(const std::string &program, const std::vector<std::string> &arguments) {
  std::string command = "exec " + program;
  for (const std::string &each : arguments) command += " " + quoted(each);
  command += " 2>&1 </dev/null";
  FILE *const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return {false, "can't start /bin/sh"};
  std::string output;
  char some[4096];
  for (size_t count; (count = std::fread(some, 1, sizeof(some), pipe)) != 0;) {
    output.append(some, count);
  }
  return {pclose(pipe) == 0, output};
}

}  // namespace simulated_kernels
