// SPDX-License-Identifier: Apache-2.0
// What of Foundation, of dispatch and of blocks goes with Metal.
#ifndef NEXUS_SIMULATED_METAL_FOUNDATION_HPP_
#define NEXUS_SIMULATED_METAL_FOUNDATION_HPP_

#include "objc.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace metal {

struct NSString : Object {
  static const Class &kClass;
  explicit NSString(std::string content) : Object(kClass), text(std::move(content)) {}

  // The program's text, or nil.
  static Ref<NSString> of(const char *text);

  const char *UTF8String() { return text.c_str(); }
  NSUInteger length() { return text.size(); }
  bool equals(NSString *other) { return other != nullptr && other->text == text; }

  const std::string text;
};

// An empty one for nil.
inline std::string text_of(const NSString *string) {
  return string == nullptr ? "" : string->text;
}
inline NSString *autoreleased(const std::string &text) {
  return make<NSString>(text).autoreleased();
}

struct NSArray : Object {
  static const Class &kClass;
  explicit NSArray(std::vector<Ref<Object>> content)
      : Object(kClass), objects(std::move(content)) {}

  NSUInteger length() { return objects.size(); }
  Object *at(NSUInteger index);

  const std::vector<Ref<Object>> objects;
};

// Keys are strings.
struct NSDictionary : Object {
  static const Class &kClass;
  NSDictionary() : Object(kClass) {}

  Object *at(NSString *key);

  std::map<std::string, Ref<Object>> objects;
};

struct NSError : Object {
  static const Class &kClass;
  explicit NSError(Failed what) : Object(kClass), failed(std::move(what)) {}

  NSInteger code() { return failed.code; }
  NSString *domain() { return autoreleased(failed.domain); }
  NSString *description() { return autoreleased(failed.text); }
  NSDictionary *information() { return userInfo.get(); }

  const Failed failed;
  Ref<NSDictionary> userInfo = make<NSDictionary>();
};

// Also dispatch_data_t.
struct NSData : Object {
  static const Class &kClass;
  explicit NSData(std::string given) : Object(kClass), content(std::move(given)) {}

  const void *bytes() { return content.data(); }
  NSUInteger length() { return content.size(); }

  const std::string content;
};

struct NSURL : Object {
  static const Class &kClass;
  explicit NSURL(std::string file) : Object(kClass), path(std::move(file)) {}

  NSString *file() { return autoreleased(path); }

  const std::string path;
};

// A block that a program gives, kept as _Block_copy keeps it: a global one as it is, one of a stack
// copied.
class Block {
 public:
  explicit Block(const void *given);
  ~Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    reinterpret_cast<void (*)(void *, Arguments...)>(layout_->invoke)(layout_, arguments...);
  }

 private:
  struct Descriptor {
    unsigned long reserved, size;
    void (*copy)(void *to, const void *from);  // these two only with a flag
    void (*dispose)(const void *);
  };
  struct Layout {
    void *isa;
    int flags, reserved;
    void (*invoke)();
    Descriptor *descriptor;
  };

  bool has(int flag) const { return (layout_->flags & flag) != 0; }

  Layout *layout_;
  std::vector<std::max_align_t> copy_;  // empty: not copied
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_FOUNDATION_HPP_
