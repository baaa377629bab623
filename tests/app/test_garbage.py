import gc
import threading

from app.garbage import GarbageCollector


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
