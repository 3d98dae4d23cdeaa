// SPDX-License-Identifier: Apache-2.0
//
// A linker for the simulated driver, with the functions of nvJitLink. Names and numbers are those
// of "nvJitLink", the user guide of CUDA 12.9. It takes cubins, PTX and LTO-IR of the simulated
// NVRTC.
#include "../kernels/cubin.hpp"
#include "../kernels/host_compiler.hpp"
#include "../kernels/planned_failure.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

// At the beginning of a function: it fails on demand.
#define FAIL_ON_DEMAND                                                                    \
  if (const int planned =                                                                 \
          simulated_kernels::planned_failure("NEXUS_SIMULATED_NVJITLINK_FAIL", __func__)) \
  return static_cast<nvJitLinkResult>(planned)
#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

enum nvJitLinkResult : int32_t {
  NVJITLINK_SUCCESS = 0,
  NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
  NVJITLINK_ERROR_MISSING_ARCH = 2,
  NVJITLINK_ERROR_INVALID_INPUT = 3,
  NVJITLINK_ERROR_INTERNAL = 6,
  NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
  NVJITLINK_ERROR_NULL_INPUT = 10,
};

enum nvJitLinkInputType : int32_t {
  NVJITLINK_INPUT_CUBIN = 1,
  NVJITLINK_INPUT_PTX = 2,
  NVJITLINK_INPUT_LTOIR = 3,
  NVJITLINK_INPUT_ANY = 10,
};

struct nvJitLink {
  int architecture = 0;
  bool ptx = false;
  std::vector<std::string> objects;
  std::string cubin, ptx_text, errors, infos;
};
using nvJitLinkHandle = nvJitLink *;

namespace {

constexpr unsigned kMajor = 12, kMinor = 9;
std::atomic<int> live_links{0};
constexpr int kPtxVersion = 88;

// False where the option is none.
bool take(nvJitLink &link, const std::string &option) {
  const std::string architecture = "-arch=sm_";
  if (option.starts_with(architecture)) {
    link.architecture = std::atoi(option.c_str() + architecture.size());
    return true;
  }
  if (option == "-ptx") link.ptx = true;
  for (const char *known : {"-lto", "-ptx", "-g", "-lineinfo", "-O",
                            "-ftz=", "-prec-div=", "-prec-sqrt=", "-fma=", "-maxrregcount="}) {
    if (option.starts_with(known)) return true;
  }
  return false;
}

nvJitLinkResult complete(nvJitLink &link) {
  const simulated_kernels::Compiled linked = simulated_kernels::link(link.objects);
  if (!linked.well) {
    link.errors += "error   : " + linked.log + "\n";
    return NVJITLINK_ERROR_INTERNAL;
  }
  const simulated_kernels::Code code{linked.object, linked.kernels, link.architecture, false};
  if (link.ptx) {
    link.ptx_text = simulated_kernels::ptx_of(code, kPtxVersion);
  } else {
    link.cubin = simulated_kernels::cubin_of(code);
  }
  return NVJITLINK_SUCCESS;
}

// Runs body, whose exceptions become a result.
template <class Body>
nvJitLinkResult guarded(nvJitLinkHandle link, Body &&body) {
  if (link == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  try {
    return body();
  } catch (const std::exception &error) {
    link->errors += error.what();
    return NVJITLINK_ERROR_INTERNAL;
  }
}

}  // namespace

SIMULATED_EXPORT nvJitLinkResult nvJitLinkVersion(unsigned *out_major, unsigned *out_minor) {
  FAIL_ON_DEMAND;
  if (out_major == nullptr || out_minor == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  *out_major = kMajor;
  *out_minor = kMinor;
  return NVJITLINK_SUCCESS;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *out_link, uint32_t count,
                                                 const char **options) {
  FAIL_ON_DEMAND;
  if (out_link == nullptr || (count > 0 && options == nullptr)) {
    return NVJITLINK_ERROR_INVALID_INPUT;
  }
  auto made = std::make_unique<nvJitLink>();
  nvJitLinkResult result = NVJITLINK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    if (take(*made, options[i])) continue;
    made->errors = std::string("error   : unrecognized option ") + options[i] + "\n";
    result = NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
  }
  if (result == NVJITLINK_SUCCESS && made->architecture == 0) result = NVJITLINK_ERROR_MISSING_ARCH;
  ++live_links;
  *out_link = made.release();  // also if it failed, for its log
  return result;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *link) {
  FAIL_ON_DEMAND;
  if (link == nullptr || *link == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  delete *link;
  --live_links;
  *link = nullptr;
  return NVJITLINK_SUCCESS;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle link, nvJitLinkInputType type,
                                                  const void *data, size_t size, const char *name) {
  FAIL_ON_DEMAND;
  return guarded(link, [&] {
    if (data == nullptr || size == 0) return NVJITLINK_ERROR_NULL_INPUT;
    if (type < NVJITLINK_INPUT_CUBIN || type > NVJITLINK_INPUT_ANY) {
      return NVJITLINK_ERROR_INVALID_INPUT;
    }
    const std::string bytes(static_cast<const char *>(data), size);
    const std::string object = simulated_kernels::object_in(bytes);
    if (object.empty()) {
      link->errors += std::string("error   : '") + (name == nullptr ? "" : name) +
                      "' holds no code of the simulation\n";
      return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    }
    link->objects.push_back(object);
    return NVJITLINK_SUCCESS;
  });
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle link) {
  FAIL_ON_DEMAND;
  return guarded(link, [&] { return complete(*link); });
}

// Texts end with a zero byte, which their size counts.
#define SIMULATED_RESULT(name, text, ending)                                                     \
  SIMULATED_EXPORT nvJitLinkResult nvJitLinkGet##name##Size(nvJitLinkHandle link, size_t *out) { \
    FAIL_ON_DEMAND;                                                                              \
    if (link == nullptr || out == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;                 \
    *out = link->text.size() + ending;                                                           \
    return NVJITLINK_SUCCESS;                                                                    \
  }                                                                                              \
  SIMULATED_EXPORT nvJitLinkResult nvJitLinkGet##name(nvJitLinkHandle link, char *out) {         \
    FAIL_ON_DEMAND;                                                                              \
    if (link == nullptr || out == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;                 \
    std::memcpy(out, link->text.c_str(), link->text.size() + ending);                            \
    return NVJITLINK_SUCCESS;                                                                    \
  }
SIMULATED_RESULT(LinkedCubin, cubin, 0)
SIMULATED_RESULT(LinkedPtx, ptx_text, 1)
SIMULATED_RESULT(ErrorLog, errors, 1)
SIMULATED_RESULT(InfoLog, infos, 1)

// For tests: links that were not destroyed.
SIMULATED_EXPORT int nvJitLinkSimulatedLive() {
  return live_links;
}
