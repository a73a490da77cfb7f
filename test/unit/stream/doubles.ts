/** Doubles for the tests of streams: a session whose subscriptions do as told, a client that reads or does not, and a hub over both. */
import { stringifyJson } from '#component/codec/json.ts'
import { anonymous, type Identity } from '#component/identity.ts'
import { type Frames, framesOf } from '#component/stream/frames.ts'
import { type HubPorts, Streams } from '#component/stream/hub.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { Stream } from '#component/stream/stream.ts'
import type { StreamSettings, Wanted } from '#component/stream/terms.ts'
import type { Filter, View } from '#component/stream/view.ts'
import { type Session, WampError, type Watch, type WatchHandlers } from '#component/wamp/session.ts'
import { ManualClock, settled as nextTurn, SessionDouble } from '#test/unit/action/doubles.ts'

/** A session of which tests are the router. */
class WatchedSession extends SessionDouble {
  override readonly isOpen = true
  /** Each SUBSCRIBE: the topic and its options. */
  readonly subscribed: (readonly [topic: string, options: object])[] = []
  /** How often the last watch has been ended. */
  ended = 0
  /** What SUBSCRIBE is answered with; a promise keeps it waiting. */
  answer: Promise<void> = Promise.resolve()
  #handlers: WatchHandlers | undefined
  #publication = 100

  override async watch(
    topic: string,
    options: object,
    _timeoutMs: number,
    handlers: WatchHandlers,
  ): Promise<Watch> {
    this.subscribed.push([topic, options])
    this.#handlers = handlers
    await this.answer
    return {
      again: async (more) => {
        this.subscribed.push([topic, more])
        await this.answer
      },
      end: () => {
        this.ended += 1
      },
    }
  }

  get handlers(): WatchHandlers {
    if (!this.#handlers) throw new Error('nothing has been subscribed to')
    return this.#handlers
  }

  /** Sends an event; its publication. */
  event(
    kwargs: object = {},
    more: { id?: number; topic?: string; retained?: boolean } = {},
  ): number {
    const publication_id = more.id ?? ++this.#publication
    this.handlers.onEvent({
      publication_id,
      topic: more.topic ?? 'com.example.t',
      payload: { args: [], kwargs: kwargs as Record<string, unknown> },
      details: {},
      isRetained: more.retained ?? false,
    })
    return publication_id
  }

  refuse(error_uri = 'wamp.error.not_authorized'): void {
    const refusal = Promise.reject(new WampError(error_uri))
    refusal.catch(() => undefined)
    this.answer = refusal
  }
}

/** A client that keeps what it is sent. */
export class SinkDouble implements Sink {
  text = ''
  writes = 0
  /** Bytes that the client has not read; what is written adds to it while it does not read. */
  waiting = 0
  handed = 0
  isReading = true
  state: 'open' | 'ended' | 'cut' = 'open'
  #onClose: (() => void)[] = []
  #onDrain: (() => void)[] = []

  write(bytes: string | Uint8Array): void {
    if (this.state !== 'open') return
    this.writes += 1
    this.text += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
    if (this.isReading) this.handed += bytes.length
    else this.waiting += bytes.length
  }

  /** Reads all that waits; goes on reading. */
  read(): void {
    this.isReading = true
    this.handed += this.waiting
    this.waiting = 0
    for (const callback of this.#onDrain.splice(0)) callback()
  }

  end(): void {
    this.#close('ended')
  }

  destroy(): void {
    this.#close('cut')
  }

  onClose(callback: () => void): void {
    this.#onClose.push(callback)
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback)
  }

  #close(state: 'ended' | 'cut'): void {
    if (this.state !== 'open') return
    this.state = state
    for (const callback of this.#onClose) callback()
  }

  /** What was written, without retry and positions: `id|name|data` of each event, `:` of a comment. */
  get frames(): string[] {
    return this.text
      .split('\n\n')
      .filter((block) => block !== '' && !/^retry: \d+$|^id: \S+$/.test(block))
      .map((block) => {
        if (block.startsWith(':')) return block
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
        return `${field('id').replace(/-.*/, '')}|${field('event')}|${field('data')}`
      })
  }

  /** The `n` of each event, and the code of each gap and end. */
  get seen(): string[] {
    return this.frames.map((frame) => {
      if (frame.startsWith(':')) return frame
      const { n, code } = JSON.parse(frame.split('|').slice(2).join('|'))
      return String(n ?? code)
    })
  }

  /** The id of the last event or position. */
  get lastId(): string {
    return [...this.text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? ''
  }
}

/** A view of the kwargs; `fails` of them has no frame, `long` is too large. */
export const viewOf = (frames: Frames = framesOf['text/event-stream'], isShared = true) => {
  const view: View & { rendered: number } = {
    frames,
    isShared,
    rendered: 0,
    render({ kwargs }, id) {
      view.rendered += 1
      if (kwargs.fails) return { code: 'not_rendered' }
      if (kwargs.long) return { code: 'too_large' }
      return kwargs.hidden ? '' : frames.event({ id, data: stringifyJson(kwargs) })
    },
  }
  return view
}

/** How streams of the tests are served. */
export const settingsOf = (changes: Partial<StreamSettings> = {}): StreamSettings => ({
  view: viewOf(),
  heartbeatMs: 16_000,
  retryMs: 2_000,
  overflow: 'close',
  ...changes,
})

const operation = {}

/** What tests want to follow. */
const wantedOf = (changes: Partial<Wanted> = {}): Wanted => ({
  ...{ topic: 'com.example.t', match: 'exact', options: {} },
  ...{ replayEvents: 10, replayTimeoutMs: 60_000, lastEventId: '', hasSnapshot: false },
  ...{ maxEvents: 0, maxDurationMs: 0 },
  ...changes,
})

/** A hub, a session, and a clock that stands still. */
export function hubOf(ports: Partial<HubPorts> = {}) {
  const clock = new ManualClock()
  const session = new WatchedSession()
  const held = { now: 0 }
  const hold = () => {
    held.now += 1
    return () => {
      held.now -= 1
    }
  }
  const hub = new Streams({ clock, hold, ...ports })
  /** Opens a stream as a request does. */
  async function open(
    changes: Partial<Wanted> = {},
    more: {
      identity?: Identity
      address?: string
      maxStreams?: number
      operation?: object
      session?: Session
    } = {},
  ): Promise<Stream> {
    const { identity = anonymous('com.example'), address = '192.0.2.1', maxStreams } = more
    const owner = {
      ...{ api: 'api', operation: more.operation ?? operation, realm_uri: 'com.example', identity },
    }
    const { lastEventId = '' } = changes
    const place = hub.admit({ owner, address, maxStreams, lastEventId })
    try {
      return await hub.open(more.session ?? session, owner, wantedOf(changes), 1_000, place)
    } catch (error) {
      place.give()
      throw error
    }
  }
  /** Opens a stream and begins it. */
  async function begin(
    changes: Partial<Wanted> = {},
    settings: Partial<StreamSettings> & { filter?: Filter } = {},
  ): Promise<SinkDouble> {
    const stream = await open(changes)
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf(settings))
    return sink
  }
  return { clock, session, hub, open, begin, held }
}

/** After all promises, and after all stints: on a busy machine each serves one stream. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}
