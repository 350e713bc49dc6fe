"""A real Apache Kafka 4 (KRaft) on loopback from Maven's jars: one node, or three that replicate.

    python -m ops.kafka start [--nodes 3] [--port 19092]     prints the bootstrap servers when all nodes are ready
    python -m ops.kafka kill|term|up NODE                    SIGKILL; SIGTERM and wait; start it again
    python -m ops.kafka stop | wipe | bootstrap              end all nodes; end them and forget the data; print the servers

Everything lies in one directory: `cluster.json` (ports), and for each node `nN/` with its data, its log and the pid of the process that was
started here. Only processes that are still what was started are ever ended. A cluster in another directory is another cluster.
"""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
JARS = HERE / "target" / "jars"
RUN = HERE / ".run"

JAVA_AT_LEAST = 17
HEAP = "384m"
CLUSTER_ID = "cmVyYXRlLWxvY2Fsa2Fma2E"
"""Any 16 bytes in base64url; always the same, so that a node that comes back is still of its cluster."""
STARTED = "Kafka Server started"
READY_SECONDS = 60.0
END_SECONDS = 20.0
PORTS = range(20_000, 32_000)
"""Below those that systems give to outgoing connections: among them a client that knocks at a dead node may get itself as the answer."""


class KafkaMissing(Exception):
    """Raised when this machine lacks what a local Kafka needs; the sentence says what to install."""


class KafkaFailed(Exception):
    """Raised when a node does not start or does not end; the sentence has the end of its log."""


