from nlu.memory import Memory


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    memory: Memory[str, int] = Memory(2)
    memory.keep("a", 1)
    memory.keep("b", 2)
    assert memory.find("a") == 1
    memory.keep("c", 3)
    assert (memory.find("a"), memory.find("b"), memory.find("c")) == (1, None, 3)
    memory.keep("a", 4)
    memory.keep("d", 5)
    assert (memory.find("a"), memory.find("c")) == (4, None)
