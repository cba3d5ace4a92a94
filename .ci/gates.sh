# The gates of .ci/run and .ci/full, and how they are run; a file to source.
#
# Gates make their own environments inside the checkout and in a temporary folder; they need Python
# 3.11+, a C++20 compiler and a package index. One gate alone: see CONTRIBUTING.md.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
# Byte code is written where it is used, not for all of every package.
export PIP_NO_COMPILE=1 PIP_PROGRESS_BAR=off PIP_DISABLE_PIP_VERSION_CHECK=1
data=$(cd .. && pwd)/shared/data
[ -d "$data" ] && export WORDODDS_DATA="$data"
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$scratch"' EXIT
export PATH=$PWD/.venv-test/bin:$PATH
wheel_build=$PWD/csrc/build/wheel  # where the README's command compiles
chosen=()  # names of the gates to run

# --- What runs gates ---

choose() {  # choose "ALL GATES" NAME...: those named and what they need, or all
    local all=$1 name wanted=" "
    shift
    for name; do
        if [[ " $all " != *" $name "* ]]; then
            printf 'no gate is called %s; there are: %s\n' "$name" "$all" >&2
            exit 2
        fi
        wanted+="$name $(needs "$name") "
    done
    [ $# != 0 ] || wanted=" $all "
    for name in $all; do
        [[ $name = install && "$wanted" == *" tests "* ]] && continue  # the tests install as well
        [[ "$wanted" != *" $name "* ]] || chosen+=("$name")
    done
}

is_chosen() { [[ " ${chosen[*]} " == *" $1 "* ]]; }

needs() {  # needs NAME: the gates before it whose work it uses
    case $1 in
        install | tests | oldest | clang) ;;
        planted) echo install sanitizers ;;
        hard | benchmarks) echo install extras ;;
        *) echo install ;;
    esac
}

gate() {  # gate NAME COMMAND...: if chosen, runs it, shows its output and notes result and time
    local name=$1 start=$SECONDS result=ok
    local log=$scratch/$name.log
    shift
    is_chosen "$name" || return 0
    "$@" >"$log" 2>&1 || result=FAILED
    (
        flock 9  # gates of both lanes may end at once
        printf '\n=== %s\n' "$name"
        cat "$log"
        printf '%-12s %-7s %7s\n' "$name" "$result" $((SECONDS - start)) >>"$scratch/results"
    ) 9>"$scratch/lock"
}

# Two lanes, so that one fills the cores while the other waits for a download or a linker. The
# README's tests go first: those of Ctrl-C and of threads dislike a busy machine. Not by much, or
# the C++ tests would starve and run into their time limit.
step_back() { renice -n 5 "$BASHPID" >/dev/null; }

tests_lane() {  # tests_lane OPTION...: options for pytest
    gate tests readme_tests "$@"
    step_back
    gate wheel wheel_from_sdist
}

engine_lane() {
    step_back
    gate style style
    gate types types
    gate release engine release -DWORDODDS_ENGINE="$wheel_build/libwordodds_engine.a"
    gate sanitizers engine asan-ubsan
    gate planted planted_bugs
}

both_lanes() {  # both_lanes OPTION...: the gates of every change; options for pytest
    local tests
    ! is_chosen tests || rm -rf .venv-test
    gate install install_package
    tests_lane "$@" &
    tests=$!
    until installed || ! kill -0 "$tests" 2>/dev/null; do sleep 1; done
    engine_lane &
    wait
}

# The last package that pip installs.
installed() { compgen -G '.venv-test/lib/python3*/site-packages/wordodds-*.dist-info/RECORD' >/dev/null; }

