/** Management in the test that looks for leaked secrets: what is refused, and what only looks. */
import { realm, refusedApis, refusedRealms, secretProbe, wrong } from './documents.ts'
import type { Ask, Issued } from './requests.ts'

const inQuery = encodeURIComponent(wrong)

/** A request to the admin listener. */
export const manage = (target: string, body?: unknown, method = 'POST'): Ask => ({
  to: 'admin',
  target,
  method,
  ...(body !== undefined && { body }),
})

/** Procedures that take no document: each refuses a key that it does not know. */
const strict =
  `get_realm delete_realm change_password issue_api_key revoke_api_key revoke_all forget_account ticket/issue ticket/revoke
  rotate_realm_keys get_api_spec`.split(/\s+/)

const all = [...strict, 'load_realm', 'load_api_spec', 'validate_api_spec']

/** Whatever is issued stays valid. */
export function managementRequests({ access, ticket, apiKey }: Issued): Ask[] {
  const json = { 'content-type': 'application/json' }
  return [
    ...refusedRealms.map((one) => manage('/services/load_realm', one)),
    ...refusedApis.map((one) => manage('/api_specs', one)),
    ...strict.map((name) => manage(`/services/${name}`, { uri: realm, pasword: wrong })),
    ...all.map((name) => manage(`/services/${name}`, [wrong])),
    ...all.map((name) => ({
      ...manage(`/services/${name}`, `{"password":"${secretProbe}`),
      headers: json,
    })),
    manage('/services/change_password', { uri: realm, username: 'nobody', password: wrong }),
    manage('/services/change_password', { uri: realm, username: 'ada', password: [wrong] }),
    manage('/services/ticket/revoke', { ticket: `${ticket}x` }),
    manage('/services/ticket/revoke', { ticket: wrong }),
    manage(`/realms/${realm}/users/ada/password`, { password: wrong, old: wrong }),
    manage(`/realms/${realm}`, undefined, 'GET'),
    manage('/realms', undefined, 'GET'),
    manage('/registry', undefined, 'GET'),
    manage('/metrics', undefined, 'GET'),
    manage(`/none?${inQuery}`, undefined, 'GET'),
    ...[access, apiKey, wrong, `${access}x`].map((one) => ({
      ...manage('/api_specs', { password: wrong }),
      headers: {
        authorization: `Bearer ${encodeURIComponent(one)}`,
        'x-forwarded-for': '10.0.0.1',
      },
    })),
  ]
}
