/** A router that says what a test tells it, over links into this process. */
import { openLog } from '#component/log.ts'
import type { Link, WampMessage } from '#component/wamp/link.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** One connection to it, as the router sees it. */
class ToldLink implements Link {
  onMessage: Link['onMessage'] = () => undefined
  onClose: Link['onClose'] = () => undefined
  readonly received: WampMessage[] = []
  /** Bytes of calls that their callees have not read. */
  waiting = 0
  readonly #told: (() => void)[] = []

  send(message: WampMessage): void {
    // the session goes on to use what it has sent
    this.received.push([...message])
  }

  close(): void {}

  unread(): number {
    return this.waiting
  }

  whenRead(_request: number, tell: () => void): void {
    this.#told.push(tell)
  }

  /** Callees have read all but so many bytes. */
  leave(bytes: number): void {
    this.waiting = bytes
    for (const tell of this.#told.splice(0)) tell()
  }
}

/** The router, and the time of the sessions that join it. */
export class ToldRouter {
  readonly clock = new ManualClock()
  readonly links: ToldLink[] = []

  /** Of a session that joins it. */
  get options(): SessionOptions {
    return {
      ...{ realm_uri: 'com.example.test', serializer: 'json', auth: { authmethod: 'anonymous' } },
      ...{ clock: this.clock, log: openLog('silent') },
      openLink: () => {
        const link = new ToldLink()
        this.links.push(link)
        return link
      },
    }
  }

  /** The last connection. */
  get link(): ToldLink {
    const link = this.links.at(-1)
    if (!link) throw new Error('nobody has connected')
    return link
  }

  /** Sends a message on the last connection. */
  say(...message: unknown[]): void {
    this.link.onMessage(message)
  }

  /** Answers HELLO. */
  async welcome(dealer = {}): Promise<void> {
    await this.clock.advance(0)
    this.say(2, 1, { roles: { broker: {}, dealer } })
  }

  /** Ends the last connection without a word; the next one comes within 2 s. */
  async drop(): Promise<void> {
    this.link.onClose(1006, '')
    await this.clock.advance(2000)
  }

  /** What came of one type on the last connection. */
  received(type: number): readonly WampMessage[] {
    return this.link.received.filter((message) => message[0] === type)
  }

  /** The id of the last request of a type. */
  request(type: number): unknown {
    return this.received(type).at(-1)?.[1]
  }
}
