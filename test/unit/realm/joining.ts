/** Joins a realm by its policy alone, as a client would by way of a router. */
import type { RealmPolicy } from '#component/router/ports.ts'
import { credentials, type JoinAuth } from '#component/wamp/join-auth.ts'

/** Peers, by where they come from. */
export const outside = { address: '203.0.113.7', isInProcess: false }
export const loopback = { address: '::ffff:127.0.0.1', isInProcess: false }
export const inProcess = { address: '127.0.0.1', isInProcess: true }

/** Joins as a client would; the welcome, or why not. */
export async function join(policy: RealmPolicy, realm: string, auth: JoinAuth, peer = outside) {
  const client = credentials(auth)
  const answer = await policy.authenticate({
    realm,
    session: 7,
    authid: auth.authid,
    authmethod: auth.authmethod,
    authextra: client.authextra,
    peer,
  })
  if (answer.kind === 'refuse') return answer.reason
  if (answer.kind === 'welcome') return answer
  const signature = await client.answer(answer.challenge, answer.extra)
  return (await answer.check(signature)) ?? 'wrong'
}

/** Nobody in particular. */
export const anonymous = { authmethod: 'anonymous' } as const
