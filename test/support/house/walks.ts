/** The three walks through the rooms: a start, a load of a document, and a warm GET. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autobahn from 'autobahn'
import { countEntries, type Entries } from './entries.ts'

/** A walk: what was entered on the way. */
export interface Walk {
  readonly name: string
  readonly entries: Entries
}

const realm = 'com.example.test'
const user = { username: 'walker', password: 'a password of the walks' }

const documentOf = (path: Readonly<Record<string, unknown>>) => ({
  id: 'com.example.walk',
  host: '_',
  realm_uri: realm,
  defaults: {
    schemes: ['http'],
    security: { type: 'oauth2', flow: 'resource_owner_password_credentials' },
  },
  versions: { '1.0.0': { base_path: '/walk', paths: { '/hello/:name': path } } },
})

/** A call behind a bearer token and a rate limit. */
const limitedCall = {
  rate_limit: { amount: 1_000_000, window: 60 },
  get: {
    action: {
      type: 'wamp_call',
      procedure: 'com.example.walk.hello',
      args: ['{{request.bindings.name}}'],
    },
    response: {
      on_result: { body: { greeting: '{{action.result.args |> head}}' } },
      on_error: { body: '{{action.error}}' },
    },
  },
}

/** The 3.6 kB of the loaded document. */
const document = readFileSync(
  join(import.meta.dirname, '../../cases/specs/example_2021.json'),
  'utf8',
)

async function ask(url: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`)
  return text
}

const post = (url: string, body: string): Promise<string> =>
  ask(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

/** A session that answers the calls. */
async function openCallee(url: string): Promise<() => void> {
  const connection = new autobahn.Connection({ url, realm, max_retries: 0, use_es6_promises: true })
  await new Promise<void>((resolve, reject) => {
    connection.onopen = (session) => {
      const hello = (args: readonly unknown[] = []) => `Hello, ${String(args[0])}!`
      session.register('com.example.walk.hello', hello).then(() => resolve(), reject)
    }
    connection.onclose = (reason) => {
      reject(new Error(reason))
      return true
    }
    connection.open()
  })
  return () => connection.close()
}

async function tokenOf(gatewayUrl: string): Promise<string> {
  const { username, password } = user
  const text = await ask(`${gatewayUrl}/walk/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${username}:${encodeURIComponent(password)}`)}` },
    body: new URLSearchParams({ grant_type: 'password', username, password }),
  })
  return (JSON.parse(text) as { access_token: string }).access_token
}

const sources = {
  component: (root: string): Promise<typeof import('#component/component.ts')> =>
    import(join(root, 'component/component.ts')),
  config: (root: string): Promise<typeof import('#component/config/config.ts')> =>
    import(join(root, 'component/config/config.ts')),
  log: (root: string): Promise<typeof import('#component/log.ts')> =>
    import(join(root, 'component/log.ts')),
}

/** Starts the gateway of a checkout in this process, and takes the walks. What is loaded for the first time is not counted. */
export async function takeWalks(root: string): Promise<readonly Walk[]> {
  const entriesOf = countEntries(root)
  const { startComponent } = await sources.component(root)
  const { readConfig } = await sources.config(root)
  const { openLog } = await sources.log(root)
  const dataDir = mkdtempSync(join(tmpdir(), 'walks-'))
  const config = readConfig(
    undefined,
    {},
    {
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'limits.load_shedding': 'false',
      'log.level': 'silent',
      data_dir: dataDir,
    },
  )
  let started: Awaited<ReturnType<typeof startComponent>> | undefined
  let closeCallee = () => {}
  try {
    const start = await entriesOf(async () => {
      started = await startComponent(config, openLog('silent'))
    })
    if (started === undefined) throw new Error('the gateway has not started')
    const { adminUrls, gatewayUrls, routerUrl } = started
    const [adminUrl = '', gatewayUrl = ''] = [adminUrls[0], gatewayUrls[0]]
    await post(
      `${adminUrl}/services/load_realm`,
      JSON.stringify({
        uri: realm,
        authmethods: ['anonymous', 'password', 'oauth2'],
        users: [{ ...user, groups: ['api_clients', 'resource_owners'] }],
      }),
    )
    const { realm_uri } = JSON.parse(document) as { realm_uri: string }
    const open = JSON.stringify({ uri: realm_uri, authmethods: ['anonymous'] })
    if (realm_uri !== realm) await post(`${adminUrl}/services/load_realm`, open)
    closeCallee = await openCallee(routerUrl)
    await post(`${adminUrl}/api_specs`, JSON.stringify(documentOf(limitedCall)))
    const load = await entriesOf(async () => {
      await post(`${adminUrl}/api_specs`, document)
    })
    const authorization = `Bearer ${await tokenOf(gatewayUrl)}`
    const get = () =>
      ask(`${gatewayUrl}/walk/hello/ada`, { headers: { authorization } }).then(() => undefined)
    for (let times = 0; times < 5; times++) await get()
    return [
      {
        name: 'a warm GET with bearer token, rate limit and wamp_call',
        entries: await entriesOf(get),
      },
      { name: 'POST of a document of 3.6 kB', entries: load },
      { name: 'start', entries: start },
    ]
  } finally {
    closeCallee()
    await started?.stop(0)
    rmSync(dataDir, { recursive: true, force: true })
  }
}
