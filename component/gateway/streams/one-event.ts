/** A stream of one event as an ordinary JSON answer: 200 with the body of the event, 404 when none has come in time. */
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { type Protection, unauthorized } from '#component/security/scheme.ts'
import type { Frames } from '#component/stream/frames.ts'
import type { Reason } from '#component/stream/reasons.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { Stream } from '#component/stream/stream.ts'

/** Only the body of an event is left of a stream; only events have an id. */
export const oneEventFrames: Frames = {
  event: ({ id, data }) => (id === undefined ? '' : data),
  comment: () => '',
  heartbeat: '',
  retry: () => '',
  position: () => '',
}

/** Keeps what is written until it is ended, or cut. */
class Collector implements Sink {
  readonly waiting = 0
  readonly handed = 0
  text = ''
  readonly #onClose: (() => void)[] = []
  #isOver = false

  write(bytes: string | Uint8Array): void {
    this.text += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const callback of this.#onClose) callback()
  }

  destroy(): void {
    this.end()
  }

  onClose(callback: () => void): void {
    this.#onClose.push(callback)
  }

  onDrain(): void {
    // nothing waits
  }
}

const jsonType = 'application/json'

/**
 * The answer, when the stream is over: its first event is its last one, too.
 * @param begin begins the stream
 * @param head of a success
 * @throws ServiceError 404 when none has come in time; what the same request would be answered with when the stream was ended before
 */
export function oneEvent(
  exchange: Exchange,
  { inherited: { protection } }: CompiledOperation,
  stream: Pick<Stream, 'reason'>,
  begin: (sink: Sink) => void,
  head: Omit<Reply, 'body'>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sink = new Collector()
    sink.onClose(() => {
      if (sink.text === '') reject(refusalOf(stream.reason, protection))
      else
        resolve({
          ...head,
          headers: { 'content-type': jsonType, ...head.headers },
          body: { kind: 'bytes', bytes: sink.text },
        })
    })
    exchange.onAbort(() => sink.end())
    begin(sink)
  })
}

/** Why there is no event. */
function refusalOf(reason: Reason, protection: Protection | undefined): ServiceError {
  switch (reason) {
    case 'unauthorized':
      if (protection) return unauthorized(protection, 'the credentials hold no longer')
      return new ServiceError('service.error.unauthorized', 'the session of the user has ended')
    case 'refused':
      return new ServiceError('wamp.error.not_authorized', 'the router refuses the topic')
    case 'reloaded':
    case 'draining': {
      const headers = { 'retry-after': '1' }
      return new ServiceError('service.error.unavailable', 'ask again', { headers })
    }
    case 'gone':
      return new ServiceError('service.error.not_found', 'nothing is served at this path any more')
    default:
      return new ServiceError('service.error.not_found', 'no event has come within max_duration')
  }
}
