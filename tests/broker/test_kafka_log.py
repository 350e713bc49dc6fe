from collections.abc import AsyncIterator

import pytest

from tests.broker.bench import KafkaBench
from tests.log.contract import LogContract

pytestmark = pytest.mark.broker


@pytest.fixture
async def bench(bootstrap: str) -> AsyncIterator[KafkaBench]:
    made = KafkaBench(bootstrap)
    await made.create()
    yield made
    await made.close()


class TestKafkaLog(LogContract):
    pass
