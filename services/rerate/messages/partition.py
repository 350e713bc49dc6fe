"""Which partition a pool is on: murmur2 of the key, as Kafka's Java client and aiokafka compute it.

librdkafka's default is CRC32 and disagrees; a producer there must set `partitioner=murmur2_random` (or `murmur2`).
"""

from functools import lru_cache

_M = 0x5BD1E995
_SEED = 0x9747B28C
_WORD = 0xFFFFFFFF


def murmur2(key: bytes) -> int:
    """The 32-bit hash, unsigned; worked: `football:world` is 0x2398eae9, `club:rook` is 0x942f9a26."""
    h = _SEED ^ len(key)
    whole = len(key) & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(key[at : at + 4], "little") * _M & _WORD
        k = (k ^ k >> 24) * _M & _WORD
        h = h * _M & _WORD ^ k
    if whole != len(key):
        h = (h ^ int.from_bytes(key[whole:], "little")) * _M & _WORD
    h = (h ^ h >> 13) * _M & _WORD
    return h ^ h >> 15


@lru_cache(maxsize=4096)
def partition_of(pool: str, n: int) -> int:
    """The partition of a pool among n: `(murmur2(pool) & 0x7fffffff) % n`."""
    return (murmur2(pool.encode()) & 0x7FFFFFFF) % n
