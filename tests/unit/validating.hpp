// SPDX-License-Identifier: Apache-2.0
//
// Objects of a plug-in that does nothing, under the layer `validate`, and what the layer tells.
#pragma once

#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <set>
#include <string>

#include "base/log.hpp"
#include "check.hpp"
#include "fake_plugin.hpp"
#include "host/stubs.hpp"
#include "registry/layers.hpp"

namespace validating {

using namespace nexus::core;
using fake::answers;

inline std::set<std::string> told;   // the ids of the messages of warnings and errors
inline std::set<std::string> noted;  // of those that are information only

inline void take(void *, nxs_log_level level, nxs_string, nxs_string text) {
  const std::string line(text.data, text.size);
  (level >= NXS_LogLevel_Warning ? told : noted).insert(line.substr(0, line.find(':')));
}

inline const bool prepared = [] {
  setenv("NEXUS_LAYERS", "validate", 1);
  setenv("NEXUS_LOG", "info", 1);
  nexus_set_log(take, nullptr);
  return true;
}();

inline uint32_t next_tag = 100;

// A table to change, which lives as long as the process.
inline nxs_functions &ownTable() {
  static auto &tables = *new std::deque<nxs_functions>;
  return tables.emplace_back(fake::table());
}

// Objects of a plug-in of its own, under the layer.
struct Bench {
  explicit Bench(uint64_t capabilities = NXS_Capability_ArgumentInfo) : tag(next_tag++) {
    static_cast<void>(prepared);
    answers = {};
    told.clear();
    noted.clear();
    nxs_functions &own = ownTable();
    layers::noteClaims(tag, capabilities, own);
    fillStubs(own);
    t = layers::stack(tag, NXS_ThreadModel_Free, &own);
    t->GetDevice(NXS_ID_MAKE(NXS_ObjectType_Runtime, tag, 1, 0), 0, &device);
    buffer = makeBuffer();
    t->CreateStream(device, 0, &stream);
    t->CreateStream(device, 0, &other);
    t->CreateEvent(device, 0, &event);
    t->CreateSchedule(device, &schedule);
    t->CreateLibrary(device, "code", 4, &library);
    const nxs_string name{"scale", 5};
    t->GetKernel(library, &name, &kernel);
  }

  // Objects of a later test at the same addresses count as unused.
  ~Bench() {
    answers = {};
    t->ReleaseStream(stream);
    t->ReleaseStream(other);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  nxs_id makeBuffer(uint64_t size = 1024, nxs_buffer_settings settings = 0) {
    nxs_id made = 0;
    t->CreateBuffer(device, size, settings, nullptr, &made);
    return made;
  }

  nxs_buffer_range range(uint64_t offset = 0, uint64_t size = 1024) const {
    return {sizeof(nxs_buffer_range), buffer, offset, size};
  }

  nxs_status fill(nxs_id in, nxs_buffer_range where) {
    return t->FillBuffer(in, &where, "\0\0\0\0", 4, &ticket);
  }

  nxs_id command() {
    nxs_id made = 0;
    t->CreateCommand(schedule, kernel, &made);
    return made;
  }

  nxs_status setBuffer(nxs_id command, uint64_t offset = 0) {
    const nxs_argument argument{
        sizeof(argument), NXS_ArgumentKind_Buffer, 0, buffer, offset, nullptr, 512};
    return t->SetCommandArgument(command, 0, &argument);
  }

  nxs_status setScalar(nxs_id command, uint32_t index = 1, uint64_t size = 4) {
    const nxs_argument argument{
        sizeof(argument), NXS_ArgumentKind_Scalar, 0, 0, 0, "12345678", size};
    return t->SetCommandArgument(command, index, &argument);
  }

  nxs_status finalize(nxs_id command, uint64_t group = 8, uint64_t local = 0) {
    const nxs_launch launch{sizeof(launch), {group, 1, 1}, {64, 1, 1}, {8, 1, 1}, local, 0, {}};
    return t->FinalizeCommand(command, &launch);
  }

  // A schedule with one kernel command, ready to run.
  void record(uint64_t group = 8, uint64_t local = 0) {
    const nxs_id made = command();
    setBuffer(made);
    setScalar(made);
    finalize(made, group, local);
  }

  nxs_status run(nxs_id in) { return t->RunSchedule(schedule, in, 0, &ticket); }

  nxs_status query(nxs_id in, nxs_ticket asked) {
    completion = {};
    completion.struct_size = sizeof(completion);
    return t->QueryStream(in, asked, &completion);
  }

  uint32_t tag;
  const nxs_functions *t = nullptr;
  nxs_id device = 0, buffer = 0, stream = 0, other = 0, event = 0, schedule = 0, library = 0,
         kernel = 0;
  nxs_ticket ticket = 0;
  nxs_completion completion{};
};

inline std::string only(const std::set<std::string> &ids) {
  return ids.size() == 1
             ? *ids.begin()
             : std::to_string(ids.size()) + " ids" + (ids.empty() ? "" : ", first " + *ids.begin());
}

// A mistake, and the message about it.
struct Mistake {
  const char *id;
  void (*make)(Bench &bench);
};

#define CHECK_TOLD(id) CHECK_EQUAL(std::string(id), validating::only(validating::told))
#define CHECK_SILENT() CHECK_EQUAL(std::string("0 ids"), validating::only(validating::told))

// That each mistake, in a program of its own, has its message and no other.
inline void checkEachIsTold(std::initializer_list<Mistake> mistakes) {
  for (const Mistake &each : mistakes) {
    Bench bench;
    each.make(bench);
    CHECK_TOLD(each.id);
  }
}

// That programs without a mistake have no message.
inline void checkNoneIsTold(std::initializer_list<void (*)(Bench &bench)> programs) {
  for (const auto program : programs) {
    Bench bench;
    program(bench);
    CHECK_SILENT();
  }
}

}  // namespace validating
