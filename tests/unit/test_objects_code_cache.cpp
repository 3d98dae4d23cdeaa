// SPDX-License-Identifier: Apache-2.0
//
// Where object code comes from: the reference backend's compiler, memory, disk.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "child.hpp"
#include "programs.hpp"

using namespace objects;

namespace {

const char *const kProgram = "kernel fail\n";

nexus_code_origin origin(ProgramText program, std::string_view target = "") {
  return originOf(compile(device("reference:0"), program, target));
}

TEST(the_same_program_comes_from_memory_and_any_other_is_compiled) {
  const OwnCache cache;
  const auto other = [](auto change) {
    ProgramText program(kProgram);
    change(program);
    return origin(program);
  };
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  CHECK_EQUAL(NEXUS_CODE_FROM_MEMORY, origin(ProgramText(kProgram)));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText("kernel fail\n\n")));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.name = "other"; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.optimization = 0; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.flags = NXS_CompileFlags_FastMath; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.defines = {"A"}; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.options = {"-A"}; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, other([](auto &p) { p.defines = {"A", "B"}; }));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram), "old"));
  CHECK_EQUAL(NEXUS_CODE_FROM_MEMORY, origin(ProgramText(kProgram)));
}

TEST(a_changed_compiler_is_noticed) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  CHECK_OK(nexus_set_config(text("reference.identity"), text("2")));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  CHECK_OK(nexus_set_config(text("reference.identity"), text("")));
  CHECK_EQUAL(NEXUS_CODE_FROM_DISK, origin(ProgramText(kProgram)));
  {
    const Variable identity("NEXUS_REFERENCE_IDENTITY", "3");
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  }
}

TEST(a_changed_include_is_noticed_in_memory_and_on_disk) {
  const OwnCache cache;
  cache.folder.write("x.h", "kernel fail\n");
  usleep(50000);  // until then a change could have the same time, and memory is not trusted
  ProgramText program("#include \"x.h\"\n");
  program.include_paths = {cache.folder.path("first"), cache.folder.path()};
  std::filesystem::create_directory(cache.folder.path("first"));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(program));
  CHECK_EQUAL(NEXUS_CODE_FROM_MEMORY, origin(program));
  cache.folder.write("x.h", "kernel add_i32\n");
  CHECK_EQUAL("nexus-reference 1\nadd_i32\n",
              stringOf(infoOf(compile(device("reference:0"), program)).code));
  cache.folder.write("first/x.h", "kernel add_f32\n");
  CHECK_EQUAL("nexus-reference 1\nadd_f32\n",
              stringOf(infoOf(compile(device("reference:0"), program)).code));
}

TEST(the_folder_is_the_users_alone_and_so_are_its_files) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  struct stat status{};
  CHECK_EQUAL(0, stat(cache.folder.path("cache").c_str(), &status));
  CHECK_EQUAL(0700U, status.st_mode & 07777);
  CHECK_EQUAL(std::size_t{1}, cache.entries().size());
  CHECK_EQUAL(0, stat(cache.entries().at(0).c_str(), &status));
  CHECK_EQUAL(0600U, status.st_mode & 07777);
}

TEST(an_entry_with_any_damage_is_compiled_again) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  const std::string entry =
      "cache" + cache.entries().at(0).substr(cache.folder.path("cache").size());
  const std::string whole = cache.folder.read(entry);
  std::string changed = whole;
  changed[70] = static_cast<char>(changed[70] ^ 1);
  for (const std::string &damaged :
       {whole.substr(0, whole.size() - 1), whole.substr(0, whole.size() / 2), whole.substr(0, 3),
        std::string(), changed, whole + "x"}) {
    cache.folder.write(entry, damaged);
    OwnCache::forgetMemory();
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
    CHECK_EQUAL(whole.size(), cache.folder.read(entry).size());
  }
  OwnCache::forgetMemory();
  CHECK_EQUAL(NEXUS_CODE_FROM_DISK, origin(ProgramText(kProgram)));
}

TEST(an_entry_under_the_name_of_another_is_not_used) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  const std::string first = cache.entries().at(0);
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText("kernel add_i32\n")));
  for (const std::string &each : cache.entries()) {
    if (each != first)
      std::filesystem::copy_file(first, each, std::filesystem::copy_options::overwrite_existing);
  }
  OwnCache::forgetMemory();
  CHECK_EQUAL(
      "nexus-reference 1\nadd_i32\n",
      stringOf(infoOf(compile(device("reference:0"), ProgramText("kernel add_i32\n"))).code));
}

TEST(an_entry_that_others_can_write_to_is_not_used) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  const std::string path = cache.entries().at(0);
  CHECK_EQUAL(0, chmod(path.c_str(), 0620));
  OwnCache::forgetMemory();
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
}

TEST(an_entry_that_is_a_link_is_not_followed) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  const std::string path = cache.entries().at(0);
  std::filesystem::rename(path, cache.folder.path("elsewhere"));
  std::filesystem::create_symlink(cache.folder.path("elsewhere"), path);
  OwnCache::forgetMemory();
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
}

TEST(a_folder_that_others_can_write_to_is_not_used) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  for (const mode_t mode : {0770, 0707, 01777}) {
    CHECK_EQUAL(0, chmod(cache.folder.path("cache").c_str(), mode));
    OwnCache::forgetMemory();
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
    CHECK(stringOf(cacheInfo().off).find("chmod go-w") != std::string::npos);
  }
}

