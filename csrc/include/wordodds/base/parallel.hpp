// Threads that live for one call.
//
// Work is cut into chunks whose borders depend on the data alone, never on the number of threads;
// partial results are combined in chunk order. So every kernel gives the same bits for any n_jobs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "wordodds/base/dispatch.hpp"
#include "wordodds/base/stop.hpp"

namespace wordodds {

// How one call is to run: the arguments that every kernel takes besides its data.
struct Execution {
    int32_t n_jobs;  // threads at most, the calling one included; >= 1
    InstructionSet instruction_set;
    StopToken* stop;  // not null
};

// Calls body(chunk, worker) once for each chunk in [0, n_chunks), on at most n_jobs threads
// including the calling one; worker is in [0, min(n_jobs, n_chunks)) and no two running bodies
// share it, so it may index scratch space. The token is checked before each chunk. The first
// exception of any body stops the others and is rethrown here after all threads have ended.
// With one job or one chunk no thread is started.
void parallel_for(const Execution& execution, int64_t n_chunks,
                  const std::function<void(int64_t chunk, int32_t worker)>& body);

// Half-open ranges [begin, end) that cut n items into chunks of chunk_size (the last may be less).
struct FixedChunks {
    int64_t n_items;
    int64_t chunk_size;

    int64_t count() const { return (n_items + chunk_size - 1) / chunk_size; }
    int64_t begin(int64_t chunk) const { return chunk * chunk_size; }
    int64_t end(int64_t chunk) const { return std::min(n_items, begin(chunk) + chunk_size); }
};

// combine(...combine(combine(initial, map(0)), map(1))..., map(n_chunks - 1)): the maps run on any
// thread, the combining always in chunk order. Holds n_chunks partial results at once.
template <class Result, class Map, class Combine>
Result parallel_reduce(const Execution& execution, int64_t n_chunks, Result initial, Map&& map,
                       Combine&& combine) {
    std::vector<Result> partial(static_cast<size_t>(n_chunks));
    parallel_for(execution, n_chunks,
                 [&](int64_t chunk, int32_t) { partial[static_cast<size_t>(chunk)] = map(chunk); });
    for (Result& part : partial) initial = combine(std::move(initial), std::move(part));
    return initial;
}

}  // namespace wordodds
