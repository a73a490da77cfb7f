/** A document of our own: whoever gave it cannot change it afterwards. */
import { ServiceError } from '#component/errors.ts'
import { parseJson, stringifyJson } from '#component/json.ts'

/** Wide enough for whatever was let in; documents have limits of their own. */
const limits = { depth: 256, values: 50_000_000 }

/** Largest document; bytes (behaviour: API Specifications). */
const maxBytes = 4 * 1024 * 1024

/**
 * A copy that nobody else holds, without the `ts` of an answer that is sent back. What is wrong in it is found later.
 * @throws ServiceError `service.error.payload_too_large`
 */
export function ownCopy(document: unknown): unknown {
  const text = stringifyJson(document)
  if (Buffer.byteLength(text) > maxBytes) {
    const message = `the document is larger than ${maxBytes} bytes`
    throw new ServiceError('service.error.payload_too_large', message)
  }
  const copy = parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true })
  if (typeof copy === 'object' && copy !== null && 'ts' in copy) delete copy.ts
  return copy
}
