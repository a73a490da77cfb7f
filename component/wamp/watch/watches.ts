/** The watches of one session, which outlive its connections. */
import { isUri } from '#component/syntax/wamp-uri.ts'
import { loginRefusals, methodRefusals, notJoinedAs, refuseUri } from '#component/wamp/failure.ts'
import type { WampError, Watch, WatchHandlers } from '#component/wamp/session.ts'
import { StandingWatch, type WatchPorts } from './standing-watch.ts'

/** Exists as long as its session. */
export class Watches {
  readonly #ports: WatchPorts
  readonly #all = new Set<StandingWatch>()
  readonly #forget = (watch: StandingWatch) => void this.#all.delete(watch)

  constructor(ports: WatchPorts) {
    this.#ports = ports
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** As {@link Session.watch}. */
  async watch(
    topic: string,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    handlers: WatchHandlers,
  ): Promise<Watch> {
    const watch = new StandingWatch(this.#ports, topic, options, handlers, this.#forget)
    if (!isUri(topic, watch.subject.match)) throw refuseUri()
    this.#all.add(watch)
    try {
      await watch.again(options, timeoutMs)
    } catch (error) {
      this.#all.delete(watch)
      throw error
    }
    return watch
  }

  /** The session has joined. */
  joined(): void {
    for (const watch of this.#all) watch.joined()
  }

  /** The session is lost. */
  lose(): void {
    for (const watch of this.#all) watch.lose()
  }

  /** The router does not let the session join again. @param reason its URI */
  refuse(reason: string): void {
    const isDoubtful = !loginRefusals.has(reason) && !methodRefusals.has(reason)
    for (const watch of this.#all) watch.refuse(notJoinedAs(reason), isDoubtful)
  }

  /** The session is left. */
  end(error: WampError): void {
    for (const watch of this.#all) watch.refuse(error, false)
  }
}
