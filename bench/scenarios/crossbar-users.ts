/** WAMP calls of a thousand users over Crossbar.io: a session for each of them, or one session that sends in their names. */
import type { Ask } from '#bench/asks.ts'
import { crossbarMissing, gatewayLogin, startCrossbar } from '#bench/crossbar.ts'
import { documentOf, post, realm } from '#bench/gateway.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { callPaths, procedure, startCallee } from './wamp.ts'

const names = Array.from({ length: 1000 }, (_, number) => `user${number}`)

const realmDocument = {
  uri: realm,
  authmethods: ['anonymous'],
  groups: [{ name: 'staff' }],
  users: names.map((username) => ({ username, groups: ['staff'] })),
  grants: [{ permissions: ['wamp.call'], roles: ['staff'], uri: procedure }],
}

const paths = { '/secured/:name': callPaths['/hello/:name'] }
const document = {
  ...documentOf('com.example.secured', paths),
  defaults: { security: { type: 'api_key', header_name: 'x-key' } },
}

const sessions = 'ours, a session for each user'

/** @throws Error when the user gets none */
async function keyOf(admin: string, username: string): Promise<string> {
  const answer = await fetch(`${admin}/realms/${realm}/users/${username}/api_keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { api_key } = (await answer.json()) as { api_key?: string }
  if (api_key === undefined) throw new Error(`no API key: ${answer.status}`)
  return api_key
}

/** Starts a gateway with users on a Crossbar.io of its own. */
async function add(stage: Stage, name: string, identity: 'session' | 'forwarded'): Promise<void> {
  const { process, routerUrl } = await startCrossbar(stage, true)
  await startCallee(stage, routerUrl, 'Hello, {}!')
  const { authmethod, authid, secret } = gatewayLogin
  const ours = await stage.gateway(
    name,
    {},
    {
      ...{ 'wamp.url': routerUrl, 'wamp.identity': identity },
      ...{ 'wamp.auth.authmethod': authmethod, 'wamp.auth.authid': authid },
      'wamp.auth.secret': secret,
    },
  )
  await post(`${ours.admin}/services/load_realm`, realmDocument)
  await post(`${ours.admin}/api_specs`, document)
  const expected = { body: JSON.stringify({ greeting: 'Hello, Ada!' }) }
  const asks: Ask[] = []
  for (const username of names) {
    const headers = { 'x-key': await keyOf(ours.admin, username) }
    asks.push({ path: '/secured/Ada', headers, expected })
  }
  stage.compare(name, { process, url: ours.url }, asks, { against: sessions })
}

/** Each has a Crossbar.io to itself. The sessions of users come last: they are joined when the rounds begin, and stay for a minute. */
export const crossbarUsers: Scenario = {
  about:
    'a WAMP call over Crossbar.io for each of 1,000 users in turn; the CPU time is Crossbar.io’s',
  build: async (stage) => {
    const candidates = [
      ['ours, forwarded', 'forwarded'],
      [sessions, 'session'],
    ] as const
    for (const [name, identity] of candidates) {
      if (crossbarMissing) stage.missing.push({ name, why: crossbarMissing })
      else await add(stage, name, identity)
    }
  },
}
