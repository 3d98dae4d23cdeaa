// SPDX-License-Identifier: Apache-2.0
//
// Callbacks of streams. libnexus calls them on its own callback thread, which is not Python's.
#include "objects/callback.hpp"

#include "python/errors.hpp"
#include "python/gil.hpp"

namespace nexus::python {
namespace {

// Returns the exception of a failed stream, this thread's latest error; None for NXS_Success.
PyObject *errorOf(nxs_status status) {
  if (status == NXS_Success) {
    return Py_NewRef(Py_None);
  }
  try {
    nexus::detail::throwLastError(status);
  } catch (const Error &error) {
    return exceptionOf(error);
  }
}

// context is the only reference to the function. Its exceptions go to sys.unraisablehook.
void callBack(void *context, nxs_status status) {
  const PyGILState_STATE state = ensureGil();
  callUntilTheEnd(static_cast<PyObject *>(context), errorOf(status));
  PyGILState_Release(state);
}

}  // namespace

void addCallback(const Stream &stream, py::handle function) {
  if (PyCallable_Check(function.ptr()) == 0) {
    throwTypeError("function", "callable with one argument, the error or None", function);
  }
  Py_INCREF(function.ptr());  // owned by the callback
  const nxs_status status =
      withoutGil([&] { return nexus_stream_add_callback(stream.get(), callBack, function.ptr()); });
  if (status != NXS_Success) {
    Py_DECREF(function.ptr());
    nexus::detail::throwLastError(status);
  }
}

}  // namespace nexus::python
