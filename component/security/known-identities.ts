/** The identities of proofs that are in use: each is made once, until the realm, and so its user, is built anew. */
import type { Identity } from '#component/identity.ts'
import type { User } from '#component/realm/documents/model.ts'

/** By the one object that a proof in use has: its claims, or its certificate. */
export class KnownIdentities<Proof extends object> {
  readonly #known = new WeakMap<
    Proof,
    { readonly user: User | undefined; readonly identity: Identity }
  >()

  /** @param user undefined: the realm declares none of the name */
  of(proof: Proof, user: User | undefined, make: () => Identity): Identity {
    const known = this.#known.get(proof)
    if (known !== undefined && known.user === user) return known.identity
    const identity = make()
    this.#known.set(proof, { user, identity })
    return identity
  }
}
