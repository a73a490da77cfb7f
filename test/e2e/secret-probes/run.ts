/** One run of the test that looks for leaked secrets: a gateway process, thousands of requests, and all that it has written. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { exchangeRaw } from '#test/integration/http/fixture.ts'
import { freePort } from '#test/support/free-port.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import {
  apiDocuments,
  inEnvironment,
  passwords,
  planted,
  realm,
  realmDocument,
  wrong,
} from './documents.ts'
import { manage } from './management.ts'
import { type Ask, client, type Issued, login, ofForm, requestsWith } from './requests.ts'
import { callByWamp, logInByWamp, openBackend } from './sessions.ts'

/** Everything that a gateway has written, as text or bytes by place. */
export interface Written {
  readonly places: Readonly<Record<'log' | 'errors' | 'metrics' | 'shown' | 'store', Buffer>>
  /** How often it answered with each status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Secrets by name that were issued or made in the run. */
  readonly made: ReadonlyMap<string, string>
  /** All values of the database, one in a line. */
  readonly rows: string
  /** What the file `store.key` holds; empty when there is none. */
  readonly storeKey: string
}

const parallel = 24

/** Upstreams that fail, and their end. */
async function openUpstreams() {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const listen = async (serve: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      serve(socket)
    })
    servers.push(server)
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return `http://127.0.0.1:${port}`
  }
  const failure = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'
  const upstreams = {
    closed: `http://127.0.0.1:${await freePort()}`,
    hangsUp: await listen((socket) => socket.once('data', () => socket.destroy())),
    mumbles: await listen((socket) => socket.once('data', () => socket.end('mumble\r\n\r\n'))),
    silent: await listen(() => undefined),
    failing: await listen((socket) => socket.on('data', () => socket.write(failure))),
  }
  const close = () => {
    for (const server of servers) server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { upstreams, close }
}

class Run {
  readonly errors = new Set<string>()
  readonly statuses = new Map<number, number>()
  readonly made = new Map<string, string>()
  readonly #gateway: GatewayProcess

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway
  }

  async ask({ to, target, raw, ...request }: Ask): Promise<string> {
    const base = to === 'admin' ? this.#gateway.adminUrl : this.#gateway.url
    const { status, headers, text } =
      raw === undefined
        ? await send(base, target, request)
        : await exchangeRaw(Number(new URL(base).port), raw).then(({ body, ...rest }) => ({
            ...rest,
            text: body,
          }))
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    const { date: _date, 'x-request-id': _id, ...others } = headers
    if (status >= 400) this.errors.add(`${status} ${JSON.stringify(others)} ${text}`)
    return text
  }

  async json(ask: Ask): Promise<Readonly<Record<string, string>>> {
    const text = await this.ask(ask)
    try {
      return JSON.parse(text) as Record<string, string>
    } catch {
      throw new Error(`${ask.target}: ${text}`)
    }
  }

  /** Remembers a secret by its last characters: a token begins with what is none. */
  #keep(name: string, text = ''): string {
    if (text.length < 40) throw new Error(`${name}: nothing was issued: ${text}`)
    this.made.set(name, text.slice(-24))
    return text
  }

  /** What successful requests issue: a login, its renewal, a ticket and a key. */
  async issue(turn: number): Promise<Issued> {
    const first = await this.json(login)
    const refresh_token = this.#keep(`refresh ${turn}`, first.refresh_token)
    const next = await this.json(ofForm('token', { grant_type: 'refresh_token', refresh_token }))
    const access = this.#keep(`access ${turn}`, next.access_token)
    const bearer = { authorization: `Bearer ${access}` }
    const ticket = await this.json({ ...manage('/services/ticket/issue', {}), headers: bearer })
    const key = await this.json(manage(`/realms/${realm}/users/ada/api_keys`, {}))
    return {
      access,
      refresh: this.#keep(`next refresh ${turn}`, next.refresh_token),
      ticket: this.#keep(`ticket ${turn}`, ticket.ticket),
      apiKey: this.#keep(`API key ${turn}`, key.api_key),
    }
  }

  /** All of these, in turn, until there were so many requests. */
  async load(asks: readonly Ask[], count: number): Promise<void> {
    let sent = 0
    const one = async () => {
      while (sent < count) {
        const ask = asks[sent % asks.length]
        sent += 1
        if (ask) await this.ask(ask)
      }
    }
    await Promise.all(Array.from({ length: parallel }, one))
  }
}