# The last lines: the slowest tests, the gates with the slowest first, the number of tests by tier.
summary() {
    local name result=ok
    each_log slowest_tests
    printf '\n%-12s %-7s %7s\n' gate result seconds
    touch "$scratch/results"
    sort -k3,3nr "$scratch/results"
    grep -q FAILED "$scratch/results" && result=FAILED
    # A lane that broke off has gates without a result.
    for name in "${chosen[@]}"; do
        grep -q "^$name " "$scratch/results" && continue
        printf '%-12s %-7s %7s\n' "$name" MISSING -
        result=FAILED
    done
    each_log counts
    printf '%-12s %-7s %7s\n' all "$result" "$SECONDS"
    [ "$result" = ok ]
}

each_log() {  # each_log FUNCTION: calls it with the name and the log of each gate that ran
    local name
    for name in "${chosen[@]}"; do
        [ ! -f "$scratch/$name.log" ] || "$1" "$name" "$scratch/$name.log"
    done
}

slowest_tests() {
    sed -n "s/^=* \(slowest [0-9]* durations\) =*\$/\n$1: \1/p; /^[0-9.]*s \(call\|setup\|teardown\) /p" "$2"
}

counts() {
    sed -n -E "s/^((all tiers|quick tier|the quick tier|too old|[0-9]+% tests passed).*)/$1: \1/p" "$2"
}

# --- The gates ---

fresh_environment() {  # fresh_environment FOLDER [PYTHON]
    rm -rf "$1" && "${2:-python3}" -m venv "$1"
}

readme_tests() {  # readme_tests OPTION...: options for pytest
    local -x SKBUILD_BUILD_DIR=$wheel_build  # its engine goes on to ctest
    rm -rf .venv-test "$wheel_build"
    python3 -m venv .venv-test && .venv-test/bin/pip install '.[test]' && .venv-test/bin/python -m pytest --durations=10 "$@"
}

install_package() {  # what the other gates need of it, where the tests are not chosen
    local -x SKBUILD_BUILD_DIR=$wheel_build
    rm -rf "$wheel_build"
    fresh_environment .venv-test && .venv-test/bin/pip install '.[test]'
}

quick_tier() {  # quick_tier ENVIRONMENT
    "$1/bin/python" -m pytest --durations=10
}

style() {
    ruff check . && ruff format --check . &&
        find csrc src -name '*.[ch]pp' -not -path 'csrc/build/*' -print0 |
        xargs -0 clang-format --dry-run --Werror
}

# The annotations agree with each other, and the stubs with the compiled modules.
types() {
    mypy && python -m mypy.stubtest wordodds._core --concise \
        --ignore-disjoint-bases --allowlist .ci/stubtest.txt
}

engine() {  # engine PRESET OPTION...
    (cd csrc && cmake --preset "$1" --fresh "${@:2}" && cmake --build --preset "$1" && ctest --preset "$1")
}

# The sanitizer build must be able to fail: with two errors planted, ctest has to report both.
planted_bugs() {
    local build=csrc/build/asan-ubsan report="$scratch/planted.txt"  # the gate before has built it
    (cd csrc && cmake --preset asan-ubsan -DWORDODDS_PLANT_BUG=ON) >/dev/null &&
        cmake --build "$build" --target wordodds_planted_bug >/dev/null || return 1
    if ctest --test-dir "$build" -R '^planted_' --output-on-failure >"$report" 2>&1; then
        echo "the planted bugs went unnoticed"
        return 1
    fi
    grep -q 'AddressSanitizer: heap-buffer-overflow' "$report" &&
        grep -q 'runtime error: signed integer overflow' "$report" &&
        echo "both planted bugs turned the sanitizer job red, as they must"
}

