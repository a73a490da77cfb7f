/** WAMP-CRA secrets in the store: sealed under `store.key`, each for its user, because a secret in the clear is enough to log in. */

import type { SecretBox } from '#component/secret-box.ts'
import type { WampCraSecret } from './password.ts'

/** Whose secret it is. */
export interface SecretOwner {
  readonly realm_uri: string
  readonly username: string
}

const purposeOf = ({ realm_uri, username }: SecretOwner): string =>
  `wampcra ${JSON.stringify([realm_uri, username])}`

/** The secret for the store; one that is sealed stays as it is. */
export const sealWampCra = (
  wampcra: WampCraSecret,
  owner: SecretOwner,
  box: Pick<SecretBox, 'seal'>,
): WampCraSecret => {
  const { secret } = wampcra
  if (typeof secret !== 'string') return wampcra
  return { ...wampcra, secret: { sealed: box.seal(secret, purposeOf(owner)) } }
}

/** The key of the client's signature; undefined when it was sealed for another user, or with another `store.key`. */
export function openWampCra(
  { secret }: WampCraSecret,
  owner: SecretOwner,
  box: Pick<SecretBox, 'open'>,
): string | undefined {
  return typeof secret === 'string' ? secret : box.open(secret.sealed, purposeOf(owner))
}
