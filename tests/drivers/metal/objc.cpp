// SPDX-License-Identifier: Apache-2.0
#include "objc.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

using simulator::Lock;
using simulator::world;

namespace metal {
namespace {

// ---- Selectors ----

constexpr size_t kMostSelectors = 4096;

struct Selectors {
  std::mutex mutex;
  std::map<std::string, SEL> by_name;
  std::array<Selector, kMostSelectors>
      all;  // in one place, so that a selector is told by its address
};
Selectors &selectors() {
  static auto *const only = new Selectors;
  return *only;
}

bool is_selector(const void *pointer) {
  const auto &all = selectors().all;
  return pointer >= all.data() && pointer < all.data() + all.size();
}

// ---- Classes ----

// Not guarded: complete before main().
std::map<std::string, Class *> &classes() {
  static auto *const all = new std::map<std::string, Class *>;
  return *all;
}

// ---- Objects ----

// Also of one that is gone.
std::string name_of(const Object *object) {
  return header_of(object).isa->name();
}
bool is_gone(const Object *object) {
  return header_of(object).count <= 0;
}

// The memory of objects that are gone.
struct Graveyard {
  std::mutex mutex;
  std::deque<void *> buried;
};
Graveyard &graveyard() {
  static auto *const only = new Graveyard;
  return *only;
}

// ---- Pools ----

// Of a thread: the objects of all its pools, and where each pool begins.
struct Pools {
  std::vector<Object *> objects;
  std::vector<size_t> begins;

  ~Pools() {
    if (!begins.empty()) note_misuse("a thread ended with an autorelease pool that was not popped");
  }
};
Pools &pools() {
  thread_local Pools mine;
  return mine;
}

}  // namespace

SEL selector_named(const std::string &name) {
  Selectors &known = selectors();
  const std::lock_guard lock(known.mutex);
  auto &found = known.by_name[name];
  if (found == nullptr) {
    Selector &made = known.all.at(known.by_name.size() - 1);
    made.name = name;
    found = &made;
  }
  return found;
}

void note_misuse(const std::string &what) {
  const Lock lock(world().mutex);
  world().log.note_misuse(what);
}

void die(const std::string &what) {
  note_misuse(what);
  std::fprintf(stderr, "simulated Metal: %s\n", what.c_str());
  std::abort();
}

simulator::Result begin(SEL selector) {
  if (simulator::forked())
    throw Failed{simulator::kNotInitialized, "the child of a fork has no Metal"};
  const Lock lock(world().mutex);
  return world().log.begin(selector->name.c_str());
}

Object::Object(const Class &isa) : isa_(&isa) {
  header_of(this).isa = isa_;
  ++isa_->live;
}

Object::~Object() {
  if (isa_ != nullptr) --isa_->live;
}

void *Object::operator new(size_t size) {
  return new (::operator new(sizeof(Header) + size)) Header + 1;
}

void Object::operator delete(void *memory) {
  constexpr size_t kMostBuried = 16384;
  Graveyard &all = graveyard();
  const std::lock_guard lock(all.mutex);
  header_of(memory).count = 0;
  all.buried.push_back(&header_of(memory));
  if (all.buried.size() <= kMostBuried) return;
  ::operator delete(all.buried.front());
  all.buried.pop_front();
}

void retain(Object *object) {
  if (header_of(object).count.fetch_add(1) <= 0)
    die("retain of " + name_of(object) + ", which is gone");
}

void release(Object *object) {
  const int64_t before = header_of(object).count.fetch_sub(1);
  if (before <= 0) die("release of " + name_of(object) + ", which is gone");
  if (before == 1) delete object;
}

void autorelease(Object *object) {
  if (pools().begins.empty()) {
    note_misuse(name_of(object) + " was autoreleased without a pool");
    return;
  }
  pools().objects.push_back(object);
}

const Method *Object::find(SEL selector) const {
  return isa_->method(selector);
}

std::string Object::kind() const {
  return isa_->name();
}

// The class of classes, and what all objects respond to, is not told apart.
Class::Class(const char *name, const char *super, std::initializer_list<Method> methods,
             std::initializer_list<Method> own)
    : name_(name), super_(super) {
  header_of(this).isa = isa_ = this;
  for (const Method &each : methods) methods_[each.selector] = each;
  for (const Method &each : own) own_[each.selector] = each;
  classes()[name] = this;
  world().more_kinds[name] = [this] { return live.load(); };
}

const Method *Class::find_in(const Methods &methods, SEL selector) {
  const auto found = methods.find(selector);
  if (found == methods.end() || found->second.since > world().settings.driver_version)
    return nullptr;
  return &found->second;
}

const Method *Class::method(SEL selector) const {
  const Method *const found = find_in(methods_, selector);
  return found != nullptr || super_ == nullptr ? found : classes().at(super_)->method(selector);
}

std::vector<std::string> Class::lines() const {
  std::vector<std::string> all;
  for (const Methods *methods : {&methods_, &own_}) {
    for (const auto &[selector, each] : *methods) all.push_back(selector->name + " " + each.passed);
  }
  return all;
}

// ---- What every object responds to ----

namespace {

Object *send_retain(Object *self, SEL) {
  retain(self);
  return self;
}
void send_release(Object *self, SEL) {
  release(self);
}
Object *send_autorelease(Object *self, SEL) {
  autorelease(self);
  return self;
}
Object *init(Object *self, SEL) {
  return self;
}
NSUInteger retain_count(Object *self, SEL) {
  return static_cast<NSUInteger>(header_of(self).count.load());
}
const Method *find(const Object *object, SEL selector);
bool responds(Object *self, SEL, SEL selector) {
  return find(self, selector) != nullptr;
}

const Method *find(const Object *object, SEL selector) {
  static const Method all[] = {
      method_of("retain", 0, send_retain),           method_of("release", 0, send_release),
      method_of("autorelease", 0, send_autorelease), method_of("init", 0, init),
      method_of("retainCount", 0, retain_count),     method_of("respondsToSelector:", 0, responds)};
  if (const Method *own = object->find(selector)) return own;
  for (const Method &each : all) {
    if (each.selector == selector) return &each;
  }
  return nullptr;
}

}  // namespace

// What a message runs; NULL for a message to nil.
extern "C" __attribute__((used, visibility("hidden"))) void *simulated_metal_find(void *first,
                                                                                  void *second,
                                                                                  void *third) {
#if defined(__x86_64__)
  // A large structure is returned through a pointer, which comes first here.
  if (!is_selector(second) && is_selector(third)) {
    first = second;
    second = third;
  }
#else
  (void)third;
#endif
  if (!is_selector(second)) die("a message without a selector");
  const auto *receiver = static_cast<const Object *>(first);
  const auto *selector = static_cast<SEL>(second);
  if (receiver == nullptr) return nullptr;
  if (is_gone(receiver)) die("-[" + name_of(receiver) + " " + selector->name + "], but it is gone");
  const Method *const found = find(receiver, selector);
  if (found == nullptr) die("-[" + receiver->kind() + " " + selector->name + "]: unknown selector");
  return reinterpret_cast<void *>(found->implementation);
}

}  // namespace metal

