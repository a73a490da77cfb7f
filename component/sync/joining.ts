/** Catching up after a join: finds the other gateways and fetches their documents; tells when this was done for the first time. */

import { ServiceError } from '#component/errors.ts'
import { memberOf } from '#component/syntax/values.ts'
import { type Session, WampError } from '#component/wamp/session.ts'
import type { Exchanges } from './exchange.ts'
import { atJoin, sample } from './pace.ts'
import type { Peers } from './peers.ts'
import type { SyncPorts } from './sync-ports.ts'
import { nodeOf } from './wire.ts'

/** Milliseconds that the router may take for an answer. */
const timeoutMs = 5000
/** Calls in flight at once. */
const batch = 32

/**
 * Asks the router, which registrations in turn by chance.
 * @param enough looks at no more registrations once so many nodes are found
 * @returns the names of other nodes than `node`: all, or at least `enough`
 * @throws WampError, ServiceError when the router does not list them
 */
async function findPeers(
  session: Pick<Session, 'call'>,
  node: string,
  enough: number,
  random: () => number,
): Promise<string[]> {
  const ask = async (procedure: string, ...args: readonly unknown[]): Promise<unknown> => {
    const { result } = session.call(procedure, { args, kwargs: {} }, {}, timeoutMs)
    const { args: answers } = await result
    return answers[0]
  }
  const ids = memberOf(await ask('wamp.registration.list'), 'exact')
  if (!Array.isArray(ids)) {
    throw new ServiceError('service.error.bad_gateway', 'the list of registrations is malformed')
  }
  const nodes = new Set<string>()
  const mixed = sample(ids, ids.length, random)
  for (let start = 0; start < ids.length && nodes.size < enough; start += batch) {
    const registrations = await Promise.all(
      mixed.slice(start, start + batch).map((id) => ask('wamp.registration.get', id).catch(isGone)),
    )
    for (const registration of registrations) {
      const uri = memberOf(registration, 'uri')
      const name = typeof uri === 'string' ? nodeOf(uri) : undefined
      if (name !== undefined && name !== node) nodes.add(name)
    }
  }
  return [...nodes]
}

/** Registrations go while they are listed. */
function isGone(error: unknown): undefined {
  if (error instanceof WampError && error.error_uri === 'wamp.error.no_such_registration') return
  throw error
}

/** The dependencies of catching up. */
export interface CatchUpPorts extends SyncPorts {
  readonly peers: Peers
  readonly exchanges: Exchanges
}

/** Milliseconds to wait for peers that neither answer nor send heartbeats. */
const patienceMs = 15_000
/** Milliseconds to wait for answers to the first heartbeat where the router does not list its registrations. */
const answerMs = 1500

const ignore = () => undefined

/** Called after each join, for each message of a peer, and from time to time. */
export class CatchUp {
  readonly #ports: CatchUpPorts
  #isMetaRefused = false
  #isClosed = false
  #isDone = false
  /** The time when all peers at the first join had been asked, and whether there were any. */
  #firstLook: { readonly at: number; readonly isAlone: boolean } | undefined
  #stopWaiting: () => void = ignore
  readonly #whenDone = Promise.withResolvers<void>()

  constructor(ports: CatchUpPorts) {
    this.#ports = ports
  }

  /** Whether a first exchange was done, or no peer was found; stays true. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Resolves when {@link isDone} is true. */
  get done(): Promise<void> {
    return this.#whenDone.promise
  }

  /** Whether all peers at the first join have been asked; they need not have answered. */
  get hasLooked(): boolean {
    return this.#firstLook !== undefined
  }

  /** After each join. Resolves when all have answered or failed to; never rejects. */
  async look(): Promise<void> {
    const { clock, exchanges, peers, session } = this.#ports
    const found = await this.#findPeers()
    // an entry that one of many does not have yet comes with its event, or with a later exchange
    const asked = sample(found ?? [], atJoin, clock.random)
    if (found) await Promise.all(asked.map((node) => exchanges.with(node)))
    else if (session.isOpen) {
      await this.#answer()
      await exchanges.settled()
    }
    // the session was lost meanwhile: the next join looks again
    if (!session.isOpen || this.#isClosed) return
    const isAlone = (found ?? peers.present()).length === 0
    this.#firstLook ??= { at: clock.now(), isAlone }
    this.judge()
  }

  /** A peer was heard. */
  heard(): void {
    this.#stopWaiting()
  }

  /** Decides anew, after a peer answered or time passed. */
  judge(): void {
    const { clock, peers } = this.#ports
    const look = this.#firstLook
    if (this.#isDone || !look) return
    const isLate = clock.now() - look.at >= patienceMs
    this.#isDone =
      look.isAlone ||
      peers.lastExchangedAt !== undefined ||
      (isLate && peers.present().length === 0)
    if (this.#isDone) this.#whenDone.resolve()
  }

  close(): void {
    this.#isClosed = true
    this.#stopWaiting()
  }

  /** Undefined where the router does not list its registrations. */
  async #findPeers(): Promise<readonly string[] | undefined> {
    const { clock, log, node, session } = this.#ports
    try {
      return await findPeers(session, node, atJoin, clock.random)
    } catch (err) {
      if (session.isOpen && !this.#isMetaRefused) {
        this.#isMetaRefused = true
        log.warn(
          { err },
          'the router does not list its registrations: the gateways are found by their heartbeats',
        )
      }
      return undefined
    }
  }

  /** Waits {@link answerMs} for an answer to the heartbeat of this node. */
  #answer(): Promise<void> {
    this.#stopWaiting()
    return new Promise((resolve) => {
      const stopTimer = this.#ports.clock.after(answerMs, resolve)
      this.#stopWaiting = () => {
        stopTimer()
        resolve()
      }
    })
  }
}
