/** Counts what a binary message holds before it is decoded: a few bytes can claim a billion values (reliability F6). */

/** How many values heads may announce, and how many heads there may be. */
class Budget {
  #left: number

  constructor(maxValues: number) {
    this.#left = maxValues
  }

  spend(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new RangeError('the message holds too many values')
  }
}

/** An unsigned integer of 1, 2, 4 or 8 bytes; 0 behind the end, where the decoder will complain. */
function unsigned(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let index = at; index < at + width; index++) value = value * 256 + (bytes[index] ?? 0)
  return value
}

/** MessagePack 0xc0 to 0xdf: bytes skipped after the head; bytes of a length; how many values each item is, 0 for bytes. */
// biome-ignore format: a table
const msgpackHeads: readonly (readonly [skipped: number, lengthWidth: number, perItem: number])[] = [
  [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], // nil, unused, false, true
  [0, 1, 0], [0, 2, 0], [0, 4, 0], // bin
  [1, 1, 0], [1, 2, 0], [1, 4, 0], // ext: the type as well
  [4, 0, 0], [8, 0, 0], // float
  [1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], // uint
  [1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], // int
  [2, 0, 0], [3, 0, 0], [5, 0, 0], [9, 0, 0], [17, 0, 0], // fixext
  [0, 1, 0], [0, 2, 0], [0, 4, 0], // str
  [0, 2, 1], [0, 4, 1], // array
  [0, 2, 2], [0, 4, 2], // map
]

/** @throws RangeError when MessagePack bytes hold, or announce, more values than that */
export function scanMsgpack(bytes: Uint8Array, maxValues: number): void {
  const budget = new Budget(maxValues)
  let at = 0
  budget.spend(1)
  while (at < bytes.length) {
    const head = bytes[at] ?? 0
    at += 1
    if (head < 0x80 || head >= 0xe0) continue
    if (head < 0x90) budget.spend(2 * (head & 0x0f))
    else if (head < 0xa0) budget.spend(head & 0x0f)
    else if (head < 0xc0) at += head & 0x1f
    else {
      const [skipped, lengthWidth, perItem] = msgpackHeads[head - 0xc0] ?? [0, 0, 0]
      const length = unsigned(bytes, at, lengthWidth)
      at += skipped + lengthWidth
      if (perItem === 0) at += length
      else budget.spend(perItem * length)
    }
  }
}

/** @throws RangeError when CBOR bytes (RFC 8949 §3) hold, or announce, more values than that */
export function scanCbor(bytes: Uint8Array, maxValues: number): void {
  const announced = new Budget(maxValues)
  const heads = new Budget(maxValues) // an indefinite length announces nothing
  let at = 0
  while (at < bytes.length) {
    const head = bytes[at] ?? 0
    const major = head >> 5
    const info = head & 0x1f
    heads.spend(1)
    at += 1
    const width = info < 24 || info > 27 ? 0 : 1 << (info - 24)
    const argument = width > 0 ? unsigned(bytes, at, width) : info
    at += width
    if (info > 27) continue
    if (major === 2 || major === 3) at += argument
    else if (major === 4) announced.spend(argument)
    else if (major === 5) announced.spend(2 * argument)
  }
}
