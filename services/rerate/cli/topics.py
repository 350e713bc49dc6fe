"""`rerate topics`: make a log's topics, and refuse what could lose facts."""

from pathlib import Path

import click

from rerate.cli.base import NO, Ended, Options, run, shared_options
from rerate.cli.opening import choose, kafka_address
from rerate.cli.output import count, say, table, write_json
from rerate.log.embedded import EmbeddedLog
from rerate.log.topics import PARTITIONS, REPLICATION, Kind, TopicState, ensure_topics, kinds
from rerate.messages.facts import COMMAND_TOPIC, COMPACTED_TOPICS, FACT_TOPICS, NEWEST_ONLY_TOPICS, OUTCOME_TOPICS


def all_topics() -> dict[str, Kind]:
    """Every topic of a log on Kafka with its kind, without the prefix."""
    return kinds(FACT_TOPICS, OUTCOME_TOPICS, COMPACTED_TOPICS, NEWEST_ONLY_TOPICS) | {COMMAND_TOPIC: "kept"}


@click.command()
@click.option("--partitions", type=click.IntRange(1, 10_000), default=PARTITIONS, show_default=True, help="Of every topic, for life.")
@click.option("--replication", type=click.IntRange(1, 10), default=REPLICATION, show_default=True, help="Copies of every record.")
@shared_options
@click.pass_obj
def topics(options: Options, partitions: int, replication: int) -> None:
    """Create the topics that are missing; change none that is there.

    Refuses (exit code 1) fact topics with another policy than delete, a retention that is not for ever or a publisher's timestamps, outcome
    topics that would lose rows, and another number of partitions: then nothing is created.
    """
    bootstrap = kafka_address(options)
    if bootstrap is None:
        directory = run(_embedded(options))
        if options.as_json:
            write_json({"log": str(directory), "state": "found"})
        else:
            say(f"the embedded log in {directory} is there; it has all topics, one partition each")
        return
    states = run(ensure_topics(bootstrap, all_topics(), prefix=options.prefix, partitions=partitions, replication=replication))
    refused = [state for state in states if state.state == "refused"]
    if options.as_json:
        for state in states:
            write_json({"topic": state.topic, "kind": state.kind, "state": state.state, "reasons": list(state.reasons)})
    else:
        _show(states)
    if refused:
        raise Ended(f"{count(len(refused), 'topic is', 'topics are')} not as a log needs them; nothing was created or changed", NO)


def _show(states: list[TopicState]) -> None:
    table(["topic", "kind", "state"], [(state.topic, state.kind, state.state) for state in states])
    for state in states:
        for reason in state.reasons:
            say(f"{state.topic}: {reason}")


async def _embedded(options: Options) -> Path:
    log = choose(options).log
    assert isinstance(log, EmbeddedLog)
    try:
        await log.create()
        return log.facts_path.parent
    finally:
        await log.close()
