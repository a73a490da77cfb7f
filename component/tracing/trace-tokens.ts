/** Trace tokens: each lets its bearer trace requests to one document for a while, on every node. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { type Clock, callAt, secondsOf } from '#component/clock.ts'
import type { Document } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'

/** What a token lets its bearer trace. */
export interface TraceGrant {
  /** The id of the document. */
  readonly api_spec: string
  /** Of the document. */
  readonly realm_uri: string
  /** The pattern of the only route, with base_path; absent: every route of the document. */
  readonly route?: string
  /** The only user; absent: whoever asks. */
  readonly authid?: string
}

/** A grant as it is replicated: kind `trace`. */
interface TraceDocument extends TraceGrant {
  /** When it ends. Seconds since the epoch. */
  readonly exp: number
}

/** A token that has just been made. */
export interface IssuedTraceToken {
  readonly id: string
  /** `gt_<id>_<mac>`: it cannot be shown again. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expires_at: number
}

/** The dependencies of {@link TraceTokens}. */
export interface TraceTokenPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'get' | 'watch'>
  /** Under `store.key`. */
  readonly box: Pick<SecretBox, 'derive'>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

const format = /^gt_([\w-]{12})_([\w-]{43})$/

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string'

/** Whether the document is a grant: another version of the gateway may have written something else. */
const isGrant = (document: Document | null | undefined): document is TraceDocument & Document =>
  typeof document?.api_spec === 'string' &&
  typeof document.realm_uri === 'string' &&
  typeof document.exp === 'number' &&
  isText(document.route) &&
  isText(document.authid)

/** The tokens of all nodes. */
export class TraceTokens {
  /** Called when the first token begins to live here, and when the last one has ended. */
  onAlive: (isAlive: boolean) => unknown = () => undefined
  readonly #ports: TraceTokenPorts
  #isAlive = false
  #stopTimer: () => void = () => undefined

  constructor(ports: TraceTokenPorts) {
    this.#ports = ports
  }

  /** Looks for tokens from now on, whichever node has made them. */
  start(): void {
    this.#ports.replica.watch('trace', () => this.#look())
    void this.#look()
  }

  stop(): void {
    this.#stopTimer()
  }

  /** Whether a token holds now. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /**
   * Makes a token.
   * @param seconds how long it holds
   * @throws ServiceError `service.error.unavailable`
   */
  async issue(grant: TraceGrant, seconds: number): Promise<IssuedTraceToken> {
    const id = randomBytes(9).toString('base64url')
    const exp = secondsOf(this.#ports.clock) + seconds
    const document: TraceDocument = { ...grant, exp }
    await this.#ports.replica.change('trace', () => [{ id, document: { ...document } }])
    const token = `gt_${id}_${this.#macOf(id, document).toString('base64url')}`
    return { id, token, expires_at: exp * 1000 }
  }

  /** What a token grants; undefined for one that is wrong or has ended. */
  find(token: string): TraceGrant | undefined {
    const [, id, mac] = format.exec(token) ?? []
    if (id === undefined || mac === undefined) return undefined
    const document = this.#ports.replica.get('trace', id)?.document
    if (!isGrant(document) || !this.#holds(document)) return undefined
    const isRight = timingSafeEqual(this.#macOf(id, document), Buffer.from(mac, 'base64url'))
    return isRight ? document : undefined
  }

  #holds({ exp }: TraceDocument): boolean {
    return this.#ports.clock.now() < exp * 1000
  }

  #macOf(id: string, { api_spec, route = '', authid = '', exp }: TraceDocument): Buffer {
    return this.#ports.box.derive('trace token', id, api_spec, route, authid, String(exp))
  }

  /** Looks whether a token is alive, and again when the last one ends. A change of tokens is made when it resolves. */
  async #look(): Promise<void> {
    this.#stopTimer()
    const { replica, clock } = this.#ports
    const ends = replica
      .entries('trace')
      .flatMap(({ document }) => (isGrant(document) && this.#holds(document) ? [document.exp] : []))
    const isAlive = ends.length > 0
    if (isAlive) this.#stopTimer = callAt(clock, Math.max(...ends) * 1000, () => void this.#look())
    if (isAlive === this.#isAlive) return
    this.#isAlive = isAlive
    await this.onAlive(isAlive)
  }
}
