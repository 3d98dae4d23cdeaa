// SPDX-License-Identifier: Apache-2.0
//
// A small Objective-C runtime in C++: objects that are counted, classes with methods by selector,
// and the functions by which a program sends messages (objc.cpp). Misuse that ends a real process,
// such as a message to an object that is gone, ends this one, with the class and selector named.
#ifndef NEXUS_SIMULATED_METAL_OBJC_HPP_
#define NEXUS_SIMULATED_METAL_OBJC_HPP_

#include "../simulator/call.hpp"

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace metal {

struct NSError;
struct NSString;
class Class;

// SEL: one object for each name.
struct Selector {
  std::string name;
};
using SEL = const Selector *;
SEL selector_named(const std::string &name);

// Records misuse for tests. Not under the world's lock.
void note_misuse(const std::string &what);
// Records misuse and ends the process, as an Objective-C exception that nobody catches does.
[[noreturn]] void die(const std::string &what);

struct Method {
  SEL selector;
  void (*implementation)();
  int since;           // the version of macOS that added it
  std::string passed;  // the result and the arguments, a letter of how_passed() for each
};

// How a type is passed: v nothing, c a byte, d a double, s an MTLSize, r an NSRange, p an address,
// i a number of 64 bits.
template <class T>
constexpr char how_passed() {
  if (std::is_void_v<T>) return 'v';
  if (std::is_same_v<T, bool> || std::is_same_v<T, uint8_t>) return 'c';
  if (std::is_same_v<T, double>) return 'd';
  if (std::is_same_v<T, MTLSize>) return 's';
  if (std::is_same_v<T, NSRange>) return 'r';
  return std::is_pointer_v<T> ? 'p' : 'i';
}

// What a program sees as id. The memory of one that is gone is kept for a while, with what stands
// before it, so that messages to it are noticed.
class Object {
 public:
  explicit Object(const Class &isa);
  virtual ~Object();
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
  // GCC warns of the pair where it sees into one of them only.
  [[gnu::noinline]] static void *operator new(size_t size);
  [[gnu::noinline]] static void operator delete(void *memory);

  const Class &isa() const { return *isa_; }
  // NULL: it does not respond.
  virtual const Method *find(SEL selector) const;
  // "MTLBuffer" in messages.
  virtual std::string kind() const;

 protected:
  Object() = default;  // of a class

  const Class *isa_ = nullptr;
};

// Stands before each object in memory.
struct alignas(16) Header {
  std::atomic<int64_t> count{1};  // below 1: the object is gone
  const Class *isa = nullptr;
};
inline Header &header_of(const void *object) {
  return static_cast<Header *>(const_cast<void *>(object))[-1];
}

// These may be called for objects that are gone, which ends the process.
void retain(Object *object);
void release(Object *object);
// At the end of this thread's newest pool.
void autorelease(Object *object);

// A class, which is an object itself. Made before main(), never changed then, never destroyed.
class Class : public Object {
 public:
  // own: the methods of the class itself. super: the class whose methods it has too, or nullptr.
  Class(const char *name, const char *super, std::initializer_list<Method> methods,
        std::initializer_list<Method> own = {});

  const char *name() const { return name_; }
  const Method *find(SEL selector) const override { return find_in(own_, selector); }
  std::string kind() const override { return std::string("class ") + name_; }
  const Method *method(SEL selector) const;
  // "selector passed" of each method.
  std::vector<std::string> lines() const;

  mutable std::atomic<int64_t> live{0};

 private:
  using Methods = std::map<SEL, Method>;
  static const Method *find_in(const Methods &methods, SEL selector);

  const char *name_;
  const char *super_;
  Methods methods_, own_;
};

// A counted reference.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Retains it.
  explicit Ref(T *object) : object_(object) {
    if (object_ != nullptr) metal::retain(object_);
  }
  // Takes over a count.
  static Ref adopt(T *object) {
    Ref made;
    made.object_ = object;
    return made;
  }
  Ref(const Ref &other) : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) metal::release(object_);
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Gives the count to the program: of methods whose names begin with new, alloc or copy.
  T *leak() { return std::exchange(object_, nullptr); }
  // ... of all others.
  T *autoreleased() {
    if (object_ != nullptr) metal::autorelease(object_);
    return leak();
  }

 private:
  T *object_ = nullptr;
};

