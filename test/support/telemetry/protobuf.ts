/** Reads protobuf messages without their schema: fields by number. */

/** A field as it stands on the wire: a varint or fixed number, or bytes. */
export type WireValue = bigint | Buffer

/** The fields of a message, in order. @throws Error for a malformed message */
export function fieldsOf(bytes: Buffer): readonly (readonly [field: number, value: WireValue])[] {
  const fields: [number, WireValue][] = []
  let at = 0
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes.readUInt8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    if (at > bytes.length) throw new Error('the message ends within a field')
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    if (type === 0) fields.push([tag >> 3, varint()])
    else if (type === 1) fields.push([tag >> 3, take(8).readBigUInt64LE()])
    else if (type === 2) fields.push([tag >> 3, take(Number(varint()))])
    else if (type === 5) fields.push([tag >> 3, BigInt(take(4).readUInt32LE())])
    else throw new Error(`wire type ${type} is not used by OTLP`)
  }
  return fields
}
