// SPDX-License-Identifier: Apache-2.0
//
// Calls the plug-in nexus-cpu through the C-API: a host that is not libnexus, and short
// forms of the C functions. NEXUS_CPU_PLUGIN names the plug-in, and
// NEXUS_CPU_KERNELS the folder of the kernel libraries.
#pragma once

#include "../abi/fake_host.hpp"
#include "../abi/loaded_plugin.hpp"
#include "../unit/check.hpp"

#include <nexus-api/nxs_functions.h>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cpu {

// ---- The host ---------------------------------------------------------

using Host = FakeHost<0>;

inline std::string error_text(uint64_t error) {
  return Host::error(error);
}

// Returns the message of the latest call on this thread that failed.
inline std::string latest() {
  return Host::last_error();
}

inline const nxs_host &host() {
  static const nxs_host services = [] {
    nxs_host made = Host::make();
    made.log = [](uint32_t, nxs_log_level, const nxs_string *text) {
      std::fprintf(stderr, "log: %.*s\n", static_cast<int>(text->size), text->data);
    };
    // As in libnexus: the environment's NEXUS_CPU_THREADS is the key "threads".
    made.get_config = [](uint32_t, const nxs_string *key, nxs_string *out_value) {
      std::string name = "NEXUS_CPU_";
      for (uint64_t i = 0; i < key->size; ++i) {
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(key->data[i])));
      }
      const char *text = std::getenv(name.c_str());
      *out_value = {text, text == nullptr ? 0 : std::strlen(text)};
    };
    return made;
  }();
  return services;
}

// ---- The plug-in ------------------------------------------------------

inline std::string &kernel_folder() {
  static std::string folder;
  return folder;
}

inline nxs_functions &table() {
  static nxs_functions functions{};
  return functions;
}

inline nxs_id &device() {
  static nxs_id id = 0;
  return id;
}

[[noreturn]] inline void give_up(const std::string &text) {
  LoadedPlugin::stop(text.c_str());
}

// Ends the program if a call fails.
inline void must(nxs_status status) {
  if (status != NXS_Success)
    give_up("unexpected status " + std::to_string(status) + ": " + latest());
}

inline std::string setting(const char *name) {
  const char *value = std::getenv(name);
  if (value == nullptr) give_up(std::string(name) + " is not set");
  return value;
}

// Loads the plug-in and returns its runtime.
inline nxs_id load() {
  kernel_folder() = setting("NEXUS_CPU_KERNELS");
  const LoadedPlugin loaded(setting("NEXUS_CPU_PLUGIN").c_str(), RTLD_LOCAL, host());
  table() = loaded.functions;
  must(table().GetDevice(loaded.plugin.runtime, 0, &device()));
  return loaded.plugin.runtime;
}

// ---- Objects ----------------------------------------------------------

inline constexpr uint64_t kLong =
    UINT64_C(60) * 1000 * 1000 * 1000;  // a test that waits so long hangs

// Words as the argument of a call.
class text {
 public:
  explicit text(std::string_view words) : string_{words.data(), words.size()} {}
  operator const nxs_string *() const { return &string_; }

 private:
  nxs_string string_;
};

inline nxs_id new_stream() {
  nxs_id id = 0;
  must(table().CreateStream(device(), 0, &id));
  return id;
}

inline nxs_completion wait(nxs_id stream, nxs_ticket ticket = 0, uint64_t timeout = kLong) {
  nxs_completion done{};
  done.struct_size = sizeof(done);
  must(table().WaitStream(stream, ticket, timeout, &done));
  return done;
}

inline nxs_id library(const std::string &file) {
  nxs_id id = 0;
  const std::string path = kernel_folder() + "/" + file;
  must(table().CreateLibraryFromFile(device(), text(path), &id));
  return id;
}

inline nxs_id kernel(nxs_id library, const char *name) {
  nxs_id id = 0;
  must(table().GetKernel(library, text(name), &id));
  return id;
}

inline nxs_id range_kernel(const char *name) {
  static const nxs_id from = library("range_kernels.so");
  return kernel(from, name);
}

inline nxs_id plain_kernel(const char *name) {
  static const nxs_id from = library("plain_kernels.so");
  return kernel(from, name);
}

inline nxs_id barrier_kernel(const char *name) {
  static const nxs_id from = library("barrier_kernels.so");
  return kernel(from, name);
}

// A buffer whose memory the test reads and writes itself.
template <typename T>
struct Shared {
  explicit Shared(std::size_t count, T value = T()) : host(count, value) {
    must(table().CreateBuffer(device(), count * sizeof(T), NXS_BufferSettings_Maintain, host.data(),
                              &id));
  }
  ~Shared() { must(table().ReleaseBuffer(id)); }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;

