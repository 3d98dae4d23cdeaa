// SPDX-License-Identifier: Apache-2.0
//
// Reads a file of JSON texts, each a line with its length and then its bytes, and
// writes for each one line: "ok" and the text written again, or "error", the line and
// column, and why.
#include <fstream>
#include <iostream>
#include <string>

#include "json/json.hpp"

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: json_tool FILE\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  for (std::string length; std::getline(file, length);) {
    std::string text(std::stoul(length), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    try {
      const std::string again = nexus::core::json::write(nexus::core::json::parse(text));
      std::cout << "ok " << again << "\n";
    } catch (const nexus::core::json::ParseError &error) {
      std::cout << "error " << error.offset() << " " << error.what() << "\n";
    }
  }
  return 0;
}
