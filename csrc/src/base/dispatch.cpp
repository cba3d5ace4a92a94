#include "wordodds/base/dispatch.hpp"

namespace wordodds {

std::string_view instruction_set_name(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx2: return "avx2";
        case InstructionSet::avx512: return "avx512";
        case InstructionSet::baseline: break;
    }
    return "baseline";
}

std::vector<InstructionSet> available_instruction_sets() {
    std::vector<InstructionSet> sets{InstructionSet::baseline};
#if WORDODDS_X86
    // The builtin also asks the operating system whether it saves the wider registers.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2");
    if (avx2) sets.push_back(InstructionSet::avx2);
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        sets.push_back(InstructionSet::avx512);
    }
#endif
    return sets;
}

}  // namespace wordodds
