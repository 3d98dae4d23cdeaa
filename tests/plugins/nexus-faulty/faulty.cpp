// SPDX-License-Identifier: Apache-2.0
// The reference backend, whose functions fail on demand. Each function of the list is wrapped,
// so a new one is covered without a word here.
#define nxsQueryPlugin nxsQueryReference
#include "../nexus-reference/nexus_reference.cpp"
#undef nxsQueryPlugin

#include <chrono>
#include <thread>
#include <tuple>

#include "broken.hpp"
#include "faults.hpp"

#ifndef FAULTY_NAME  // the backend's name, so that there can be two of it
#define FAULTY_NAME "faulty"
#endif

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin);

namespace faulty NXS_HIDDEN {
namespace {

nxs_functions real;                    // what the reference backend answered
std::atomic<int64_t> live_objects{0};  // ids that were given and not released, but for commands
std::atomic<int64_t> paused_calls{0};  // those that wait for the gate

// ---- Work that fails, waits, or is slow ----

bool gate_is_open() {
  return !get_config("gate").empty();
}

void wait_for_gate() {
  while (!gate_is_open()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void pause_call() {
  ++paused_calls;
  wait_for_gate();
  --paused_calls;
}

// Puts work before what the call will submit. Where that is to fail, it does so when the call
// has submitted its own: that is what end says.
void submit_before(nxs_id stream, std::string_view function, const Fault &fault, SignalPtr end) {
  streams.pin(stream)->submit([=, name = std::string(function), end = std::move(end)] {
    switch (fault.kind) {
      case Fault::Kind::kHold:
        wait_for_gate();
        break;
      case Fault::Kind::kSlow:
        std::this_thread::sleep_for(std::chrono::milliseconds(fault.milliseconds));
        break;
      default:
        end->join();
        throw Error::with_native_code(-7, fault.status, "the work of nxs", name,
                                      " fails on demand");
    }
  });
}

// ---- The wrapped functions ----

#define NXS_FUNCTION(need, since, function, parameters)      \
  struct function {                                          \
    static constexpr std::string_view name = #function;      \
    static constexpr auto member = &nxs_functions::function; \
    using Pointer = nxs##function##_fn;                      \
  };
namespace functions {
#include <nexus-api/nxs_functions.def>
}  // namespace functions

template <class Function, class Pointer = typename Function::Pointer>
struct Wrapped;

template <class Function, class... Arguments>
struct Wrapped<Function, nxs_status (*)(Arguments...)> {
  using List = std::tuple<Arguments...>;
  static constexpr auto kLast = sizeof...(Arguments) - 1;
  static constexpr bool kSubmits = std::is_same_v<std::tuple_element_t<kLast, List>, nxs_ticket *>;

  static nxs_status call(Arguments... arguments) noexcept {
    Fault fault;
    const nxs_status status = guarded([&] {
      fault = faults().next(Function::name);
      if (fault.kind == Fault::Kind::kNow) throw error_of(fault);
      if (fault.kind == Fault::Kind::kPause) {
        pause_call();
        fault = {};
      }
      if (fault.kind != Fault::Kind::kNone && !kSubmits) {
        throw Error(NXS_InvalidValue, "faults asks for work of nxs", Function::name,
                    ", which submits none");
      }
      if (fault.kind == Fault::Kind::kBreak) {
        broken().add(stream_of(arguments...), make_failure(error_of(fault)));
      }
      if constexpr (kSubmits) broken().refuse(stream_of(arguments...));
    });
    if (status != NXS_Success) return status;
    return fault.kind == Fault::Kind::kNone ? forward(arguments...)
                                            : forward_after(fault, arguments...);
  }

 private:
  static Error error_of(const Fault &fault) {
    return Error::with_native_code(-7, fault.status, "nxs", Function::name, " fails on demand");
  }

  static nxs_status forward_after(const Fault &fault, Arguments... arguments) noexcept {
    SignalPtr end;
    const nxs_status status = guarded([&] {
      end = SignalPtr::make();
      submit_before(stream_of(arguments...), Function::name, fault, end);
    });
    if (status != NXS_Success) return status;
    const nxs_status result = forward(arguments...);
    end->set({});
    return result;
  }

  static nxs_status forward(Arguments... arguments) noexcept {
    const nxs_status status = (real.*Function::member)(arguments...);
    if (status == NXS_Success) count(arguments...);
    return status;
  }

  // The id of that type among the arguments.
  static nxs_id stream_of(Arguments... arguments) noexcept {
    nxs_id stream = 0;
    const auto look = [&](auto argument) {
      if constexpr (std::is_same_v<decltype(argument), nxs_id>) {
        if (NXS_ID_TYPE(argument) == NXS_ObjectType_Stream) stream = argument;
      }
    };
    (look(arguments), ...);
    return stream;
  }

  // Commands end with their schedules and are not counted; devices are not made.
  static void count(Arguments... arguments) noexcept {
    const List list(arguments...);
    if constexpr (std::is_same_v<std::tuple_element_t<kLast, List>, nxs_id *>) {
      const nxs_object_type type = NXS_ID_TYPE(*std::get<kLast>(list));
      if (type != NXS_ObjectType_Command && type != NXS_ObjectType_Device) ++live_objects;
    } else if constexpr (Function::name.starts_with("Release")) {
      broken().remove(std::get<0>(list));
      if (NXS_ID_TYPE(std::get<0>(list)) != NXS_ObjectType_Command) --live_objects;
    }
  }
};

// The runtime also answers LiveObjects and PausedCalls.
template <>
nxs_status Wrapped<functions::GetRuntimeProperty>::forward(nxs_id runtime, nxs_property property,
                                                           nxs_value *out_value) noexcept {
  static const nxs_property live = intern_property("LiveObjects");
  static const nxs_property paused = intern_property("PausedCalls");
  if (property != live && property != paused) {
    return real.GetRuntimeProperty(runtime, property, out_value);
  }
  return guarded([&] {
    const int64_t count = property == live ? live_objects.load() : paused_calls.load();
    Value(count).write(check_struct(out_value, "out_value"));
  });
}

// Ticket 0 also asks for the stream itself.
template <>
nxs_status Wrapped<functions::QueryStream>::forward(nxs_id stream, nxs_ticket ticket,
                                                    nxs_completion *out_completion) noexcept {
  const nxs_status status = real.QueryStream(stream, ticket, out_completion);
  if (status == NXS_Success && ticket == 0) broken().answer(stream, *out_completion);
  return status;
}

template <>
nxs_status Wrapped<functions::WaitStream>::forward(nxs_id stream, nxs_ticket ticket,
                                                   uint64_t timeout,
                                                   nxs_completion *out_completion) noexcept {
  const nxs_status status = real.WaitStream(stream, ticket, timeout, out_completion);
  if (status == NXS_Success && ticket == 0) broken().answer(stream, *out_completion);
  return status;
}

void wrap(nxs_functions &table) {
  real = table;
#define NXS_FUNCTION(need, since, function, parameters) \
  if (real.function != nullptr) table.function = &Wrapped<functions::function>::call;
#include <nexus-api/nxs_functions.def>
}

}  // namespace
}  // namespace faulty

extern "C" NXS_EXPORT nxs_status nxsQueryPlugin(const nxs_host *host, nxs_plugin *plugin) {
  const nxs_status status = nxsQueryReference(host, plugin);
  if (status == NXS_Success) {
    plugin->name = as_nxs(FAULTY_NAME);
    faulty::wrap(*plugin->functions);
  }
  return status;
}
