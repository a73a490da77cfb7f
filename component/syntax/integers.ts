/** The integers that WAMP, MessagePack and CBOR carry: 64 bits, signed or not. Those beyond 2^53 are BigInt. */

/** The least int64. */
export const minInteger = -(2n ** 63n)

/** The greatest uint64. */
export const maxInteger = 2n ** 64n - 1n

/** Whether an integer fits 64 bits. */
export const isInteger64 = (value: bigint): boolean => value >= minInteger && value <= maxInteger
