"""`python -m ops.kafka`: what `local` does, by hand."""

import argparse
import sys
from pathlib import Path

from ops.kafka.local import RUN, KafkaFailed, KafkaMissing, LocalKafka


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ops.kafka", description="A real Kafka on loopback.")
    parser.add_argument("--directory", type=Path, default=RUN, help="data, logs and pids of the cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("start", help="start all nodes and print the bootstrap servers")
    start.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    start.add_argument("--port", type=int, help="of the first node's clients; by default free ones are chosen")
    for name in ("kill", "term", "up"):
        commands.add_parser(name).add_argument("node", type=int)
    for name in ("stop", "wipe", "bootstrap"):
        commands.add_parser(name)
    asked = parser.parse_args()
    kafka = LocalKafka(asked.directory)
    try:
        match asked.command:
            case "start":
                print(kafka.start(asked.nodes, port=asked.port))
            case "bootstrap":
                print(kafka.bootstrap())
            case "kill" | "term" | "up":
                getattr(kafka, asked.command)(asked.node)
            case _:
                getattr(kafka, asked.command)()
    except (KafkaMissing, KafkaFailed) as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
