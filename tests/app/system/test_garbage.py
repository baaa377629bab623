import gc
import threading

from app.system.garbage import MOST_YOUNG, QUIET_TICKS, GarbageCollector


class Ring:
    """Can only be freed by the cyclic collector; says on which thread that was."""

    def __init__(self, freed_on):
        self.itself, self.freed_on = self, freed_on

    def __del__(self):
        self.freed_on.append(threading.current_thread())


def test_garbage_of_other_threads_is_collected_on_the_gui_thread(qtbot):
    freed_on = []
    collector = GarbageCollector()
    worker = threading.Thread(target=lambda: [Ring(freed_on) for _ in range(3000)])
    worker.start()
    worker.join()
    assert freed_on == []
    collector.collect()
    collector.close()
    assert set(freed_on) == {threading.main_thread()}
    assert gc.isenabled()


def test_what_is_made_at_once_is_looked_through_when_nothing_is_to_be_done(qtbot):
    freed_on, worked = [], [0.0]
    collector = GarbageCollector(worked=lambda: worked[0])
    for _ in range(5):
        [Ring(freed_on) for _ in range(MOST_YOUNG + 1000)]
        worked[0] += 0.5
        collector.collect()
    assert freed_on == []
    for _ in range(QUIET_TICKS):
        collector.collect()
    assert len(freed_on) == 5 * (MOST_YOUNG + 1000)
    collector.close()
    assert gc.get_freeze_count() == 0
