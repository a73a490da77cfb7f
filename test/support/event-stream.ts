/** A stream of Server-Sent Events as a client reads it: by node:http and eventsource-parser, which know nothing of our code. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { createParser } from 'eventsource-parser'

/** One event; `event` and `id` are absent where the frame has none. */
export interface ReadEvent {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

/** What a stream is asked with. */
export interface EventStreamRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** The certificate that is trusted, of an https address; PEM. */
  readonly ca?: string
  /** Receives each event in the turn in which it arrives, in place of {@link EventStream.next}. */
  readonly onEvent?: (event: ReadEvent) => void
}

/** An answer that is read as it comes; made by {@link openEventStream}. */
export class EventStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The comments so far, without the colon. */
  readonly comments: string[] = []
  /** What a parser finds wrong with the frames. */
  readonly errors: string[] = []
  /** The last `retry:`; milliseconds. */
  retry: number | undefined
  /** Where the client stands: the last `id:`, also of a frame without data; undefined before the first. */
  lastEventId: string | undefined
  /** The body as it came, of an answer that is no stream of events. */
  text = ''
  /** Resolves when nothing more comes: true when the body is whole, false when the connection broke before its end. */
  readonly ended: Promise<boolean>
  readonly #incoming: IncomingMessage
  readonly #events: ReadEvent[] = []
  #wake: (() => void) | undefined

  constructor(incoming: IncomingMessage, onEvent?: (event: ReadEvent) => void) {
    this.#incoming = incoming
    this.status = incoming.statusCode ?? 0
    this.headers = incoming.headers
    const parser = createParser({
      onEvent: onEvent ?? ((event) => this.#take(event)),
      onComment: (comment) => this.comments.push(comment),
      onRetry: (ms) => {
        this.retry = ms
      },
      onId: (id) => {
        this.lastEventId = id
      },
      onError: ({ message }) => this.errors.push(message),
    })
    const isStream = this.headers['content-type']?.startsWith('text/event-stream') === true
    incoming.setEncoding('utf8').on('data', (text: string) => {
      if (isStream) parser.feed(text)
      else this.text += text
    })
    incoming.on('error', () => {}) // 'close' follows
    this.ended = new Promise((resolve) => {
      incoming.once('close', () => {
        this.#wake?.()
        resolve(incoming.complete)
      })
    })
  }

  #take(event: ReadEvent): void {
    this.#events.push(event)
    this.#wake?.()
  }

  /** The next event, in the order of arrival. @throws Error when the stream ends before it comes */
  async next(): Promise<ReadEvent> {
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return event
      if (this.#incoming.closed) throw new Error('the stream has ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Leaves as a client that closes its connection. */
  close(): void {
    this.#incoming.destroy()
  }
}

/** Asks on a connection of its own; resolves with the head of the answer. @throws Error without one */
export async function openEventStream(
  url: string,
  { method = 'GET', headers = {}, body, ca, onEvent }: EventStreamRequest = {},
): Promise<EventStream> {
  const send = url.startsWith('https:') ? requestSecurely : request
  const outgoing = send(url, {
    method,
    agent: false,
    ...(ca !== undefined && { ca }),
    headers: {
      accept: 'text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => {}) // the stream tells of its end
  return new EventStream(incoming, onEvent)
}
