// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that has devices and answers what they are. All else it refuses.
//
// FAKE_CUDA: "devices=2,driver=12040,init=100,name=A GPU,architecture=90,attribute.16=132,
// uuid=0" (0: it refuses to tell it), each with a default.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kNotSupported = 801;

std::map<std::string, std::string> read_settings() {
  std::map<std::string, std::string> settings = {
      {"devices", "1"}, {"driver", "12040"},       {"init", "0"},
      {"uuid", "1"},    {"name", "Fake GPU 9000"}, {"architecture", "90"}};
  const char *text = std::getenv("FAKE_CUDA");
  std::string rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string part = rest.substr(0, rest.find(','));
    rest = part.size() == rest.size() ? "" : rest.substr(part.size() + 1);
    settings[part.substr(0, part.find('='))] = part.substr(part.find('=') + 1);
  }
  return settings;
}

const std::string &setting(const std::string &key) {
  static std::map<std::string, std::string> settings = read_settings();
  return settings[key];
}

int number(const std::string &key) {
  return std::atoi(setting(key).c_str());
}

int init(unsigned) {
  return number("init");
}

int driver_version(int *version) {
  *version = number("driver");
  return kSuccess;
}

int count(int *count) {
  *count = number("devices");
  return kSuccess;
}

int get(int *device, int ordinal) {
  *device = ordinal;
  return kSuccess;
}

int name(char *text, int length, int) {
  std::snprintf(text, static_cast<size_t>(length), "%s", setting("name").c_str());
  return kSuccess;
}

int memory(size_t *bytes, int) {
  *bytes = size_t{80} << 30;
  return kSuccess;
}

int uuid(unsigned char *bytes, int device) {
  if (number("uuid") == 0) return kNotSupported;
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<unsigned char>(16 * device + i);
  return kSuccess;
}

// What a device says where the test says nothing: 1000 and the number, which no conversion that
// should be there leaves as it is.
int attribute(int *value, int attribute, int device) {
  constexpr int kFirstUnknown = 149;
  const std::string told = setting("attribute." + std::to_string(attribute));
  if (told == "refused" || attribute >= kFirstUnknown) return kInvalidValue;
  *value = !told.empty()     ? std::atoi(told.c_str())
           : attribute == 75 ? number("architecture") / 10
           : attribute == 76 ? number("architecture") % 10
           : attribute == 33 ? 0x65 + device
           : attribute == 34 ? 0x1f
           : attribute == 50 ? 0x2
           : attribute == 20 ? 0
                             : 1000 + attribute;
  return kSuccess;
}

int error_text(int error, const char **text) {
  *text = error == 100 ? "CUDA_ERROR_NO_DEVICE" : error == 101 ? "CUDA_ERROR_INVALID_DEVICE" : "E";
  return kSuccess;
}

int refuse() {
  return kNotSupported;
}

template <class Function>
void *address(Function function) {
  return reinterpret_cast<void *>(function);
}

}  // namespace

EXPORT int cuInit(unsigned flags) {
  return init(flags);
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int, unsigned long long,
                               int *status) {
  static const std::map<std::string, void *> known = {
      {"cuInit", address(init)},
      {"cuDriverGetVersion", address(driver_version)},
      {"cuDeviceGetCount", address(count)},
      {"cuDeviceGet", address(get)},
      {"cuDeviceGetName", address(name)},
      {"cuDeviceTotalMem", address(memory)},
      {"cuDeviceGetUuid", address(uuid)},
      {"cuDeviceGetAttribute", address(attribute)},
      {"cuGetErrorName", address(error_text)},
      {"cuGetErrorString", address(error_text)},
  };
  const auto found = known.find(symbol);
  *function = found == known.end() ? address(refuse) : found->second;
  if (status != nullptr) *status = 0;
  return kSuccess;
}