/** All values of the database, as they are read. */
function rowsOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all()
    return tables
      .flatMap(({ name }) => database.prepare(`select * from "${name}"`).all())
      .flatMap((row) => Object.values(row).map(String))
      .join('\n')
  } finally {
    database.close()
  }
}

/** What changes users and what they were issued; each is asked once. */
const changes = (issued: Issued): readonly Ask[] => [
  manage('/services/change_password', {
    uri: realm,
    username: 'eve',
    password: `${wrong} changed`,
  }),
  manage('/services/load_realm', realmDocument),
  manage(`/realms/${realm}/rotate_keys`, {}),
  ofForm('introspect', { token: issued.access }, client),
  ofForm('revoke', { token: issued.access }),
  ofForm('revoke', { token: issued.refresh }, client),
  manage('/services/ticket/revoke', { ticket: issued.ticket }),
  manage(`/realms/${realm}/users/ada/revoke_all`, {}),
]

/**
 * Starts a gateway that logs everything, sends it `count` requests, and collects what it has written until it has ended.
 * @param settings options by dotted key
 */
export async function runWithSecrets(
  settings: Readonly<Record<string, string>>,
  count: number,
): Promise<Written> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-secrets-'))
  const { upstreams, close } = await openUpstreams()
  const filesOf = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name !== 'store.key')
      .map((name) => readFileSync(join(folder, name)))
  try {
    // one stream for both, to be read here
    const wrapper = [
      'env',
      `${inEnvironment.name}=${inEnvironment.value}`,
      'sh',
      '-c',
      'exec "$@" 2>&1',
      'sh',
    ]
    const gateway = await startGatewayProcess(
      {
        ...settings,
        node: planted,
        data_dir: folder,
        'log.level': 'trace',
        'rate_limits.address_failures': '1000000',
      },
      wrapper,
    )
    try {
      await gateway.post('/services/load_realm', realmDocument)
      for (const document of apiDocuments(upstreams)) await gateway.post('/api_specs', document)
      const backend = await openBackend(gateway.routerUrl)
      const run = new Run(gateway)
      const issued = await run.issue(1)
      await run.load(requestsWith(issued), count)
      const { bas } = passwords
      const secrets = [bas, wrong, issued.ticket, issued.access]
      const logins = await logInByWamp(gateway.routerUrl, secrets)
      if (logins.joins !== 2) throw new Error(`${logins.joins} of the logins over WAMP succeeded`)
      const overWamp = [...logins.told, ...(await callByWamp(gateway.routerUrl))]
      for (const change of changes(issued)) await run.ask(change)
      await run.issue(2)
      await run.load(requestsWith(issued), Math.ceil(count / 10))
      const text = async (path: string) => (await send(gateway.adminUrl, path)).text
      const metrics = await text('/metrics')
      const paths = ['/realms', `/realms/${realm}`, '/registry']
      const shown = await Promise.all(paths.map(text))
      const whileOpen = filesOf()
      const rows = rowsOf(join(folder, 'gateway.db'))
      backend.close()
      await gateway.stop()
      const key = readdirSync(folder).includes('store.key')
        ? readFileSync(join(folder, 'store.key'), 'utf8')
        : ''
      return {
        places: {
          log: Buffer.from(gateway.output),
          errors: Buffer.from([...run.errors, ...overWamp].join('\n')),
          metrics: Buffer.from(metrics),
          shown: Buffer.from(shown.join('\n')),
          store: Buffer.concat([...whileOpen, ...filesOf(), Buffer.from(rows)]),
        },
        statuses: run.statuses,
        made: run.made,
        rows,
        storeKey: key.trim(),
      }
    } finally {
      if (gateway.isRunning) await gateway.kill()
    }
  } finally {
    close()
    rmSync(folder, { recursive: true, force: true })
  }
}
