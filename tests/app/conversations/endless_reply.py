"""A program that receives a reply that does not end, prints how many tokens it has, and waits to be killed."""

import itertools

from PySide6.QtCore import QCoreApplication

from app.bridge import EngineBridge
from app.conversations.database import Database
from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.recorder import Recorder
from app.conversations.reply_plan import ReplyPlan
from app.settings.folders import data_folder
from engine.messages import Sampling, Submit
from tests.app.fake_engine import FakeEngine, deltas_of

application = QCoreApplication([])
engine, database = FakeEngine(), Database(data_folder())
engine.script, engine.delay_seconds = deltas_of(" ".join(str(number) for number in range(5000))), 0.01
bridge = EngineBridge(engine)
recorder = Recorder(database, bridge)
user, reply = new_exchange("Hi", conversation_id="c", parent_id=None, plan=ReplyPlan("m", "none"))
database.run(lambda store: save_exchange(store, user, reply, "Hi")).result()
live = recorder.begin(bridge.next_request_id(), reply)
num_deltas = itertools.count(1)
live.extended.connect(lambda delta: print(next(num_deltas), flush=True))
bridge.start()
bridge.send(Submit(live.request_id, "c", "m", "none", (), Sampling()))
application.exec()
