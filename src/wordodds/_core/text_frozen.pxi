# Vocabularies that no longer change; part of text.pyx.

cdef object aligned_slots(int64_t n_slots):
    # Slots never straddle cache lines; NumPy aligns to 16 bytes only.
    block = np.empty(n_slots * sizeof(TermSlot) + 64, dtype=np.uint8)
    first = -block.ctypes.data % 64
    return block[first:first + n_slots * sizeof(TermSlot)]


cdef class FrozenTerms:
    """A vocabulary that no longer changes, over arrays of its own or of a mapped file."""

    def __init__(
        self, const unsigned char[::1] arena, const int64_t[::1] offsets,
        const unsigned char[::1] slots, tuple key,
    ):
        cdef size_t address = <size_t> &slots[0] if slots.shape[0] else 0
        if address % 32 or slots.shape[0] % sizeof(TermSlot):
            raise ValueError("slots of a vocabulary must be whole and aligned to 32 bytes")
        self.arena, self.offsets, self.slots, self.key = arena, offsets, slots, key
        self.engine.key = hash_key(key)
        self.engine.arena = span_of(
            <const char*> &arena[0] if arena.shape[0] else NULL, arena.shape[0])
        self.engine.offsets = span_of(
            &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0])
        self.engine.slots = span_of(
            <const TermSlot*> address, slots.shape[0] // <int64_t> sizeof(TermSlot))
        with nogil:  # the memoryviews pin the arrays
            self.engine.check()

    @staticmethod
    def of(Vocabulary vocabulary not None, tuple key not None):
        # A table under another key: that of a vocabulary stays secret.
        arena, offsets = vocabulary.packed()
        cdef int64_t n_slots = c_frozen_slots(len(vocabulary))
        slots = aligned_slots(n_slots)
        cdef unsigned char[::1] out = slots
        cdef HashKey secret = hash_key(key)
        with nogil:  # the memoryview pins the slots
            vocabulary.engine.get().freeze(secret, span_of(<TermSlot*> &out[0], n_slots))
        return FrozenTerms(np.frombuffer(arena, dtype=np.uint8), offsets, slots, key)

    @staticmethod
    def aligned(const unsigned char[::1] slots):
        # A copy where a table may lie.
        copied = aligned_slots(slots.shape[0] // <int64_t> sizeof(TermSlot))
        if slots.shape[0] % sizeof(TermSlot):
            raise ValueError("slots of a vocabulary must be whole")
        copied[:] = slots
        return copied

    def __len__(self):
        return self.engine.size()

    def terms(self):
        cdef int64_t i
        cdef const char* arena = self.engine.arena.data()
        cdef const int64_t* offsets = self.engine.offsets.data()
        return [
            PyUnicode_DecodeUTF8(arena + offsets[i], offsets[i + 1] - offsets[i], "surrogatepass")
            for i in range(self.engine.size())
        ]

    def term(self, int64_t i):
        if not 0 <= i < self.engine.size():
            raise IndexError(f"there are {self.engine.size()} terms, asked for number {i}")
        cdef const int64_t* offsets = self.engine.offsets.data()
        return PyUnicode_DecodeUTF8(
            self.engine.arena.data() + offsets[i], offsets[i + 1] - offsets[i], "surrogatepass")

    def thawed(self):
        # The same terms, where features are counted one by one.
        return Vocabulary(self.arena, self.offsets, self.key)

    def __reduce__(self):
        return _frozen_again, (
            bytes(self.arena), np.array(self.offsets), bytes(self.slots), self.key)


def _frozen_again(arena, offsets, slots, key):
    return FrozenTerms(np.frombuffer(arena, dtype=np.uint8), offsets, FrozenTerms.aligned(slots), key)
