/** What goes on beside the load of the soak: users, reloads, realm changes, API keys, and sockets that are cut wherever they are. */
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Gateway, post, realm } from '#bench/gateway.ts'
import { realmDocument, smallDocument, users } from './setup.ts'

/** How often each of them happens; milliseconds. */
const pauses = { users: 100, newPaths: 1000, sameIds: 1000, realm: 5000, apiKeys: 500, cuts: 100 }

/** The id that is loaded and deleted again and again. */
export const sameId = 'com.example.soak.same'

/** What was done, and what went wrong. */
export interface Mix {
  readonly done: Readonly<Record<string, number>>
  readonly problems: readonly string[]
  /** Ends it; resolves when the last one has ended. */
  stop(): Promise<void>
}

async function expectStatus(answer: Response, ...statuses: number[]): Promise<string> {
  const text = await answer.text()
  if (statuses.includes(answer.status)) return text
  throw new Error(`${answer.url}: ${answer.status} ${text.slice(0, 200)}`)
}

/** A user's call runs over a WAMP session of that user. */
async function callAsUser({ url }: Gateway, turn: number): Promise<void> {
  const { username, password } = users[turn % users.length] ?? { username: '', password: '' }
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  const headers = { authorization: `Basic ${credentials}` }
  await expectStatus(await fetch(`${url}/own/Ada`, { headers }), 200)
}

async function loadNewPath({ url, admin }: Gateway, turn: number): Promise<void> {
  const path = `/new-${turn}`
  await post(`${admin}/api_specs`, smallDocument('com.example.soak.paths', path))
  await expectStatus(await fetch(`${url}${path}`), 200)
}

async function loadAndDelete({ admin }: Gateway): Promise<void> {
  await post(`${admin}/api_specs`, smallDocument(sameId, '/same'))
  await expectStatus(await fetch(`${admin}/api_specs/${sameId}`, { method: 'DELETE' }), 204)
}

const changeRealm = ({ admin }: Gateway, turn: number): Promise<void> =>
  post(`${admin}/services/load_realm`, realmDocument(turn + 1))

async function makeAndRevokeKey({ admin }: Gateway, turn: number): Promise<void> {
  const { username } = users[turn % users.length] ?? { username: '' }
  const made = await fetch(`${admin}/realms/${realm}/users/${username}/api_keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { id } = JSON.parse(await expectStatus(made, 201)) as { id: string }
  await expectStatus(await fetch(`${admin}/api_keys/${id}`, { method: 'DELETE' }), 204)
}

const upgrade =
  'GET /ws HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: wamp.2.json\r\n\r\n'

/** Where a socket is cut: after so much has been sent, and after the first bytes of an answer or not. */
const cuts: readonly (readonly [text: string, afterAnswer: boolean])[] = [
  ['', false],
  ['GET /about HT', false],
  ['GET /about HTTP/1.1\r\nHost: bench\r\n', false],
  ['GET /about HTTP/1.1\r\nHost: bench\r\n\r\n', false],
  ['GET /about HTTP/1.1\r\nHost: bench\r\n\r\n', true],
  ['GET /hello/Ada HTTP/1.1\r\nHost: bench\r\n\r\n', false],
  ['GET /quotes/1 HTTP/1.1\r\nHost: bench\r\n\r\n', false],
  [
    'POST /waves HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"na',
    false,
  ],
  ['GET /ws HTTP/1.1\r\nHost: bench\r\nUpgrade: webs', false],
  [upgrade, false],
  [upgrade, true],
  [`${upgrade}\u0081\u00fe`, true],
]

/** Opens a socket, sends what the turn says, and cuts it. */
function cutSocket({ url }: Gateway, turn: number): Promise<void> {
  const [text, afterAnswer] = cuts[turn % cuts.length] ?? ['', false]
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('close', () => resolve()).on('error', () => undefined)
    const cut = () => socket.resetAndDestroy()
    socket.setTimeout(2000, cut)
    if (afterAnswer) socket.once('data', cut)
    socket.once('connect', () => {
      socket.write(text, 'latin1')
      if (!afterAnswer) setTimeout(cut, turn % 7)
    })
  })
}

/** Starts all of it. */
export function startMix(gateway: Gateway): Mix {
  const stopped = new AbortController()
  const done: Record<string, number> = {}
  const problems: string[] = []
  const work: Readonly<
    Record<keyof typeof pauses, (gateway: Gateway, turn: number) => Promise<void>>
  > = {
    users: callAsUser,
    newPaths: loadNewPath,
    sameIds: loadAndDelete,
    realm: changeRealm,
    apiKeys: makeAndRevokeKey,
    cuts: cutSocket,
  }
  const run = async (name: keyof typeof pauses) => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      try {
        await work[name](gateway, turn)
        done[name] = turn + 1
      } catch (error) {
        problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      await wait(pauses[name], undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const all = (Object.keys(pauses) as (keyof typeof pauses)[]).map(run)
  return {
    done,
    problems,
    async stop() {
      stopped.abort()
      await Promise.all(all)
    },
  }
}
