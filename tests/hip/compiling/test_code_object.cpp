// SPDX-License-Identifier: Apache-2.0
//
// Code objects for AMD GPUs: recorded ones, and what can be wrong with their bytes.
#include "check.hpp"
#include "compile/code_object.hpp"
#include "compile/message_pack.hpp"

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

using namespace nexus_hip;
using nexus_plugin::Error;
using nexus_plugin::KernelDescription;

namespace {

std::string recorded(const std::string &name) {
  std::ifstream file(RECORDED "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::string &mi200() {
  static const std::string code = recorded("gfx90a.hsaco");
  return code;
}
const std::string &navi() {
  static const std::string code = recorded("gfx1100.hsaco");
  return code;
}

TargetId target(const char *text) {
  return read_target_id(text).value();
}
const TargetId kMi200 = target("gfx90a:sramecc+:xnack-");
const TargetId kNavi = target("gfx1100");

// What a refusal says; "taken" where there is none.
std::string refusal(const std::function<void()> &read) {
  try {
    read();
  } catch (const Error &error) {
    return error.what();
  }
  return "taken";
}
std::string refusal_of(const std::string &code, const TargetId &device = kMi200) {
  return refusal([&] { (void)read_code_object(code_for(code, device), device); });
}

bool says(const std::string &text, const std::string &part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) std::fprintf(stderr, "it says: %s\n", text.c_str());
  return found;
}

const CodeKernel &kernel_of(const CodeObject &object, const std::string &name) {
  for (const CodeKernel &each : object.kernels) {
    if (each.name == name) return each;
  }
  std::fprintf(stderr, "no kernel '%s'\n", name.c_str());
  std::abort();
}

// The code with a text in place of another of the same length.
std::string with(std::string code, const std::string &old, const std::string &text) {
  const std::size_t at = code.find(old);
  CHECK(at != std::string::npos && old.size() == text.size());
  return code.replace(at, old.size(), text);
}

std::string bytes_of(uint64_t number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

struct Entry {
  std::string id, code;
};
std::string bundle(const std::vector<Entry> &entries) {
  std::string head = "__CLANG_OFFLOAD_BUNDLE__" + bytes_of(entries.size()), codes;
  std::size_t size = head.size();
  for (const Entry &each : entries) size += 3 * sizeof(uint64_t) + each.id.size();
  for (const Entry &each : entries) {
    head += bytes_of(size + codes.size()) + bytes_of(each.code.size()) + bytes_of(each.id.size());
    head += each.id;
    codes += each.code;
  }
  return head + codes;
}

}  // namespace

TEST(a_code_object_of_version_4_is_read) {
  const CodeObject object = read_code_object(mi200(), kMi200);
  CHECK_EQUAL(4, object.version);
  CHECK_EQUAL(std::string("gfx90a:xnack-"), object.target.name());
  CHECK_EQUAL(std::size_t{2}, object.kernels.size());
  const CodeKernel &saxpy = kernel_of(object, "saxpy");
  CHECK_EQUAL(std::string("saxpy.kd"), saxpy.symbol);
  CHECK_EQUAL(std::size_t{5}, saxpy.arguments.size());
  CHECK_EQUAL(uint64_t{64}, saxpy.wavefront_size);
  CHECK_EQUAL(uint64_t{1024}, saxpy.max_group_items);
  CHECK(saxpy.vector_registers > 0 && saxpy.scalar_registers > 0);
  CHECK(!saxpy.required_group_size);
  const CodeArgument &y = saxpy.arguments[1];
  CHECK_EQUAL(std::string("global_buffer"), y.value_kind);
  CHECK_EQUAL(std::string("global"), y.address_space);
  CHECK(y.offset == 8 && y.size == 8);
}

TEST(a_code_object_of_version_5_has_its_hidden_arguments_apart) {
  const CodeObject object = read_code_object(navi(), kNavi);
  CHECK_EQUAL(5, object.version);
  const CodeKernel &reverse = kernel_of(object, "reverse");
  CHECK_EQUAL(uint64_t{32}, reverse.wavefront_size);
  CHECK_EQUAL(uint64_t{64}, reverse.group_bytes);
  CHECK_EQUAL(uint64_t{280}, reverse.argument_bytes);
  CHECK_EQUAL(std::size_t{3}, reverse.arguments.size());
  CHECK(!reverse.hidden.empty());
  CHECK_EQUAL(std::string("hidden_dynamic_lds_size"), reverse.hidden.back().value_kind);
  refuse_host_calls(reverse);
}

TEST(kernels_of_the_portable_language_describe_themselves) {
  for (const auto &[code, device] : {std::pair(&mi200(), &kMi200), std::pair(&navi(), &kNavi)}) {
    const CodeObject object = read_code_object(*code, *device);
    const KernelDescription &saxpy = kernel_of(object, "saxpy").description.value();
    CHECK_EQUAL(std::string("a"), saxpy.arguments.at(2).name);
    CHECK_EQUAL(std::string("float"), saxpy.arguments.at(2).type);
    CHECK_EQUAL(int{NXS_DataType_F32}, int{saxpy.arguments.at(2).data_type});
    const KernelDescription &reverse = kernel_of(object, "reverse").description.value();
    CHECK_EQUAL(int{NXS_ArgumentKind_LocalMemory}, int{reverse.arguments.at(1).kind});
  }
}

TEST(a_description_that_does_not_fit_its_kernel_is_refused) {
  // The second argument of `reverse` becomes a scalar of 8 bytes, whose parameter has 4.
  std::string code = navi();
  const std::size_t text = code.find(std::string("data\0int *\0scratch\0", 19));
  CHECK(text != std::string::npos);
  const std::size_t argument = text - 2 * 16;
  CHECK_EQUAL(char{NXS_ArgumentKind_LocalMemory}, code[argument]);
  code[argument] = NXS_ArgumentKind_Scalar;
  code[argument + 8] = 8;
  CHECK(says(refusal_of(code, kNavi), "'reverse' has other parameters than its description"));
  code[argument] = 9;
  CHECK(says(refusal_of(code, kNavi), "the description of the kernel 'reverse' is damaged"));
}

TEST(target_ids_are_read) {
  CHECK_EQUAL(std::string("gfx90a:sramecc+:xnack-"), kMi200.name());
  CHECK_EQUAL(std::string("gfx9-4-generic"), target("gfx9-4-generic").name());
  for (const char *text : {"", "gfx", "sm_90", "gfx90a:", "gfx90a:xnack", "gfx90a:fast+", "GFX900",
                           "gfx90a xnack+", "gfx90a:+"}) {
    CHECK_EQUAL(std::string(text) == "gfx90a:", read_target_id(text).has_value());
  }
}

TEST(code_runs_on_devices_with_its_processor_and_its_features) {
  CHECK(target("gfx90a").runs_on(kMi200));
  CHECK(target("gfx90a:xnack-").runs_on(kMi200));
  CHECK(!target("gfx90a:xnack+").runs_on(kMi200));
  CHECK(!target("gfx908").runs_on(kMi200));
  CHECK(target("gfx11-generic").runs_on(kNavi));
  CHECK(!target("gfx11-generic").runs_on(kMi200));
}

TEST(code_for_another_device_is_refused_naming_both) {
  CHECK(says(refusal_of(mi200(), kNavi), "for gfx90a:xnack-, and the device is gfx1100"));
  CHECK(says(refusal_of(mi200(), target("gfx90a:xnack+")), "and the device is gfx90a:xnack+"));
}

TEST(a_code_object_of_version_3_names_its_processor_by_number) {
  std::string code = mi200();
  code[8] = 1;  // the ABI version
  CHECK(says(refusal_of(code, kNavi), "for gfx90a:sramecc+"));
  code[49] = 0;  // flags: no features
  CHECK_EQUAL(std::string("taken"), refusal_of(code));
  code[48] = 0x30;
  CHECK(says(refusal_of(code), "for gfx908, and the device"));
  code[48] = '\x90';
  CHECK(says(refusal_of(code), "a processor that its version does not know, number 144"));
}

TEST(other_versions_are_refused) {
  std::string code = mi200();
  code[8] = 0;
  CHECK(says(refusal_of(code), "of version 2, and this backend reads 3 to 6"));
  code[8] = 5;
  CHECK(says(refusal_of(code), "of version 7"));
  code[8] = 4;
  CHECK_EQUAL(6, read_code_object(code, kMi200).version);
}

TEST(foreign_bytes_are_named) {
  const auto machine = [](unsigned char number) {
    std::string code = mi200();
    code[18] = static_cast<char>(number);
    return refusal_of(code);
  };
  CHECK(says(machine(190), "is code for NVIDIA GPUs, and no code object for AMD GPUs: give"));
  CHECK(says(machine(62), "a library or program of a host"));
  std::string object = mi200();
  object[16] = 1;
  CHECK(says(refusal_of(object), "an object file that is not linked yet"));
  object[16] = 3;
  object[7] = 65;
  CHECK(says(refusal_of(object), "code for AMD GPUs of another form"));
  CHECK(says(refusal_of("BC\xC0\xDE"), "LLVM bitcode"));
  CHECK(says(refusal_of("__global__ void f() {}"), "of no known format"));
  CHECK(says(refusal_of(""), "is empty"));
  CHECK(says(refusal_of("\177ELF"), "the beginning of an ELF file"));
}

TEST(every_cut_is_refused) {
  for (std::size_t size = 0; size < mi200().size(); ++size) {
    const std::string said = refusal_of(mi200().substr(0, size));
    CHECK(said.starts_with("the library is "));
  }
  CHECK(says(refusal_of(mi200().substr(0, 4000)), "beyond its 4000 bytes; copy or build it again"));
}

TEST(no_damage_reads_out_of_bounds) {
  std::mt19937 random(1);
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string code = i % 2 == 0 ? mi200() : navi();
    // The head of the file, its notes and its tables; most of the rest is instructions.
    const std::size_t range = i % 3 == 0 ? code.size() : 2800;
    for (int changes = 1 + i % 4; changes != 0; --changes) {
      code[random() % range] = static_cast<char>(random());
    }
    taken += refusal_of(code, i % 2 == 0 ? kMi200 : kNavi) == "taken" ? 1 : 0;
  }
  CHECK(taken > 0 && taken < 20'000);
}

TEST(damaged_metadata_is_refused) {
  CHECK(says(refusal_of(with(mi200(), "AMDGPU", "AMDGPX")), "is damaged or missing"));
  CHECK(says(refusal_of(with(mi200(), "amdhsa.target", "amdhsa.tarzan")), "which processor"));
  CHECK(says(refusal_of(with(mi200(), ".wavefront_size", ".wavefront_sizE")), "is not complete"));
  const std::string offset = ".offset\x08";
  CHECK(says(refusal_of(with(mi200(), offset, ".offset\x60")), "lies outside of them"));
}

TEST(a_kernel_that_calls_the_host_is_refused) {
  CodeObject object = read_code_object(navi(), kNavi);
  CodeKernel &kernel = object.kernels.front();
  kernel.hidden.push_back({"", 0, 8, "hidden_hostcall_buffer", "global", ""});
  CHECK(says(refusal([&] { refuse_host_calls(kernel); }), "'saxpy' calls the host, as printf"));
}

TEST(of_a_bundle_the_entry_that_fits_best_is_taken) {
  const std::string code = bundle({{"host-x86_64-unknown-linux--", ""},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx90a", "either"},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "without"},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "with"},
                                   {"hip-amdgcn-amd-amdhsa--gfx11-generic", "family"}});
  CHECK_EQUAL(std::string_view("without"), code_for(code, kMi200));
  CHECK_EQUAL(std::string_view("with"), code_for(code, target("gfx90a:xnack+")));
  CHECK_EQUAL(std::string_view("family"), code_for(code, kNavi));
  CHECK(says(refusal_of(code, target("gfx900")),
             "code for gfx90a, gfx90a:xnack-, gfx90a:xnack+, gfx11-generic, and the device is "
             "gfx900; build it with --offload-arch=gfx900 too"));
  CHECK(says(refusal_of(bundle({{"host-x86_64", "x"}})), "with code for no AMD GPU"));
}

TEST(a_bundle_of_code_objects_is_read_and_its_cuts_are_refused) {
  const std::string code = bundle({{"hipv4-amdgcn-amd-amdhsa--gfx1100", navi()},
                                   {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", mi200()}});
  CHECK_EQUAL(std::string("taken"), refusal_of(code));
  CHECK_EQUAL(std::string("taken"), refusal_of(code, kNavi));
  for (std::size_t size = 0; size < code.size(); size += 13) {
    CHECK(refusal_of(code.substr(0, size)) != "taken");
  }
  std::string many = code;
  many.replace(24, 8, 8, '\xff');  // the number of entries
  CHECK(says(refusal_of(many), "is a clang bundle, truncated or damaged"));
  CHECK(says(refusal_of("CCOB" + code), "a compressed clang bundle"));
}

TEST(message_pack_is_read) {
  MessagePack pack(
      std::string_view("\x83\xa1"
                       "a\x93\x01\xcc\xff\xcd\x01\x00\xa1"
                       "b\x82\xa1x\xc0\xa1y\xc4\x02zz\xa1"
                       "c\xd9\x03"
                       "end",
                       36));
  std::string keys, text;
  std::vector<uint64_t> numbers;
  pack.each_pair([&](std::string_view key) {
    keys += key;
    if (key == "a") {
      pack.each([&] { numbers.push_back(pack.number()); });
    } else if (key == "c") {
      text = pack.text();
    } else {
      pack.skip();
    }
  });
  CHECK_EQUAL(std::string("abc"), keys);
  CHECK_EQUAL(std::string("end"), text);
  CHECK(numbers == std::vector<uint64_t>({1, 255, 256}));
}

TEST(message_pack_believes_no_count) {
  for (const std::string_view bytes :
       {std::string_view("\xdf\xff\xff\xff\xff", 5),
        std::string_view("\xdd\xff\xff\xff\xff\x01", 6),
        std::string_view("\xdb\xff\xff\xff\xff", 5), std::string_view("\xc6\xff\xff\xff\xff", 5),
        std::string_view("\xc9\xff\xff\xff\xff\x01", 6), std::string_view("\xcf\x01", 2),
        std::string_view("\xc1", 1), std::string_view("", 0)}) {
    bool refused = false;
    try {
      MessagePack(bytes).skip();
    } catch (const BadMessage &) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(message_pack_skips_each_form_of_value) {
  const auto value = [](unsigned char mark, const std::string &rest) {
    return std::string(1, static_cast<char>(mark)) + rest;
  };
  const std::string four(4, 'x'), none(2, '\0');
  const std::string forms[] = {value(0xc0, ""),
                               value(0xc2, ""),
                               value(0xc3, ""),
                               value(0xff, ""),
                               value(0x82, "\1\2\3\4"),
                               value(0xc4, "\1x"),
                               value(0xc5, none + "x").replace(2, 1, "\1"),
                               value(0xc6, none + value(0, "\1x")),
                               value(0xc7, "\1tx"),
                               value(0xc8, value(0, "\1tx")),
                               value(0xc9, none + value(0, "\1tx")),
                               value(0xca, four),
                               value(0xcb, four + four),
                               value(0xcc, "x"),
                               value(0xcd, "xx"),
                               value(0xce, four),
                               value(0xcf, four + four),
                               value(0xd0, "x"),
                               value(0xd1, "xx"),
                               value(0xd2, four),
                               value(0xd3, four + four),
                               value(0xd4, "tx"),
                               value(0xd5, "txx"),
                               value(0xd6, "t" + four),
                               value(0xd7, "t" + four + four),
                               value(0xd8, "t" + four + four + four + four),
                               value(0xd9, "\1x"),
                               value(0xda, value(0, "\1x")),
                               value(0xdb, none + value(0, "\1x")),
                               value(0xdc, value(0, "\1x")),
                               value(0xdd, none + value(0, "\1x")),
                               value(0xde, value(0, "\1xx")),
                               value(0xdf, none + value(0, "\1xx"))};
  for (const std::string &form : forms) {
    const std::string bytes = form + "\x2a";
    MessagePack pack(bytes);
    pack.skip();
    CHECK_EQUAL(uint64_t{42}, pack.number());
  }
}
