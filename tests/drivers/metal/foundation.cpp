// SPDX-License-Identifier: Apache-2.0
#include "foundation.hpp"

namespace metal {
namespace {

NSString *make_string(const char *text) {
  return NSString::of(text).autoreleased();
}

NSArray *make_array(Object *const *objects, NSUInteger count) {
  std::vector<Ref<Object>> kept;
  for (NSUInteger i = 0; i < count; ++i) kept.emplace_back(objects[i]);
  return make<NSArray>(std::move(kept)).autoreleased();
}
NSArray *make_array_of_one(Object *object) {
  return make_array(&object, 1);
}

NSDictionary *make_dictionary(Object *const *objects, NSString *const *keys, NSUInteger count) {
  auto made = make<NSDictionary>();
  for (NSUInteger i = 0; i < count; ++i) made->objects[keys[i]->text] = Ref<Object>(objects[i]);
  return made.autoreleased();
}
NSDictionary *make_dictionary_of_one(Object *object, NSString *key) {
  return make_dictionary(&object, &key, 1);
}

NSData *make_data(const void *bytes, NSUInteger length) {
  return make<NSData>(std::string(static_cast<const char *>(bytes), length)).autoreleased();
}

NSURL *make_url(NSString *path) {
  return make<NSURL>(text_of(path)).autoreleased();
}

}  // namespace

const Class &NSString::kClass =
    *new Class("NSString", nullptr,
               {getter<&NSString::UTF8String>("UTF8String"), getter<&NSString::length>("length"),
                getter<&NSString::equals>("isEqualToString:")},
               {method<&make_string>("stringWithUTF8String:")});

Ref<NSString> NSString::of(const char *text) {
  if (text == nullptr) die("+[NSString stringWithUTF8String:] of NULL");
  return make<NSString>(text);
}

const Class &NSArray::kClass = *new Class(
    "NSArray", nullptr, {getter<&NSArray::length>("count"), getter<&NSArray::at>("objectAtIndex:")},
    {method<&make_array>("arrayWithObjects:count:"),
     method<&make_array_of_one>("arrayWithObject:")});

Object *NSArray::at(NSUInteger index) {
  if (index >= objects.size()) die("-[NSArray objectAtIndex:]: beyond its end");
  return objects[index].get();
}

const Class &NSDictionary::kClass =
    *new Class("NSDictionary", nullptr, {getter<&NSDictionary::at>("objectForKey:")},
               {method<&make_dictionary>("dictionaryWithObjects:forKeys:count:"),
                method<&make_dictionary_of_one>("dictionaryWithObject:forKey:")});

Object *NSDictionary::at(NSString *key) {
  const auto found = objects.find(text_of(key));
  return found == objects.end() ? nullptr : found->second.get();
}

const Class &NSError::kClass =
    *new Class("NSError", nullptr,
               {getter<&NSError::code>("code"), getter<&NSError::domain>("domain"),
                getter<&NSError::description>("localizedDescription"),
                getter<&NSError::information>("userInfo")});

void give_error(NSError **out, const Failed &failed) {
  if (out != nullptr) *out = make<NSError>(failed).autoreleased();
}

const Class &NSData::kClass = *new Class(
    "NSData", nullptr, {getter<&NSData::bytes>("bytes"), getter<&NSData::length>("length")},
    {method<&make_data>("dataWithBytes:length:")});

const Class &NSURL::kClass = *new Class("NSURL", nullptr, {getter<&NSURL::file>("path")},
                                        {method<&make_url>("fileURLWithPath:")});

// ---- Blocks: clang's "Block Implementation Specification" ----

namespace {
constexpr int kHasCopyDispose = 1 << 25, kIsGlobal = 1 << 28;
}  // namespace

Block::Block(const void *given) : layout_(static_cast<Layout *>(const_cast<void *>(given))) {
  if (layout_ == nullptr || layout_->isa == nullptr || layout_->invoke == nullptr) {
    die("a block without its class or its function");
  }
  if (has(kIsGlobal)) return;
  const Descriptor *const descriptor = layout_->descriptor;
  copy_.resize((descriptor->size + sizeof(copy_[0]) - 1) / sizeof(copy_[0]));
  std::memcpy(copy_.data(), given, descriptor->size);
  layout_ = reinterpret_cast<Layout *>(copy_.data());
  if (has(kHasCopyDispose)) descriptor->copy(layout_, given);
}

Block::~Block() {
  if (!copy_.empty() && has(kHasCopyDispose)) layout_->descriptor->dispose(layout_);
}

}  // namespace metal

using namespace metal;

SIMULATED_EXPORT void *_NSConcreteStackBlock[32];
void *_NSConcreteStackBlock[32] = {};
SIMULATED_EXPORT void *_NSConcreteGlobalBlock[32];
void *_NSConcreteGlobalBlock[32] = {};

// dispatch/data.h. With no destructor, the default one, the bytes are copied.
SIMULATED_EXPORT NSData *dispatch_data_create(const void *bytes, size_t size, void *,
                                              const void *destructor) {
  auto made = make<NSData>(std::string(static_cast<const char *>(bytes), size));
  if (destructor != nullptr) Block{destructor}.operator()();
  return made.leak();
}
