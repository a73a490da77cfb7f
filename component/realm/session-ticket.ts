/** The one-use tickets by which the gateway joins a router as a user, and as which it then recognises itself there. */
import { randomUUID } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import type { Identity } from '#component/identity.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'

/** Milliseconds from the CHALLENGE, when a ticket is made, until it expires. */
const lifetimeMs = 10_000

/** The identity that a session is to have. */
type Member = Pick<Identity, 'realm_uri' | 'authid' | 'authroles' | 'authmethod'>

/** The sealed content; realm and authid are the purpose of the seal. */
interface Content {
  /** A ticket has many spellings (base64url), but one of these. */
  readonly id: string
  readonly authroles: readonly string[]
  readonly authmethod: string
  /** The gateway that made it. */
  readonly node?: string | undefined
  /** By its clock; milliseconds since the epoch. */
  readonly exp: number
}

/** A ticket that was good: the roles it was made for, and how the user had logged in. */
export interface Redeemed {
  readonly authroles: readonly string[]
  readonly authmethod: string
}

const purposeOf = (realm_uri: string, authid: string): string =>
  `session ticket ${JSON.stringify([realm_uri, authid])}`

interface SessionTicketPorts {
  readonly box: SecretBox
  readonly clock: Pick<Clock, 'now'>
  readonly node?: string
}

/** Makes and takes tickets; those of all processes and gateways that have one `store.key`. */
export class SessionTickets {
  /** The clock of another gateway minus ours, as far as it is known; milliseconds. */
  clockOffsetOf: (node: string) => number | undefined = () => undefined
  readonly #node: string | undefined
  readonly #box: SecretBox
  readonly #clock: Pick<Clock, 'now'>
  /** The ids of those that were taken, until they would be refused anyway; oldest first. */
  readonly #redeemed = new Map<string, number>()

  /** @param ports `node`: the name of this gateway */
  constructor({ box, clock, node }: SessionTicketPorts) {
    this.#node = node
    this.#box = box
    this.#clock = clock
  }

  /** A ticket for one join within 10 s. */
  issue({ realm_uri, authid, authroles, authmethod }: Member): string {
    const exp = this.#clock.now() + lifetimeMs
    const content: Content = { id: randomUUID(), authroles, authmethod, node: this.#node, exp }
    return this.#box.seal(JSON.stringify(content), purposeOf(realm_uri, authid))
  }

  /** How a session of the identity joins: with a fresh ticket for each connection. */
  authFor(identity: Identity): JoinAuth {
    return { authmethod: 'ticket', authid: identity.authid, secret: () => this.issue(identity) }
  }

  /**
   * Redeems a ticket; undefined if it is invalid, is for another user, has expired, or was redeemed in this process before.
   */
  redeem(text: string, realm_uri: string, authid: string): Redeemed | undefined {
    const content = this.#open(text, purposeOf(realm_uri, authid))
    const now = this.#clock.now()
    this.#forget(now)
    if (!content) return undefined
    const exp = content.exp - (this.clockOffsetOf(content.node ?? '') ?? 0)
    // the error of the clock offset must be less than the lifetime of a ticket
    if (exp < now || exp > now + 2 * lifetimeMs) return undefined
    if (this.#redeemed.has(content.id)) return undefined
    this.#redeemed.set(content.id, exp)
    return { authroles: content.authroles, authmethod: content.authmethod }
  }

  #open(text: string, purpose: string): Content | undefined {
    const opened = this.#box.open(text, purpose)
    return opened === undefined ? undefined : (JSON.parse(opened) as Content)
  }

  #forget(now: number): void {
    for (const [id, exp] of this.#redeemed) {
      if (exp >= now) return
      this.#redeemed.delete(id)
    }
  }
}
