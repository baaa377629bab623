import threading
from pathlib import Path

from app.bridge import EngineBridge
from engine.messages import Answer, Delta, DrafterFacts, Failed, Finished, LoadModel, Notice, Sampling, Shutdown, Submit
from tests.app.fake_engine import FakeEngine


def submit(request_id):
    return Submit(request_id, "c", "/models/tiny", "none", (), Sampling())


def test_events_arrive_on_the_gui_thread_in_order(bridge, qtbot):
    threads, events = [], []
    bridge.received.connect(lambda event: (threads.append(threading.current_thread()), events.append(event)))
    bridge.send(submit(1))
    qtbot.waitUntil(lambda: events[-1:] == [Finished(1, "stop")])
    assert set(threads) == {threading.main_thread()}
    assert [event.text for event in events if isinstance(event, Delta)] == ["Hello", " there"]


def test_stop_ends_the_engine_and_hands_out_its_last_events(qapp):
    engine, events = FakeEngine(), []
    engine.ending = None
    bridge = EngineBridge(engine)
    bridge.received.connect(events.append)
    bridge.start()
    bridge.send(submit(1))
    assert bridge.stop(timeout_seconds=5)
    assert engine.commands[-1] == Shutdown()
    assert events[-1] == Finished(1, "cancelled")


def test_request_ids_are_positive_and_never_used_twice(bridge):
    ids = [bridge.next_request_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert min(ids) > 0


def test_facts_of_a_loaded_model_are_remembered(bridge, qtbot):
    assert bridge.facts_of("/models/tiny") is None
    with qtbot.waitSignal(bridge.received):
        bridge.send(LoadModel(1, "/models/tiny"))
    assert bridge.facts_of("/models/tiny").tokenizer_id == "tokenizer-1"


def test_paths_in_sentences_of_the_engine_are_written_as_the_window_writes_them(bridge, fake_engine, qtbot):
    sentence, events = f"The file is missing in '{Path.home()}/m'.", []
    bridge.received.connect(events.append)
    fake_engine.emit(Failed(1, "model", sentence))
    fake_engine.emit(Notice(1, "drafter", sentence))
    fake_engine.emit(Answer(1, DrafterFacts("", "/m", "model", "M", refusal=sentence)))
    qtbot.waitUntil(lambda: any(isinstance(event, Answer) for event in events))
    told = [event.text for event in events if isinstance(event, Failed | Notice)]
    told += [event.value.refusal for event in events if isinstance(event, Answer)]
    assert told == ["The file is missing in '~/m'."] * 3
