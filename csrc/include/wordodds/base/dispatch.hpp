// Which instruction sets this machine can run, by name.
//
// The choice is an argument of every kernel call, never global state: tests name each set, and a
// caller can ask for the baseline on any machine. SIMD code lives in functions with a target
// attribute, so that no other code in the same file is compiled for a newer machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace wordodds {

enum class InstructionSet : int32_t {
    baseline,  // what the compiler targets by default: runs on every machine of the architecture
    avx2,      // AVX2 with BMI1 and BMI2
    avx512,    // AVX-512 F, BW, DQ and VL, on top of avx2
};

std::string_view instruction_set_name(InstructionSet set);

// In ascending order; the first is always `baseline`, the last is the best.
std::vector<InstructionSet> available_instruction_sets();

}  // namespace wordodds

// GCC and Clang on x86-64 compile the target regions; everything else takes the baseline path.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define WORDODDS_X86 1
#define WORDODDS_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define WORDODDS_TARGET_AVX512 \
    __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define WORDODDS_X86 0
#endif