using namespace metal;

// ---- objc/runtime.h, objc/message.h, and what compilers call ----

SIMULATED_EXPORT Class *objc_getClass(const char *name) {
  const auto found = classes().find(name);
  return found == classes().end() ? nullptr : found->second;
}

// For tests: the methods of all classes.
SIMULATED_EXPORT uint64_t simulated_methods(char *out, uint64_t capacity) {
  std::vector<std::string> all;
  for (const auto &[name, each] : classes()) {
    for (const std::string &line : each->lines()) all.push_back(line);
  }
  return simulator::tell(all, out, capacity);
}

SIMULATED_EXPORT SEL sel_registerName(const char *name) {
  return selector_named(name);
}

SIMULATED_EXPORT Object *objc_retain(Object *object) {
  if (object != nullptr) retain(object);
  return object;
}

SIMULATED_EXPORT void objc_release(Object *object) {
  if (object != nullptr) release(object);
}

SIMULATED_EXPORT void *objc_autoreleasePoolPush() {
  Pools &mine = pools();
  mine.begins.push_back(mine.objects.size());
  return reinterpret_cast<void *>(mine.begins.size());
}

SIMULATED_EXPORT void objc_autoreleasePoolPop(void *pool) {
  Pools &mine = pools();
  if (mine.begins.empty() || reinterpret_cast<size_t>(pool) != mine.begins.size()) {
    die("a pool was popped that is not the newest of its thread");
  }
  while (mine.objects.size() > mine.begins.back()) {
    Object *const last = mine.objects.back();
    mine.objects.pop_back();
    if (is_gone(last)) die(name_of(last) + " was released before its pool was popped");
    release(last);
  }
  mine.begins.pop_back();
}

// ---- objc_msgSend ----

// Keeps all registers that arguments can be in, so that the method finds them. A message to nil is
// answered with 0, in every register that a result can be in.
#if defined(__x86_64__)
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, @function
objc_msgSend:
  endbr64
  pushq %rbp
  movq %rsp, %rbp
  subq $192, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movq %rax, 48(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  call simulated_metal_find
  movq %rax, %r11
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movq 48(%rsp), %rax
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  testq %r11, %r11
  jz 1f
  jmp *%r11
1:
  xorl %eax, %eax
  xorl %edx, %edx
  xorps %xmm0, %xmm0
  xorps %xmm1, %xmm1
  ret
  .size objc_msgSend, . - objc_msgSend
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend:
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  bl simulated_metal_find
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  cbz x16, 1f
  br x16
1:
  mov x0, #0
  mov x1, #0
  movi v0.2d, #0
  movi v1.2d, #0
  ret
  .size objc_msgSend, . - objc_msgSend
)");
#else
#error "How this processor passes arguments is not known here."
#endif