# Every source file is in the sdist, and the bindings build from it; its engine is the same code that
# the gates before have compiled.
wheel_from_sdist() {
    python -m build --quiet --sdist --outdir "$scratch/sdist" . &&
        tar xzf "$scratch"/sdist/wordodds-*.tar.gz -C "$scratch" &&
        diff -r -x build -x __pycache__ csrc "$scratch"/wordodds-*/csrc &&
        diff -r -x __pycache__ src "$scratch"/wordodds-*/src &&
        fresh_environment "$scratch/venv" &&
        # That it builds is the question, not how fast it runs: no optimisation.
        "$scratch/venv/bin/pip" install --quiet --no-deps -Ccmake.build-type=None \
            -Ccmake.define.WORDODDS_ENGINE="$wheel_build/libwordodds_engine.a" \
            "$scratch"/sdist/wordodds-*.tar.gz &&
        # What it depends on is that of the tests, found behind its own packages.
        ls -d "$PWD"/.venv-test/lib/python3*/site-packages \
            >"$(echo "$scratch"/venv/lib/python3*/site-packages)/dependencies.pth" &&
        (cd "$scratch" && venv/bin/python - <<'PY' && venv/bin/wordodds reproduce --only boundaries --output reproduced)
import sys
import wordodds

assert wordodds.__file__.startswith(sys.prefix)
wordodds.show_config()
counts = (vectorizer := wordodds.CountVectorizer()).fit_transform(["free money", "lunch with you"])
model = wordodds.MultinomialNB().fit(counts, ["spam", "ham"])
assert model.predict(vectorizer.transform(["money"])).tolist() == ["spam"]
PY
}

# What the battery and the benchmarks need beyond the tests, over the engine that the tests ran on.
extras() {
    fresh_environment .venv-extras &&
        .venv-extras/bin/pip install '.[fuzz,bench]' \
            -Ccmake.define.WORDODDS_ENGINE="$wheel_build/libwordodds_engine.a"
}

in_extras() { PATH=$PWD/.venv-extras/bin:$PATH "$@"; }

battery() { has_clang -fsanitize=fuzzer,address,undefined && in_extras python -m tests.hard; }

quick_benchmarks() { in_extras python -m pytest benchmarks -m quick --benchmark-only; }

# The lower bounds of pyproject.toml hold: the oldest versions build the wheel and pass the tests.
oldest_versions() {
    local python=python3.11 pins=$scratch/oldest.txt  # the oldest Python, if it is there
    "$python" -c '' 2>/dev/null || python=python3
    "$python" .ci/oldest.py >"$pins" && fresh_environment .venv-oldest "$python" &&
        # The second is for newer versions of pip, where the first has no say in the build.
        PIP_CONSTRAINT=$pins PIP_BUILD_CONSTRAINT=$pins .venv-oldest/bin/pip install '.[test]' &&
        quick_tier .venv-oldest
}

# Engine, bindings and tests by another compiler, which takes its own view of what is undefined.
clang_build() {
    local -x CC=clang CXX=clang++ CXXFLAGS=-Werror PATH=$PWD/.venv-clang/bin:$PATH
    local -x SKBUILD_BUILD_DIR=$PWD/csrc/build/clang-wheel
    local tests=csrc/build/clang
    has_clang || return 1
    rm -rf "$SKBUILD_BUILD_DIR" "$tests"
    fresh_environment .venv-clang && .venv-clang/bin/pip install '.[test]' &&
        (cd csrc && cmake --preset release -B "build/clang" \
            -DWORDODDS_ENGINE="$SKBUILD_BUILD_DIR/libwordodds_engine.a") &&
        cmake --build "$tests" && ctest --test-dir "$tests" --output-on-failure --parallel 2 &&
        quick_tier .venv-clang
}

has_clang() {  # has_clang OPTION...: whether it compiles and links with these options
    local program=$scratch/has_clang
    printf '#include <cstddef>\nextern "C" int LLVMFuzzerTestOneInput(const unsigned char*, size_t) { return 0; }\n' >"$program.cpp"
    [ $# != 0 ] || printf 'int main() {}\n' >>"$program.cpp"
    clang++ "$@" "$program.cpp" -o "$program" && return
    echo "needs Clang with its sanitizers and libFuzzer; on Debian 12: apt install clang libclang-rt-14-dev"
    return 1
}