template <class T, class... Arguments>
Ref<T> make(Arguments &&...arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

// ---- Methods ------------------------------------------------------------

// Thrown by a method, which returns 0, and an NSError where it has a parameter for one.
struct Failed {
  int code;
  std::string text;
  const char *domain = "MTLSimulatedErrorDomain";
};
void give_error(NSError **out, const Failed &failed);

// First parameter of a method that deals with the failures that tests plan for it.
struct Planned {
  simulator::Result result;
};

// Counts a call of a method; what was planned for it.
simulator::Result begin(SEL selector);

inline NSError **error_among() {
  return nullptr;
}
template <class First, class... Rest>
NSError **error_among(const First &first, const Rest &...rest) {
  if constexpr (std::is_same_v<First, NSError **>) return first;
  return error_among(rest...);
}

template <class Return, class Body, class... Arguments>
Return guarded(const Body &body, const Arguments &...arguments) noexcept {
  NSError **const error = error_among(arguments...);
  try {
    return body();
  } catch (const Failed &failed) {
    give_error(error, failed);
  } catch (const simulator::Failure &failure) {
    give_error(error, {failure.result, "the simulated device refuses"});
  } catch (const std::bad_alloc &) {
    give_error(error, {simulator::kOutOfMemory, "out of memory"});
  }
  if constexpr (!std::is_void_v<Return>) return Return{};
}

inline void fail_as_planned(SEL selector) {
  const simulator::Result planned = begin(selector);
  if (planned != simulator::kSuccess) throw Failed{planned, selector->name + " fails on demand"};
}

// The C function of a method.
template <auto method>
struct Entry;

template <class... Arguments>
constexpr bool starts_planned = false;
template <class... Rest>
constexpr bool starts_planned<Planned, Rest...> = true;

template <class Self, class Return, class... Arguments, Return (Self::*method)(Arguments...)>
  requires(!starts_planned<Arguments...>)
struct Entry<method> {
  static Return call(Self *self, SEL selector, Arguments... arguments) {
    return guarded<Return>(
        [&] {
          fail_as_planned(selector);
          return (self->*method)(arguments...);
        },
        arguments...);
  }
  // Not counted, nor failed.
  static Return quiet(Self *self, SEL, Arguments... arguments) {
    return guarded<Return>([&] { return (self->*method)(arguments...); }, arguments...);
  }
};

template <class Self, class Return, class... Arguments,
          Return (Self::*method)(Planned, Arguments...)>
struct Entry<method> {
  static Return call(Self *self, SEL selector, Arguments... arguments) {
    return guarded<Return>([&] { return (self->*method)(Planned{begin(selector)}, arguments...); },
                           arguments...);
  }
};

// Of a class's own method.
template <class Return, class... Arguments, Return (*method)(Arguments...)>
struct Entry<method> {
  static Return call(Class *, SEL selector, Arguments... arguments) {
    return guarded<Return>(
        [&] {
          fail_as_planned(selector);
          return method(arguments...);
        },
        arguments...);
  }
};

constexpr int kBaseline = 13;  // macOS

template <class Return, class Self, class... Arguments>
Method method_of(const char *selector, int since, Return (*function)(Self *, SEL, Arguments...)) {
  return {selector_named(selector),
          reinterpret_cast<void (*)()>(function),
          since,
          {how_passed<Return>(), how_passed<Arguments>()...}};
}

template <auto implementation>
Method method(const char *selector, int since = kBaseline) {
  return method_of(selector, since, &Entry<implementation>::call);
}
template <auto implementation>
Method getter(const char *selector, int since = kBaseline) {
  return method_of(selector, since, &Entry<implementation>::quiet);
}

// ---- Properties ---------------------------------------------------------

template <class T>
struct Property {
  using Type = T;
};
template <class T>
struct Property<Ref<T>> {
  using Type = T *;
};

// The methods of a member, which a program reads and writes.
template <auto member>
struct Accessor;
template <class Self, class T, T Self::*member>
struct Accessor<member> {
  using Type = typename Property<T>::Type;

  static Type get(Self *self, SEL) {
    if constexpr (std::is_same_v<T, Type>)
      return self->*member;
    else
      return (self->*member).get();
  }
  static void set(Self *self, SEL, Type value) { self->*member = T(value); }
};
template <auto member>
Method get(const char *selector, int since = kBaseline) {
  return method_of(selector, since, &Accessor<member>::get);
}
template <auto member>
Method set(const char *selector, int since = kBaseline) {
  return method_of(selector, since, &Accessor<member>::set);
}

template <class T>
T *make_new() {
  return make<T>().leak();
}
// alloc and new of a class whose objects are plain; such an object needs the method init too.
template <class T>
Method alloc() {
  return method<&make_new<T>>("alloc");
}
template <class T>
Method new_object() {
  return method<&make_new<T>>("new");
}

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_OBJC_HPP_