  std::vector<T> host;
  nxs_id id = 0;
};

inline nxs_argument buffer_argument(nxs_id buffer, uint64_t size, uint64_t offset = 0) {
  nxs_argument made{};
  made.struct_size = sizeof(made);
  made.kind = NXS_ArgumentKind_Buffer;
  made.buffer = buffer;
  made.offset = offset;
  made.size = size;
  return made;
}

template <typename T>
nxs_argument argument(const Shared<T> &buffer) {
  return buffer_argument(buffer.id, buffer.host.size() * sizeof(T));
}

// value lives until the argument is set.
template <typename T>
nxs_argument scalar(const T &value, nxs_data_type type = NXS_DataType_Undefined) {
  nxs_argument made{};
  made.struct_size = sizeof(made);
  made.kind = NXS_ArgumentKind_Scalar;
  made.data_type = type;
  made.data = &value;
  made.size = sizeof(value);
  return made;
}

inline nxs_argument local_memory(uint64_t size) {
  nxs_argument made{};
  made.struct_size = sizeof(made);
  made.kind = NXS_ArgumentKind_LocalMemory;
  made.size = size;
  return made;
}

struct Size {
  uint64_t x = 1, y = 1, z = 1;
};

// group {0, 0, 0}: the backend chooses.
inline nxs_launch launch(Size grid, Size group = {0, 0, 0}, uint64_t memory = 0) {
  nxs_launch made{};
  made.struct_size = sizeof(made);
  const uint64_t grids[3] = {grid.x, grid.y, grid.z};
  const uint64_t groups[3] = {group.x, group.y, group.z};
  for (int d = 0; d < 3; ++d) {
    made.grid_size[d] = grids[d];
    made.group_size[d] = groups[d];
    made.group_count[d] = groups[d] == 0 ? 0 : (grids[d] + groups[d] - 1) / groups[d];
  }
  made.local_memory = memory;
  return made;
}

struct Schedule {
  Schedule() { must(table().CreateSchedule(device(), &id)); }
  ~Schedule() { must(table().ReleaseSchedule(id)); }
  Schedule(const Schedule &) = delete;
  Schedule &operator=(const Schedule &) = delete;

  // A finalized command.
  nxs_id add(nxs_id kernel, const std::vector<nxs_argument> &arguments, const nxs_launch &size) {
    nxs_id command = 0;
    must(table().CreateCommand(id, kernel, &command));
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      must(table().SetCommandArgument(command, i, &arguments[i]));
    }
    must(table().FinalizeCommand(command, &size));
    return command;
  }

  nxs_ticket run(nxs_id stream, nxs_execution_settings settings = 0) const {
    nxs_ticket ticket = 0;
    must(table().RunSchedule(id, stream, settings, &ticket));
    return ticket;
  }
  nxs_ticket start(nxs_id stream) const { return run(stream, NXS_ExecutionSettings_NonBlocking); }

  // Runs it and waits.
  nxs_completion complete(nxs_id stream) const { return wait(stream, run(stream)); }

  nxs_id id = 0;
};

// Keeps a stream busy until open(), with a kernel that waits.
class Gate {
 public:
  explicit Gate(nxs_id stream) : stream_(stream), closed_(1) {
    schedule_.add(range_kernel("wait_for_gate"), {argument(closed_)}, launch({1}, {1}));
    ticket_ = schedule_.start(stream);
  }
  ~Gate() {
    open();
    wait(stream_, ticket_);
  }
  void open() { __atomic_store_n(closed_.host.data(), 1, __ATOMIC_RELEASE); }

 private:
  nxs_id stream_;
  nxs_ticket ticket_ = 0;
  Shared<int> closed_;
  Schedule schedule_;
};

using GetProperty = nxs_status (*)(nxs_id, nxs_property, nxs_value *);
inline std::string text_property(GetProperty get, nxs_id id, nxs_property key) {
  std::string text(1 << 16, '\0');
  nxs_value value{};
  value.struct_size = sizeof(value);
  value.data = text.data();
  value.capacity = text.size();
  must(get(id, key, &value));
  text.resize(value.size);
  return text;
}

inline bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Checks the status of the failed work, and that its message has each of the words.
inline void check_failed(const nxs_completion &done, nxs_status status,
                         std::initializer_list<std::string_view> words) {
  CHECK_EQUAL(NXS_CompletionState_Failed, done.state);
  CHECK_EQUAL(status, done.status);
  const std::string text = error_text(done.error);
  for (const std::string_view word : words) {
    if (!contains(text, word)) check::fail(__FILE__, __LINE__, text);
  }
}

}  // namespace cpu
