// SPDX-License-Identifier: Apache-2.0
//
// A main for a fuzz target without a fuzzer: replays the files of a folder, then changed ones,
// which are the same in each process of the same arguments.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr const char *kUsage =
    "usage: fuzz-json FOLDER|FILE [--runs N] [--seconds N] [--seed N]\n"
    "Replays the files, then changed ones: N of them, or for N seconds.\n"
    "What an input ended the process with is written to fuzz-input in the working folder.\n";
constexpr std::size_t kLargest = 1 << 14;

constexpr const char *kTokens[] = {"{",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   ":",
                                   "\"",
                                   "\\u",
                                   "\\ud800\\udc00",
                                   "null",
                                   "true",
                                   "-0.0",
                                   "1e308",
                                   "9223372036854775808",
                                   "\"Name\":\"x\"",
                                   "\"Variants\":[{\"Name\":\"x\"}]",
                                   "\"Sources\":[",
                                   "\"Values\":[\"Variants/x/Count\"]",
                                   "\"MemorySubsystem\":{\"MemoryTypes\":[{\"Name\":\"L1\"",
                                   "\xff",
                                   "\n"};

std::string current;  // the input that runs

void writeCurrent() {
  std::ofstream("fuzz-input", std::ios::binary) << current;
}

void onAbort(int) {
  writeCurrent();
  std::_Exit(1);
}

void runOne(const std::string &input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(current.data()), current.size());
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  /// The next input: one of the corpus with up to eight changes.
  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
      change(input);
    }
    input.resize(std::min(input.size(), kLargest));
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void change(std::string &input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = std::min(input.size() - at, 1 + below(16));
    switch (below(6)) {
      case 0:
        if (length > 0) input[at] = static_cast<char>(random_());
        break;
      case 1:
        input.erase(at, length);
        break;
      case 2:
        input.insert(at, kTokens[below(std::size(kTokens))]);
        break;
      case 3:
        input.insert(below(input.size() + 1), input.substr(at, length * 4));
        break;
      case 4:
        if (length > 0) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      default: {
        const std::string &other = corpus_[below(corpus_.size())];
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

std::vector<std::string> readAll(const std::filesystem::path &place) {
  std::vector<std::filesystem::path> paths{place};
  if (std::filesystem::is_directory(place)) {
    paths.assign(std::filesystem::directory_iterator(place), {});
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const std::filesystem::path &path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

struct Arguments {
  std::string place;
  uint64_t runs = 0;
  uint64_t seconds = 0;
  uint64_t seed = 1;
};

bool readArguments(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    uint64_t *number = word == "--runs"      ? &arguments.runs
                       : word == "--seconds" ? &arguments.seconds
                       : word == "--seed"    ? &arguments.seed
                                             : nullptr;
    if (number != nullptr && i + 1 < argc) {
      *number = std::strtoull(argv[++i], nullptr, 10);
    } else if (arguments.place.empty() && !word.starts_with("--")) {
      arguments.place = word;
    } else {
      return false;
    }
  }
  return !arguments.place.empty();
}

}  // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!readArguments(argc, argv, arguments)) {
    std::cerr << kUsage;
    return 2;
  }
  std::signal(SIGABRT, onAbort);
  std::signal(SIGSEGV, onAbort);
  if (&__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(writeCurrent);
  }
  const std::vector<std::string> corpus = readAll(arguments.place);
  if (corpus.empty()) {
    std::cerr << "fuzz-json: there is no file in " << arguments.place << "\n";
    return 2;
  }
  for (const std::string &input : corpus) {
    runOne(input);
  }
  Mutator mutator(corpus, arguments.seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(arguments.seconds);
  uint64_t runs = 0;
  while (runs < arguments.runs || std::chrono::steady_clock::now() < end) {
    runOne(mutator.next());
    ++runs;
  }
  std::cout << corpus.size() << " files and " << runs << " changed ones\n";
  return 0;
}
