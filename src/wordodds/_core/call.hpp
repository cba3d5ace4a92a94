// What a binding adds to an engine call: Python's signals as the poll of the stop token.
#pragma once

#include <Python.h>

#include <cstdint>
#include <stdexcept>

#include "wordodds/base/parallel.hpp"
#include "wordodds/base/types.hpp"

namespace wordodds::binding {

// Python runs signal handlers on its main thread alone. Precondition: the interpreter lock is held.
inline bool on_main_thread() {
    PyObject* const threading = PyImport_ImportModule("threading");
    PyObject* const main = threading ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
    PyObject* const ident = main ? PyObject_GetAttrString(main, "ident") : nullptr;
    const bool same = ident && PyLong_Check(ident) &&
                      PyLong_AsUnsignedLong(ident) == PyThread_get_thread_ident();
    Py_XDECREF(ident);
    Py_XDECREF(main);
    Py_XDECREF(threading);
    PyErr_Clear();
    return same;
}

// Runs on the thread that made the call, which has released the interpreter lock. On Python's main
// thread a pending Ctrl-C becomes KeyboardInterrupt here and stays set while the engine unwinds.
inline bool poll_signals(void*) {
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool raised = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return raised;
}

// Lives on the stack of one binding function, for one engine call.
struct Call {
    // Other threads never poll: taking the lock while the interpreter ends would end the thread in
    // the middle of the engine.
    StopToken stop{on_main_thread() ? poll_signals : nullptr, nullptr};
    Execution execution;

    Call(int32_t n_jobs, int32_t instruction_set)
        : execution{n_jobs, static_cast<InstructionSet>(instruction_set), &stop} {
        if (n_jobs < 1) throw std::invalid_argument("n_jobs must be resolved before the binding");
    }
    Call(const Call&) = delete;
};

template <class T>
std::span<T> span_of(T* data, int64_t length) {
    return {data, static_cast<size_t>(length)};
}

template <class Index, class Value>
CsrView<Index, Value> csr_view(int64_t n_rows, int64_t n_cols, const Index* indptr,
                               int64_t indptr_length, const Index* indices,
                               int64_t indices_length, const Value* data, int64_t data_length) {
    return {n_rows, n_cols, span_of(indptr, indptr_length), span_of(indices, indices_length),
            span_of(data, data_length)};
}

}  // namespace wordodds::binding
