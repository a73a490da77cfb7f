/** What open streams are told of users: whose credentials are revoked, and which realms have changed. */
import type { Identity } from '#component/identity.ts'
import type { Reauthentication } from '#component/security/reauthentication.ts'
import type { Revoked } from '#component/token/revocation.ts'
import type { Users } from '#component/wiring/users.ts'
import type { Regrants } from './regrants.ts'

/** The parts of a process that tell, and that are told. */
export interface StreamRightsPorts {
  readonly users: Pick<Users, 'apiKeys' | 'realms'>
  readonly reauthentication: Pick<Reauthentication, 'recheck'>
  readonly regrants: Pick<Regrants, 'add'>
}

/** Judges the streams of revoked API keys again, and all streams when a realm has changed and the router follows it. */
export function followUsers({ users, reauthentication, regrants }: StreamRightsPorts): void {
  const { apiKeys, realms } = users
  apiKeys.onRevoked = (ids) =>
    reauthentication.recheck(
      ({ authmethod, session = '' }) => authmethod === 'api_key' && ids.has(session),
    )
  const { onChange } = realms
  realms.onChange = async (uris) => {
    await onChange(uris)
    reauthentication.recheck()
    regrants.add(uris)
  }
}

/** Whether a request may have been authenticated by something that was revoked. */
export function mayBeRevoked({ users, hasTokens }: Revoked): (identity: Identity) => boolean {
  const names = new Map<string, Set<string>>()
  for (const { realm_uri, authid } of users) {
    names.set(realm_uri, (names.get(realm_uri) ?? new Set()).add(authid))
  }
  return ({ realm_uri, authid, session }) =>
    (hasTokens && session !== undefined) || names.get(realm_uri)?.has(authid) === true
}
