/** The shop with streams: one event a publication, behind each kind of security, and a path that publishes. */
import { expect } from 'chai'
import { type EventStream, openEventStream, type ReadEvent } from '#test/support/event-stream.ts'
import { send } from '#test/support/http-request.ts'
import { basicOf, passwords, shopDocument, shopRealm, shopRealmWith } from './example-api.ts'

const topic = 'com.example.live.news'

const subscribe = (action: object = {}) => ({
  action: { type: 'wamp_subscribe', topic, retry: 100, heartbeat: 1000, ...action },
  response: { on_event: { body: '{{action.event.kwargs}}' }, on_error: {} },
})

const response = { on_result: {}, on_error: {} }

/** How the realm and the document of a test differ. */
export interface LiveChanges {
  /** Members of ada's entry. */
  readonly ofAda?: object
  /** Who may subscribe; all by default. */
  readonly watchers?: readonly string[]
}

/** The realm of the shop, with the right to watch its news. */
export function liveRealm({ ofAda, watchers = ['all'] }: LiveChanges = {}) {
  const realm = shopRealmWith(ofAda)
  const news = { uri: 'com.example.live.', match: 'prefix' }
  return {
    ...realm,
    authmethods: [...realm.authmethods, 'basic'],
    grants: [
      ...realm.grants,
      { permissions: ['wamp.subscribe'], roles: watchers, ...news },
      { permissions: ['wamp.publish'], roles: ['all'], ...news },
    ],
  }
}

/** The ways to a stream, by the last part of their paths. */
export type Way = 'open' | 'token' | 'key' | 'basic' | 'gateway' | 'one'

const ways: Readonly<Record<Way, object>> = {
  open: { security: {}, get: subscribe() },
  token: { get: subscribe(), post: subscribe() },
  key: { security: { type: 'api_key', header_name: 'x-key' }, get: subscribe({ as: 'gateway' }) },
  basic: { security: { type: 'basic' }, get: subscribe() },
  gateway: { get: subscribe({ as: 'gateway' }) },
  // JSON for who asks for JSON
  one: { get: subscribe({ as: 'gateway', max_events: 1, max_duration: 30_000 }) },
}

const { '1.0.0': version } = shopDocument.versions

/** The document. @param paths those that differ; undefined: it is not there. @param more members of the version */
export const liveDocument = (
  paths: Readonly<Partial<Record<Way, object | undefined>>> = {},
  more: object = {},
) => {
  const streams = Object.entries({ ...ways, ...paths }).filter(([, path]) => path !== undefined)
  return {
    ...shopDocument,
    versions: {
      '1.0.0': {
        ...version,
        ...more,
        paths: {
          ...version.paths,
          ...Object.fromEntries(streams.map(([way, path]) => [`/live/${way}`, path])),
          '/publish': {
            security: {},
            post: {
              action: {
                ...{ type: 'wamp_publish', topic, kwargs: '{{request.body}}' },
                // the gateway's own session publishes, and open streams watch over the same one
                options: { acknowledge: true, exclude_me: false },
              },
              response,
            },
          },
        },
      },
    },
  }
}

/** Opens a stream. @throws Error unless it begins */
export async function watch(
  base: string,
  way: Way,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const stream = await openEventStream(`${base}/shop/live/${way}`, { headers })
  if (stream.status === 200) return stream
  await stream.ended
  throw new Error(`no stream: ${stream.status} ${stream.text}`)
}

/** The headers of credentials. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
export const keyed = (api_key: string) => ({ 'x-key': api_key })
export const asAda = { authorization: basicOf('ada', passwords.ada) }

/** Publishes to all streams. */
export async function publish(base: string, kwargs: object): Promise<void> {
  const { status, text } = await send(base, '/shop/publish', { method: 'POST', body: kwargs })
  expect(status, text).to.be.within(200, 204)
}

/** Makes an API key of a user. */
export async function issueKey(adminUrl: string, username = 'bob') {
  const path = `/realms/${shopRealm}/users/${username}/api_keys`
  const answer = await send(adminUrl, path, { method: 'POST', body: {} })
  expect(answer.status, answer.text).to.be.within(200, 201)
  return answer.json() as { readonly id: string; readonly api_key: string }
}

/** Changes something over management. */
export async function manage(
  adminUrl: string,
  path: string,
  body?: unknown,
  method = 'POST',
): Promise<void> {
  const answer = await send(adminUrl, path, { method, ...(body !== undefined && { body }) })
  expect(answer.status, `${path}: ${answer.text}`).to.be.within(200, 204)
}

/** What does not come within this is not there; milliseconds, for a busy machine. */
const patience = 60_000

/** Waits for a promise. @throws Error with `what` when it takes too long */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not within ${patience} ms: ${what}`)), patience)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads until the stream is ended by the gateway; its code. @throws Error when the stream breaks */
export async function endOf(stream: EventStream): Promise<string> {
  let last: ReadEvent
  do last = await stream.next()
  while (last.event !== 'end')
  expect(await stream.ended, 'the body is whole').to.equal(true)
  return (JSON.parse(last.data) as { readonly code: string }).code
}

/** Whether an event that is published now reaches the stream. */
export async function expectAlive(base: string, stream: EventStream): Promise<void> {
  const mark = Math.random()
  await publish(base, { mark })
  for (;;) {
    const event = await within('an event', stream.next())
    if (event.event === 'end') throw new Error(`the stream has ended: ${event.data}`)
    if ((JSON.parse(event.data) as { readonly mark?: number }).mark === mark) return
  }
}
