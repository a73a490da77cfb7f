/** The procedures for users of a realm: passwords, API keys, accounts, the end of everything issued, and the keys that sign tokens. */
import { ServiceError } from '#component/errors.ts'
import {
  accessRefusal,
  type Caller,
  type Procedure,
  pathOf,
  texts,
} from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Seconds; ten years. */
const longestKeyLifetime = 315_360_000

const isLifetime = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longestKeyLifetime

/** Characters. */
const longestKeyName = 100

const isKeyName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestKeyName && /^[^\p{Cc}]+$/u.test(value)

/** @throws ServiceError unless the caller is the user, or has the access in the realm */
function checkOwnOr(
  access: 'load' | 'read',
  { uri, authid }: { readonly uri: string; readonly authid: unknown },
  caller: Caller,
): void {
  const { user } = caller
  if (user !== undefined && user.realm_uri === uri && user.authid === authid) return
  const refusal = accessRefusal({ access }, caller)
  if (refusal) throw refusal
  checkRealm(uri, caller)
}

/** Those by which operators manage users. */
export const userProcedures: readonly Procedure[] = [
  {
    // answers `{uri, username, ts}`; everything issued to the user before is revoked by then
    uri: 'service.change_password',
    parameters: texts('uri', 'username', 'password'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/password' }],
    async handler({ realms }, [uri, username, password], { by }) {
      const [realm, user] = [String(uri), String(username)]
      return { value: await realms.changePassword(realm, user, String(password), by) }
    },
  },
  {
    // makes a key with which programs act for the user: answers `{id, api_key, ts}`, with an expiry `exp` and a name, too; the key is never shown again
    uri: 'service.issue_api_key',
    parameters: [
      ...texts('uri', 'username'),
      { name: 'expiry_time_secs', type: 'integer', isOptional: true },
      { name: 'name', type: 'string', isOptional: true },
    ],
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/api_keys' }],
    async handler({ logins, apiKeys }, [uri, username, lifetime, name]) {
      const [realm_uri, authid] = [String(uri), String(username)]
      if (lifetime !== undefined && !isLifetime(lifetime)) {
        const message = `expiry_time_secs: expected an integer from 1 to ${longestKeyLifetime}`
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      if (name !== undefined && !isKeyName(name)) {
        const message = `name: expected 1 to ${longestKeyName} characters without control characters`
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      if (!logins.user(realm_uri, authid)) {
        const message = 'the realm has no enabled user of this name'
        throw new ServiceError('service.error.not_found', message)
      }
      const issued = await apiKeys.issue(realm_uri, authid, { lifetime, name })
      const headers = { location: pathOf('api_keys', issued.id) }
      return { value: issued, status: 201, headers }
    },
  },
  {
    // answers `[{id, username, ts, last_used}]`, with an expiry `exp` and a name, too, the newest first; never the keys themselves
    uri: 'service.list_api_keys',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri/api_keys' }],
    async handler({ realms, apiKeys, keyUses }, [realm]) {
      const uri = String(realm)
      realms.get(uri) // 404 for an unknown realm
      const uses = await keyUses(uri)
      const told = apiKeys.list(uri).map((key) => ({ ...key, last_used: uses.get(key.id) ?? null }))
      return { value: told }
    },
  },
  {
    // answers `{id, uri, username}`; the key is refused from then on
    uri: 'service.revoke_api_key',
    parameters: texts('id'),
    access: 'load',
    mirrors: [{ method: 'DELETE', path: '/api_keys/:id', status: 204 }],
    async handler({ apiKeys }, [id], caller) {
      const owner = apiKeys.owner(String(id))
      if (!owner) throw new ServiceError('service.error.not_found', 'no API key has this id')
      checkRealm(owner.realm_uri, caller)
      await apiKeys.revoke(owner.id)
      return { value: { id: owner.id, uri: owner.realm_uri, username: owner.username } }
    },
  },
  {
    // revokes tokens, tickets and API keys, and ends sessions: answers `{uri, username}`, also for a former user; the user may log in again
    uri: 'service.revoke_all',
    parameters: texts('uri', 'username'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/revoke_all' }],
    async handler({ realms, endUsers }, [uri, username]) {
      realms.get(String(uri)) // 404 for an unknown realm
      await endUsers([{ realm_uri: String(uri), authid: String(username) }])
      return { value: { uri, username } }
    },
  },
  {
    // logs a user out everywhere: tickets, tokens and sessions end, API keys stay; answers `{uri, authid}`, or `{uri, provider, sub}` for
    // the tickets of a person at an identity provider. Users may call it for themselves
    uri: 'service.end_sessions',
    parameters: [
      { name: 'uri', type: 'string' },
      ...['authid', 'provider', 'sub'].map((name) => ({
        ...{ name, type: 'string' as const, isOptional: true as const },
      })),
    ],
    access: 'self',
    mirrors: [{ method: 'POST', path: '/realms/:uri/end_sessions' }],
    async handler({ realms, revocations, endSubject }, [realm, authid, provider, sub], caller) {
      const uri = String(realm)
      checkOwnOr('load', { uri, authid: provider === undefined ? authid : undefined }, caller)
      realms.get(uri) // 404 for an unknown realm
      if (typeof authid === 'string' && provider === undefined && sub === undefined) {
        await revocations.revokeUsers([{ realm_uri: uri, authid }])
        return { value: { uri, authid } }
      }
      if (authid !== undefined || typeof provider !== 'string' || typeof sub !== 'string') {
        const message = 'expected authid, or provider and sub'
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      await endSubject(uri, provider, sub)
      return { value: { uri, provider, sub } }
    },
  },
  {
    // answers `{sessions: [{id, authid, authmethod, provider, issued_at, expires_at, seen_at, address, node}], is_whole, unheard}`: the tickets
    // that have come to the gateways and hold, the last seen first, at most 500. Users may call it for themselves
    uri: 'service.list_sessions',
    parameters: [
      { name: 'uri', type: 'string' },
      { name: 'authid', type: 'string', isOptional: true, inQuery: true },
    ],
    access: 'self',
    keepsDocuments: true,
    mirrors: [{ method: 'GET', path: '/realms/:uri/tickets' }],
    async handler({ realms, seenTickets }, [realm, authid], caller) {
      const uri = String(realm)
      checkOwnOr('read', { uri, authid }, caller)
      realms.get(uri) // 404 for an unknown realm
      return { value: await seenTickets(uri, typeof authid === 'string' ? authid : undefined) }
    },
  },
  {
    // frees a name that a user of an identity provider has: answers `{uri, authid}`; 404 where no login has bound the name. The
    // next login with that name gets it; everything issued to the user is revoked
    uri: 'service.forget_account',
    parameters: texts('uri', 'authid'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'DELETE', path: '/realms/:uri/accounts/:authid', status: 204 }],
    async handler({ realms, forgetAccount }, [uri, authid]) {
      realms.get(String(uri)) // 404 for an unknown realm
      await forgetAccount({ realm_uri: String(uri), authid: String(authid) })
      return { value: { uri, authid } }
    },
  },
  {
    // answers `{uri, kid, active_from}`, in seconds since the epoch; tokens signed by older keys stay valid
    uri: 'service.rotate_realm_keys',
    parameters: texts('uri'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/rotate_keys' }],
    async handler({ realms, keys }, [uri]) {
      realms.get(String(uri)) // 404 for an unknown realm
      return { value: { uri, ...(await keys.rotate(String(uri))) } }
    },
  },
]