def find_java() -> str:
    """The Java to use.

    Raises:
        KafkaMissing: there is none, or none that is new enough, or the jars are missing and there is no Maven.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    found = _java_version(java) if java else 0
    maven = shutil.which("mvn")
    if java is None or found < JAVA_AT_LEAST or not (maven or _has_jars()):
        raise KafkaMissing(
            f"a local Kafka needs Java {JAVA_AT_LEAST} or newer and Maven (Debian, Ubuntu: apt install openjdk-17-jre-headless maven); "
            f"found {f'Java {found}' if found else 'no Java'} and {'Maven' if maven else 'no Maven'}"
        )
    return java


def fetch_jars() -> None:
    """Bring Kafka's jars here if they are not.

    Raises:
        KafkaMissing: Maven has failed.
    """
    if _has_jars():
        return
    command = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies"]
    fetched = subprocess.run(command, capture_output=True, text=True, check=False)
    if fetched.returncode != 0 or not _has_jars():
        said = "\n".join((fetched.stdout + fetched.stderr).splitlines()[:5])
        raise KafkaMissing(f"Maven could not bring Kafka's jars: {said}")


class LocalKafka:
    """The cluster of one directory."""

    def __init__(self, directory: Path = RUN, *, settings: Mapping[str, str] | None = None) -> None:
        """
        Args:
            settings: more broker settings; they win over those below.
        """
        self._directory = directory
        self._settings = settings or {}
        self._children: set[int] = set()

    # ------------------------------------------------------------------ the whole

    def start(self, nodes: int = 1, *, port: int | None = None) -> str:
        """Start all nodes, on the data that is there, and wait until they are ready.

        Args:
            nodes: 1 or 3; a cluster keeps its number for life.
            port: of the first node's clients, the others count on from there; by default free ones are chosen, once for life.

        Returns:
            The bootstrap servers.
        """
        if nodes not in (1, 3):
            raise ValueError("1 node or 3")
        java = find_java()
        fetch_jars()
        if (self._directory / "cluster.json").exists():
            if self._nodes() != nodes:
                raise KafkaFailed(f"{self._directory} has the data of {self._nodes()} node(s); wipe it first")
        else:
            self._directory.mkdir(parents=True, exist_ok=True)
            ports = _free_ports(2 * nodes) if port is None else list(range(port, port + 2 * nodes))
            (self._directory / "cluster.json").write_text(json.dumps([[ports[2 * n], ports[2 * n + 1]] for n in range(nodes)]))
        self._format(java, nodes)
        for node in range(1, nodes + 1):
            self._launch(java, node)
        for node in range(1, nodes + 1):
            self._wait_ready(node)
        return self.bootstrap()

    def bootstrap(self) -> str:
        """Where clients connect: `127.0.0.1:PORT,…`."""
        return ",".join(f"127.0.0.1:{clients}" for clients, _ in self._ports())

    def is_running(self) -> bool:
        """Whether all nodes are up and ready."""
        nodes = range(1, self._nodes() + 1)
        return bool(nodes) and all(self._pid(node) is not None and STARTED in self._said(node) for node in nodes)

    def stop(self) -> None:
        """End all nodes; the data stays."""
        running = [pid for node in range(1, self._nodes() + 1) if (pid := self._pid(node)) is not None]
        for pid in running:
            os.kill(pid, signal.SIGTERM)
        for node in range(1, self._nodes() + 1):
            if not self._wait_ended(node):
                self.kill(node)

    def wipe(self) -> None:
        """End all nodes at once and forget the data."""
        for node in range(1, self._nodes() + 1):
            if self._pid(node) is not None:
                self.kill(node)
        shutil.rmtree(self._directory, ignore_errors=True)

    # ------------------------------------------------------------------ one node

    def kill(self, node: int) -> None:
        """SIGKILL."""
        os.kill(self._running(node), signal.SIGKILL)
        self._wait_ended(node)

    def term(self, node: int) -> None:
        """SIGTERM, and wait: a controlled shutdown, after which the others take over at once."""
        os.kill(self._running(node), signal.SIGTERM)
        if not self._wait_ended(node):
            raise KafkaFailed(f"node {node} still runs {END_SECONDS:g} s after SIGTERM")

    def up(self, node: int) -> None:
        """Start one node again and wait until it is ready."""
        self._launch(find_java(), node)
        self._wait_ready(node)

    def pid(self, node: int) -> int:
        """Of the process of a node.

        Raises:
            KafkaFailed: it is not running.
        """
        return self._running(node)

    def data(self, node: int = 1) -> Path:
        """Where a node keeps its partitions."""
        return self._home(node) / "data"

    # ------------------------------------------------------------------ inside

    def _format(self, java: str, nodes: int) -> None:
        tools = []
        for node in range(1, nodes + 1):
            self._home(node).mkdir(exist_ok=True)
            lines = [f"{name}={value}\n" for name, value in {**self._broker(node, nodes), **self._settings}.items()]
            (self._home(node) / "server.properties").write_text("".join(lines))
            if (self.data(node) / "meta.properties").exists():
                continue
            command = ["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, "--config", "server.properties"]
            with (self._home(node) / "format.log").open("wb") as said:
                tools.append((node, subprocess.Popen(_java(java, *command), cwd=self._home(node), stdout=said, stderr=subprocess.STDOUT)))
        for node, tool in tools:
            if tool.wait() != 0:
                raise KafkaFailed(f"node {node} cannot be formatted:\n{_tail(self._home(node) / 'format.log')}")

    def _broker(self, node: int, nodes: int) -> dict[str, str]:
        clients, controllers = self._ports()[node - 1]
        copies, in_sync = (3, 2) if nodes == 3 else (1, 1)
        internal = {}
        for topic, partitions in {"offsets.topic": 4, "transaction.state.log": 4, "share.coordinator.state.topic": 1}.items():
            internal[f"{topic}.replication.factor"] = str(copies)
            internal[f"{topic}.num.partitions"] = str(partitions)
        return internal | {
            "process.roles": "broker,controller",
            "node.id": str(node),
            "controller.quorum.voters": ",".join(f"{n}@127.0.0.1:{port}" for n, (_, port) in enumerate(self._ports(), 1)),
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://127.0.0.1:{clients},CONTROLLER://127.0.0.1:{controllers}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{clients}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "PLAINTEXT",
            "log.dirs": str(self.data(node)),
            "auto.create.topics.enable": "false",
            "default.replication.factor": str(copies),
            "min.insync.replicas": str(in_sync),
            "transaction.state.log.min.isr": str(in_sync),
            "share.coordinator.state.topic.min.isr": str(in_sync),
            "log.retention.ms": "-1",
            # Nobody waits for a second member, for a dead owner or for the cleaner longer than a test can.
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "1000",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
            "log.cleaner.backoff.ms": "100",
            # Small: a test machine has two cores and little memory.
            "log.cleaner.dedupe.buffer.size": str(16 << 20),
            "num.network.threads": "2",
            "num.io.threads": "4",
            "background.threads": "2",
        }

    def _launch(self, java: str, node: int) -> None:
        if self._pid(node) is not None:
            return
        home = self._home(node)
        if (home / "out.log").exists():
            with (home / "before.log").open("ab") as before:
                before.write((home / "out.log").read_bytes())
        with (home / "out.log").open("wb") as said:
            child = subprocess.Popen(
                _java(java, "kafka.Kafka", "server.properties"),
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a Ctrl-C is for whoever started it
            )
        self._children.add(child.pid)
        child.returncode = 0  # the node outlives this object, which would warn of it
        (home / "pid").write_text(f"{child.pid}\n{_began(child.pid)}")

    def _wait_ready(self, node: int) -> None:
        give_up_at = time.monotonic() + READY_SECONDS
        while STARTED not in self._said(node):
            if self._pid(node) is None:
                raise KafkaFailed(f"node {node} ended while it started:\n{_tail(self._home(node) / 'out.log')}")
            if time.monotonic() > give_up_at:
                raise KafkaFailed(f"node {node} is not ready after {READY_SECONDS:g} s:\n{_tail(self._home(node) / 'out.log')}")
            time.sleep(0.05)

    def _wait_ended(self, node: int) -> bool:
        give_up_at = time.monotonic() + END_SECONDS
        while self._pid(node) is not None:
            if time.monotonic() > give_up_at:
                return False
            time.sleep(0.05)
        (self._home(node) / "pid").unlink(missing_ok=True)
        return True

    def _running(self, node: int) -> int:
        pid = self._pid(node)
        if pid is None:
            raise KafkaFailed(f"node {node} is not running")
        return pid

    def _pid(self, node: int) -> int | None:
        """The pid of a node that runs, and is still the process that was started here."""
        try:
            noted, began = (self._home(node) / "pid").read_text().split("\n", 1)
        except FileNotFoundError:
            return None
        pid = int(noted)
        if pid in self._children:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return pid if began and _began(pid) == began else None

    def _said(self, node: int) -> str:
        with suppress(FileNotFoundError):
            return (self._home(node) / "out.log").read_text(errors="replace")
        return ""

    def _ports(self) -> list[list[int]]:
        with suppress(FileNotFoundError):
            ports: list[list[int]] = json.loads((self._directory / "cluster.json").read_text())
            return ports
        return []

    def _nodes(self) -> int:
        return len(self._ports())

    def _home(self, node: int) -> Path:
        return self._directory.resolve() / f"n{node}"


def _java(java: str, *command: str) -> list[str]:
    # One compiler tier and the plain collector: a broker for tests starts faster and takes less than it loses.
    flags = [f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Djava.awt.headless=true"]
    logging = [f"-Dlog4j2.configurationFile=file:{HERE.resolve()}/log4j2.properties", "-Dlog4j2.disableJmx=true"]
    return [java, *flags, *logging, "-cp", f"{JARS.resolve()}/*", *command]


def _java_version(java: str) -> int:
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    return int(found[1]) if found else 0


def _has_jars() -> bool:
    return any(JARS.glob("kafka_2.13-*.jar"))


def _began(pid: int) -> str:
    """When a process began, in ticks since the machine did: with its number this is who it is. Empty if there is none, or only what is left
    of it. (`ps` works out a time of day, which moves by a second now and then, and a command that is not there before exec is over.)"""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if state in "ZX" else rest[18]


def _free_ports(count: int) -> list[int]:
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise KafkaFailed(f"{PORTS.start} to {PORTS.stop}: no {count} free ports")


def _tail(file: Path, lines: int = 15) -> str:
    return "\n".join(line[:300] for line in file.read_text(errors="replace").splitlines()[-lines:])
