/** A stream of one event as an ordinary JSON answer: 200 with the body of the event, 404 when none has come in time. */
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { Frames } from '#component/stream/frames.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { Stream } from '#component/stream/stream.ts'
import type { StreamSettings } from '#component/stream/terms.ts'

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
 * @param head of a success
 * @throws ServiceError 404
 */
export function oneEvent(
  exchange: Exchange,
  stream: Stream,
  settings: StreamSettings,
  head: Omit<Reply, 'body'>,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sink = new Collector()
    sink.onClose(() => {
      if (sink.text === '') reject(noEvent())
      else
        resolve({
          ...head,
          headers: { 'content-type': jsonType, ...head.headers },
          body: { kind: 'bytes', bytes: sink.text },
        })
    })
    exchange.onAbort(() => sink.end())
    stream.begin(sink, settings)
  })
}

const noEvent = (): ServiceError =>
  new ServiceError('service.error.not_found', 'no event has come within max_duration')
