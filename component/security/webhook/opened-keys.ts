/** The keys of those who sign messages, opened from the secrets of realm documents, and kept for a while. */
import type { Clock } from '#component/clock.ts'

/** For how long opened secrets are used, in milliseconds: a file may have another content then. */
const openedMs = 60_000

/** The keys of some owners: senders, or signers. An owner is another object when its realm was built anew. */
export class OpenedKeys<Owner extends { readonly secrets: readonly unknown[] }, Key> {
  readonly #clock: Pick<Clock, 'now'>
  readonly #keyOf: (text: string, owner: Owner) => Key | undefined
  readonly #opened = new WeakMap<Owner, { readonly keys: readonly Key[]; readonly until: number }>()

  /** @param keyOf makes the key of a secret; undefined for one that the owner cannot have */
  constructor(clock: Pick<Clock, 'now'>, keyOf: (text: string, owner: Owner) => Key | undefined) {
    this.#clock = clock
    this.#keyOf = keyOf
  }

  /**
   * The keys of an owner. Rejects where a secret is in a file that cannot be read; a secret that cannot be opened, or is malformed,
   * has no key.
   * @param open opens one secret
   */
  of(
    owner: Owner,
    open: (secret: unknown) => Promise<string | undefined>,
  ): readonly Key[] | Promise<readonly Key[]> {
    const opened = this.#opened.get(owner)
    const now = this.#clock.now()
    return opened && now < opened.until ? opened.keys : this.#open(owner, open, now)
  }

  async #open(
    owner: Owner,
    open: (secret: unknown) => Promise<string | undefined>,
    now: number,
  ): Promise<readonly Key[]> {
    const texts = await Promise.all(owner.secrets.map(open))
    const keys = texts.flatMap((text) =>
      text === undefined ? [] : (this.#keyOf(text, owner) ?? []),
    )
    this.#opened.set(owner, { keys, until: now + openedMs })
    return keys
  }
}

/** The secrets of a sender or signer as its realm declares them: the one in use, and those of a rotation. */
export const secretsIn = ({
  secret,
  secrets,
}: Readonly<Record<string, unknown>>): readonly unknown[] => [
  ...(secret === undefined || secret === null ? [] : [secret]),
  ...(Array.isArray(secrets) ? secrets : []),
]
