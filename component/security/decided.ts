/** What several alternatives make of a request: the identity by the one that decides, which knows by which. */
import { anonymous, type Identity } from '#component/identity.ts'
import type { Alternative, Protection } from './scheme.ts'

/** The name of the alternative that nobody needs to bring anything for. */
export const nobodysName = 'anonymous'

/** The alternatives that have decided, by the identities that they gave. */
const decisions = new WeakMap<Identity, Alternative>()

/** The security object that an identity has passed by: of alternatives that of its user; `{}` where it has brought nothing. */
export const objectFor = (protection: Protection, identity: Identity): Protection['object'] =>
  protection.alternatives ? (decisions.get(identity)?.members[0].object ?? {}) : protection.object

/** The protections that an identity has passed by. */
export const passedBy = (protection: Protection, identity: Identity): readonly Protection[] =>
  protection.alternatives ? (decisions.get(identity)?.members ?? []) : [protection]

/** How a security object calls itself. */
export const nameOf = ({ object, type }: Pick<Protection, 'object' | 'type'>): string =>
  typeof object.name === 'string' ? object.name : type

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

interface Known {
  readonly proofs: readonly Identity[]
  readonly identity: Identity
}

const none: readonly Identity[] = []

/** Makes the identities of all alternatives, each once as long as the schemes give the same ones. */
export class Decided {
  readonly #known = new WeakMap<Alternative, WeakMap<Identity, Known>>()
  readonly #nobody = new WeakMap<Protection, Identity>()

  /**
   * The identity of a request.
   * @param user by the first member
   * @param proofs by the others, in their order
   */
  by(alternative: Alternative, user: Identity, proofs: readonly Identity[] = none): Identity {
    let ofAlternative = this.#known.get(alternative)
    if (ofAlternative === undefined) {
      ofAlternative = new WeakMap()
      this.#known.set(alternative, ofAlternative)
    }
    const known = ofAlternative.get(user)
    if (known !== undefined && isEach(known.proofs, proofs)) return known.identity
    const identity = made(alternative, user, proofs)
    ofAlternative.set(user, { proofs, identity })
    return identity
  }

  /** The identity of a request that brings nothing, where it need not. */
  nobody(protection: Protection): Identity {
    let identity = this.#nobody.get(protection)
    if (identity === undefined) {
      const { realm_uri } = protection
      identity = Object.freeze({ ...anonymous(realm_uri), via: nobodysName, proofs: [] })
      this.#nobody.set(protection, identity)
    }
    return identity
  }
}

const isEach = (some: readonly Identity[], others: readonly Identity[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])

/** A proof adds no role and no claim; it may end the identity. */
function made(alternative: Alternative, user: Identity, proofs: readonly Identity[]): Identity {
  const { via, members } = alternative
  const identity: Identity = {
    ...user,
    via,
    proofs: proofs.map(({ authid }, index) => ({
      name: nameOf(members[index + 1] as Protection),
      authid,
    })),
  }
  const expires_at = proofs.reduce<number | undefined>(
    (ends, proof) => earlier(ends, proof.expires_at),
    user.expires_at,
  )
  if (expires_at !== undefined) Object.defineProperty(identity, 'expires_at', { value: expires_at })
  const { providerToken } = user
  if (providerToken) Object.defineProperty(identity, 'providerToken', { value: providerToken })
  decisions.set(identity, alternative)
  return Object.freeze(identity)
}
