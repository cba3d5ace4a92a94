// What a binding adds to an engine call: Python's signals as the poll of the stop token.
#pragma once

#include <Python.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds::binding {

// The identifier of Python's main thread; 0 if there is none. Precondition: the interpreter lock is
// held.
inline unsigned long find_main_thread() {
    PyObject* const threading = PyImport_ImportModule("threading");
    PyObject* const main =
        threading ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
    PyObject* const ident = main ? PyObject_GetAttrString(main, "ident") : nullptr;
    const unsigned long found = ident && PyLong_Check(ident) ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(ident);
    Py_XDECREF(main);
    Py_XDECREF(threading);
    PyErr_Clear();
    return found;
}

// Python runs signal handlers on its main thread alone. Precondition: the interpreter lock is held,
// which also guards what is remembered. In a forked child another thread may be the main one.
inline bool on_main_thread() {
    static pid_t process = 0;
    static unsigned long main_thread = 0;
    if (process != getpid()) {
        main_thread = find_main_thread();
        process = getpid();
    }
    return PyThread_get_thread_ident() == main_thread;
}

// Lives on the stack of one binding function, for one engine call.
struct Call {
    // Other threads never poll: taking the lock while the interpreter ends would end the thread in
    // the middle of the engine.
    StopToken stop{on_main_thread() ? poll : nullptr, this};
    Execution execution;
    // Called with the units done since the last call; borrowed, may be null or None.
    PyObject* advance;
    int64_t told = 0;

    Call(int32_t n_jobs, int32_t instruction_set, PyObject* advance_ = nullptr)
        : execution{n_jobs, static_cast<InstructionSet>(instruction_set), &stop},
          advance(advance_ == Py_None ? nullptr : advance_) {
        if (n_jobs < 1) throw std::invalid_argument("n_jobs must be resolved before the binding");
    }
    Call(const Call&) = delete;

    // Runs on the thread that made the call, which has released the interpreter lock. On Python's
    // main thread a pending Ctrl-C becomes KeyboardInterrupt here and stays set while the engine
    // unwinds; so does what `advance` may raise.
    static bool poll(void* context) {
        auto* const call = static_cast<Call*>(context);
        const PyGILState_STATE state = PyGILState_Ensure();
        const bool raised = PyErr_CheckSignals() != 0 || !call->tell();
        PyGILState_Release(state);
        return raised;
    }

    // Tells `advance` what was done since the last time; a binding calls it once more when its
    // kernel has ended. Precondition: the interpreter lock is held. False if Python raised.
    bool tell() {
        if (advance == nullptr) return true;
        const int64_t done = stop.done();
        PyObject* const result =
            PyObject_CallFunction(advance, "L", static_cast<long long>(done - told));
        told = done;
        Py_XDECREF(result);
        return result != nullptr;
    }
};

template <class T>
std::span<T> span_of(T* data, int64_t length) {
    return {data, static_cast<size_t>(length)};
}

}  // namespace wordodds::binding
