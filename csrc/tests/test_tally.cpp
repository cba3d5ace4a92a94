#include "check.hpp"
#include "wordodds/tally/terms.hpp"

namespace wordodds {
namespace {

TEST("a new tally is empty") { CHECK_EQ(TermTally(HashKey{1, 2}).n_documents(), 0); }

}  // namespace
}  // namespace wordodds
