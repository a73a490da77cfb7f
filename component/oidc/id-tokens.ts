/** ID tokens that do not fit into the ticket cookie, kept for the logout until a while after their tickets. On all nodes. */
import { type Clock, secondsOf } from '#component/clock.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'

/** The dependencies of {@link IdTokens}. */
export interface IdTokenPorts {
  readonly replica: Pick<Replica, 'change' | 'get'>
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  readonly clock: Pick<Clock, 'now'>
}

/** As it is replicated: kind `id_token`, by the id of the ticket. */
interface KeptDocument extends Readonly<Record<string, unknown>> {
  /** Seconds since the epoch. */
  readonly exp: number
  /** Sealed; absent once the ticket has ended. */
  readonly id_token?: string
}

const purposeOf = (ticket_id: string): string => `id_token ${ticket_id}`

/** Methods that change something throw `service.error.unavailable`. */
export class IdTokens {
  readonly #ports: IdTokenPorts

  constructor(ports: IdTokenPorts) {
    this.#ports = ports
  }

  /** @param exp until when it is kept; seconds since the epoch */
  async keep(ticket_id: string, id_token: string, exp: number): Promise<void> {
    await this.#change(ticket_id, {
      exp,
      id_token: this.#ports.box.seal(id_token, purposeOf(ticket_id)),
    })
  }

  /** The ID token of a ticket; undefined when none is kept, or it was sealed with another `store.key`. */
  find(ticket_id: string): string | undefined {
    const { replica, box } = this.#ports
    const document = replica.get('id_token', ticket_id)?.document as KeptDocument | null | undefined
    return document?.id_token && box.open(document.id_token, purposeOf(ticket_id))
  }

  /** Forgets the ID token of a ticket that has ended. */
  async end(ticket_id: string): Promise<void> {
    if (!this.#ports.replica.get('id_token', ticket_id)?.document?.id_token) return
    // not a tombstone, which would stay: a document with `exp` is removed when it expires
    await this.#change(ticket_id, { exp: secondsOf(this.#ports.clock) })
  }

  async #change(id: string, document: KeptDocument): Promise<void> {
    await this.#ports.replica.change('id_token', () => [{ id, document }])
  }
}
