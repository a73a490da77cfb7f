/** Takes the body of an answer that streams for a client that reads no stream. */
import { ServiceError } from '#component/errors.ts'
import type { ReplyBody } from '#component/gateway/exchange.ts'
import type { Sink } from '#component/stream/sink.ts'

/**
 * The bytes of the whole body.
 * @param maxBytes the call is given up when the body is longer
 * @throws ServiceError `service.error.payload_too_large`, or `service.error.bad_gateway` where the body is cut
 */
export const collected = (
  body: ReplyBody & { readonly kind: 'events' },
  maxBytes: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    let onClose = (): void => {}
    const sink: Sink = {
      waiting: 0,
      get handed() {
        return length
      },
      write(content) {
        const bytes = Buffer.from(content)
        length += bytes.length
        chunks.push(bytes)
        if (length <= maxBytes) return
        const message = `the result has more than ${maxBytes} bytes (max_result_bytes)`
        reject(new ServiceError('service.error.payload_too_large', message))
        onClose()
      },
      end: () => resolve(Buffer.concat(chunks)),
      destroy: () => reject(new ServiceError('service.error.bad_gateway', 'the response was cut')),
      onClose(callback) {
        onClose = callback
      },
      onDrain: (callback) => callback(),
    }
    body.begin(sink)
  })
