/** `GET /events` of the admin listener: what happens in the cluster, as events for the console. */
import type { Clock } from '#component/clock.ts'
import type { Reply, StreamRecord } from '#component/gateway/exchange.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { ConsoleEvents, EventReader } from '#component/wiring/console/console-events.ts'
import { type Admission, admitReader } from '#http/management/access.ts'
import type { HttpExchange } from '#http/read-request.ts'
import type { Caller } from '#procedures/definition/procedure.ts'

/** Dependencies of the events. */
export interface EventPorts extends Admission {
  readonly clock: Pick<Clock, 'after'>
  readonly events: ConsoleEvents
  /** What the console is told of this node at first. */
  greeting(): Readonly<Record<string, unknown>>
}

/** How often a comment is sent, and the credentials are judged again; milliseconds. */
const heartbeatMs = 15_000
/** Bytes that may wait for a client before events are left out, and before the client is given up. */
const maxWaiting = { ofEvents: 256 * 1024, ofClient: 1024 * 1024 }

/** Begins a stream. @param more of the greeting @throws ServiceError for a caller who may not read, or where too many streams are open */
export async function eventsReply(
  exchange: HttpExchange,
  ports: EventPorts,
  more: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const caller = await admitReader(exchange, ports)
  const stream = new EventStream(exchange, ports, caller, more)
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    body: {
      kind: 'events',
      type: 'text/event-stream',
      begin: (sink) => stream.begin(sink),
      cancel: () => stream.end(),
      record: stream.record,
    },
  }
}

class EventStream implements EventReader {
  readonly record: StreamRecord & { events: number; reason: string }
  readonly within: string | undefined
  readonly #exchange: HttpExchange
  readonly #ports: EventPorts
  readonly #caller: Caller
  readonly #more: Readonly<Record<string, unknown>>
  readonly #close: () => void
  #sink: Sink | undefined
  #leftOut = 0
  #stopTimer: () => void = () => undefined

  constructor(
    exchange: HttpExchange,
    ports: EventPorts,
    caller: Caller,
    more: Readonly<Record<string, unknown>>,
  ) {
    this.#exchange = exchange
    this.#ports = ports
    this.#caller = caller
    this.#more = more
    this.within = caller.within
    this.record = { kind: 'events', events: 0, reason: 'client' }
    this.#close = ports.events.open(this)
  }

  begin(sink: Sink): void {
    this.#sink = sink
    sink.onClose(() => this.#over())
    const { access, user, within = null } = this.#caller
    this.tell('hello', {
      ...{ ...this.#ports.greeting(), ...this.#more },
      ...{ access, within, by: user?.authid ?? 'local', has_credentials: user !== undefined },
    })
    this.#schedule()
  }

  tell(name: string, data: Readonly<Record<string, unknown>>): void {
    const sink = this.#sink
    if (!sink) return
    if (sink.waiting > maxWaiting.ofClient) {
      this.record.reason = 'slow'
      sink.destroy()
    } else if (sink.waiting > maxWaiting.ofEvents) this.#leftOut += 1
    else {
      this.record.events += 1
      sink.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    }
  }

  end(): void {
    this.record.reason = 'stop'
    const sink = this.#sink
    this.#over()
    sink?.end()
  }

  #over(): void {
    this.#sink = undefined
    this.#stopTimer()
    this.#close()
  }

  #schedule(): void {
    this.#stopTimer = this.#ports.clock.after(heartbeatMs, () => void this.#beat())
  }

  /** Ends the stream of an operator whose credentials hold no more. */
  async #beat(): Promise<void> {
    const caller = await admitReader(this.#exchange, this.#ports).catch(() => undefined)
    const isSame = caller?.within === this.within && caller?.access === this.#caller.access
    if (!this.#sink) return
    if (!isSame) {
      this.record.reason = 'unauthorized'
      const sink = this.#sink
      this.#over()
      sink.end()
      return
    }
    this.#sink.write(': \n\n')
    if (this.#leftOut > 0) this.tell('left_out', { events: this.#leftOut })
    this.#leftOut = 0
    this.#schedule()
  }
}
