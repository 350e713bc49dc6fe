"""`verify` beside a rater at work: a transaction whose end is marked in one topic and not yet in another is no fault."""

from random import Random

from rerate.audit.verify import LATE_POLLS, verify
from rerate.pool.head import read_head
from tests.kit.simloop import SimProcess
from tests.kit.simworld import RecordedLog, SimWorld, Weather, random_messages

POOL = "w:pool"


def shown(log: RecordedLog, topic: str) -> int:
    """Number of the newest head of the pool that a reader sees in a topic."""
    heads = [one.record.value for one in log.part(0, topic).seen if one.record.key == POOL.encode() and one.record.value is not None]
    return read_head(heads[-1]).update if heads else 0


def test_a_head_that_is_on_its_way_to_another_topic_is_waited_for() -> None:
    times_between = 0
    for seed in range(40):
        world = SimWorld(seed, Weather())
        world.log.mark_rate = 0.05
        with world.loop as loop:
            world.publish(random_messages(Random(seed), [POOL], 1, 12, 0.0), late=True)
            world.start(SimProcess("rater"))
            while not world.is_late_read:
                loop.step()
                if shown(world.log, "rating-heads") > shown(world.log, "rating-updates"):
                    times_between += 1
                    (verdict,) = loop.run(verify(world.log.client()))
                    assert verdict.holds, verdict
    assert times_between > 20


def test_a_head_that_never_comes_is_a_fault() -> None:
    world = SimWorld(1, Weather())
    with world.loop as loop:
        world.publish(random_messages(Random(1), [POOL], 1, 6, 0.0), late=True)
        process = world.begin(SimProcess("rater"))
        world.log.settle()
        assert not process.alive
        del world.log.part(0, "rating-updates").seen[-1]
        steps = world.log.steps
        (verdict,) = loop.run(verify(world.log.client()))
    assert verdict.faults == ("the newest head in rating-heads is not in rating-updates",)
    assert world.log.steps - steps >= LATE_POLLS
