// SPDX-License-Identifier: Apache-2.0
//
// The vectors of FIPS 180-4 and of NIST's examples, and parts of every size.
#include <nexus-plugin/base/text.hpp>

#include "check.hpp"
#include "code/sha256.hpp"

using namespace nexus::core;
using nexus_plugin::hexadecimal;

namespace {

TEST(the_standards_vectors_have_their_digests) {
  CHECK_EQUAL("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
              hexadecimal(sha256("")));
  CHECK_EQUAL("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
              hexadecimal(sha256("abc")));
  CHECK_EQUAL("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
              hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")));
  CHECK_EQUAL("cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
              hexadecimal(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                                 "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")));
  CHECK_EQUAL("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
              hexadecimal(sha256(std::string(1'000'000, 'a'))));
}

TEST(the_digest_does_not_depend_on_how_the_bytes_come) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 7);
  const std::string whole = hexadecimal(sha256(bytes));
  for (std::size_t part = 1; part <= 130; ++part) {
    Sha256 hash;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      hash.add(std::string_view(bytes).substr(at, part));
    }
    CHECK_EQUAL(whole, hexadecimal(hash.finish()));
  }
}

}  // namespace
