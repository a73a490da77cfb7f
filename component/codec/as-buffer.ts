/** Bytes with the methods of a Buffer. */
import { Buffer } from 'node:buffer'

/** The same bytes; a copy is never made. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