TEST(what_belongs_to_another_user_is_not_used) {
  if (geteuid() != 0) return;  // only root can give files away
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  for (const std::string &theirs : {cache.entries().at(0), cache.folder.path("cache")}) {
    CHECK_EQUAL(0, chown(theirs.c_str(), 12345, 12345));
    OwnCache::forgetMemory();
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  }
  CHECK(stringOf(cacheInfo().off).find("another user") != std::string::npos);
}

TEST(a_folder_that_cant_be_made_or_written_to_makes_it_slower_only) {
  const check::Folder folder;
  folder.write("file", "");
  {
    const Variable variable("NEXUS_CACHE_DIR", folder.path("file/cache"));
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
    CHECK_EQUAL(NEXUS_CODE_FROM_MEMORY, origin(ProgramText(kProgram)));
    CHECK(stringOf(cacheInfo().off).find("can't be ") != std::string::npos);
  }
  if (geteuid() == 0) return;  // root can write anywhere
  const Variable variable("NEXUS_CACHE_DIR", folder.path());
  CHECK_EQUAL(0, chmod(folder.path().c_str(), 0500));
  for (int i = 0; i < 2; ++i) {
    OwnCache::forgetMemory();
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  }
  CHECK_EQUAL(0, chmod(folder.path().c_str(), 0700));
}

TEST(a_limit_of_the_size_of_files_makes_it_slower_only) {
  const OwnCache cache;
  CHECK_EQUAL(0, check::statusOfChild([&] {
                const rlimit limit{100, 100};
                setrlimit(RLIMIT_FSIZE, &limit);
                const bool made = originOf(compile(device("reference:0"), ProgramText(kProgram))) ==
                                  NEXUS_CODE_COMPILED;
                return made && cache.entries().empty();
              }));
}

TEST(the_caches_can_be_turned_off) {
  const OwnCache cache;
  const Variable off("NEXUS_CACHE", "0");
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  CHECK(!std::filesystem::exists(cache.folder.path("cache")));
  CHECK_EQUAL("NEXUS_CACHE is 0.", stringOf(cacheInfo().off));
}

TEST(what_was_not_used_for_longest_goes_first) {
  const OwnCache cache;
  const auto use = [](const char *name) {
    OwnCache::forgetMemory();
    const nexus_code_origin from = origin(ProgramText(std::string("kernel ") + name + "\n"));
    usleep(20000);  // the times of files differ
    return from;
  };
  CHECK_EQUAL(NEXUS_CODE_COMPILED, use("add_i32"));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, use("add_f32"));
  CHECK_EQUAL(NEXUS_CODE_FROM_DISK, use("add_i32"));
  const uint64_t two = cacheInfo().bytes;
  const Variable limit("NEXUS_CACHE_SIZE", std::to_string(two + 10));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, use("fail"));
  CHECK(cacheInfo().bytes <= two + 10);
  CHECK_EQUAL(NEXUS_CODE_FROM_DISK, use("add_i32"));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, use("add_f32"));
}

TEST(a_size_of_0_keeps_nothing_and_one_that_is_none_is_ignored) {
  const OwnCache cache;
  {
    const Variable none("NEXUS_CACHE_SIZE", "0");
    CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
    CHECK_EQUAL("NEXUS_CACHE_SIZE is 0.", stringOf(cacheInfo().off));
    CHECK(!std::filesystem::exists(cache.folder.path("cache")));
  }
  const Variable odd("NEXUS_CACHE_SIZE", "much");
  CHECK_EQUAL(uint64_t{512} << 20, cacheInfo().limit);
}

TEST(clearing_removes_the_entries_and_nothing_else) {
  const OwnCache cache;
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
  cache.folder.write("cache/mine.txt", "mine");
  uint64_t entries = 0;
  CHECK_OK(nexus_cache_clear(&entries));
  CHECK_EQUAL(uint64_t{1}, entries);
  CHECK_EQUAL(uint64_t{0}, cacheInfo().entries);
  CHECK_EQUAL("mine", cache.folder.read("cache/mine.txt"));
  CHECK_EQUAL(NEXUS_CODE_COMPILED, origin(ProgramText(kProgram)));
}

TEST(threads_that_compile_the_same_program_start_one_compiler) {
  const OwnCache cache;
  const Object on = device("reference:0");
  const uint64_t before = cacheInfo().compiled;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] { origin(ProgramText("pause 100\nkernel fail\n")); });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK_EQUAL(before + 1, cacheInfo().compiled);
}

TEST(threads_that_wait_for_a_program_that_is_refused_are_told_why) {
  const OwnCache cache;
  const Object on = device("reference:0");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ProgramText program("pause 50\nerror bad\n");
      Object code;
      CHECK_FAILS(NXS_CompileProgramFailure, nexus_compile(on, text(""), program.get(), code.out()),
                  "error: bad");
    });
  }
  for (std::thread &thread : threads) thread.join();
}

TEST(the_child_of_a_fork_compiles_and_uses_code_of_before) {
  const OwnCache cache;
  const Object on = device("reference:0");
  const Object code = compile(on, ProgramText(kProgram));
  std::thread compiles([&] { origin(ProgramText("pause 300\nkernel fail\n")); });
  usleep(50000);
  CHECK_EQUAL(
      0, check::statusOfChild([&] {
        const bool known = stringOf(infoOf(code).name) == "k.ref";
        const Object here = device("reference:0");
        const bool found = originOf(compile(here, ProgramText(kProgram))) == NEXUS_CODE_FROM_DISK;
        const bool made = originOf(compile(here, ProgramText("pause 300\nkernel fail\n"))) ==
                          NEXUS_CODE_FROM_DISK;
        return known && found && made;
      }));
  compiles.join();
}

}  // namespace
