/** Hot reloads under load: every answer comes from one document, never from one that had been replaced before it was asked. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type Answer, type Ask, type Load, startLoad } from '#test/support/load.ts'
import { rounds } from '#test/support/running/rounds.ts'

const reloads = rounds(100, 1000)
const clients = 64
const realm = 'com.example.test'
const statuses = [200, 201, 202, 203, 207]
const procedures = ['com.example.test.red', 'com.example.test.green', 'com.example.test.blue']

const statusOf = (n: number) => statuses[n % statuses.length]
const procedureOf = (n: number) => procedures[n % procedures.length]
const hasExtra = (n: number) => n % 2 === 1

/** The nth version of the document; what differs says its number. */
function document(n: number): object {
  const response = (body: object) => ({
    on_result: { status_code: statusOf(n), headers: { 'x-version': String(n) }, body },
    on_error: {},
  })
  const fixed = {
    get: { action: { type: 'static', body: {} }, response: response({ n }) },
  }
  const called = {
    get: {
      action: { type: 'wamp_call', procedure: procedureOf(n), args: [n] },
      response: response({
        n,
        procedure: '{{action.result.args |> head}}',
        echo: '{{action.result.args |> last}}',
      }),
    },
  }
  return {
    id: 'com.example.reloaded',
    host: '_',
    realm_uri: realm,
    versions: {
      '1.0.0': {
        base_path: '/reloaded',
        paths: {
          '/fixed': fixed,
          '/called': called,
          [`/only-${n}`]: fixed,
          ...(hasExtra(n) ? { '/extra': fixed } : {}),
        },
      },
    },
  }
}

interface Versioned extends Ask {
  /** The last version whose load was acknowledged when the request was sent. */
  readonly acknowledged: number
  readonly path: string
}

/** Which version an answer is, or what is wrong with it. */
function versionOf(answer: Answer, path: string): number | string {
  const body = JSON.parse(answer.body) as { n: number; procedure?: string; echo?: number }
  const { n } = body
  if (answer.headers['x-version'] !== String(n)) return `header ${answer.headers['x-version']}`
  if (answer.status !== statusOf(n)) return `status ${answer.status}`
  if (path === 'called' && (body.procedure !== procedureOf(n) || body.echo !== n)) {
    return `procedure ${body.procedure}`
  }
  return path === 'extra' && !hasExtra(n) ? 'a version without this route' : n
}

/** Registers the three procedures; each answers with its own name and the first argument. */
async function startCallee(url: string): Promise<RouterPeer> {
  const peer = await RouterPeer.join({ url, realm })
  const names = new Map<number, string>()
  for (const procedure of procedures) names.set(await peer.register(procedure), procedure)
  peer.webSocket.on('message', (data) => {
    const [type, request, registration, , args] = JSON.parse(String(data))
    if (type === 68) peer.send(70, request, {}, [names.get(registration), ...args])
  })
  return peer
}

describe(`a document that is loaded ${reloads} times under load`, function () {
  this.timeout(600_000)
  let gateway: TestGateway
  let callee: RouterPeer
  let manager: RouterPeer
  let load: Load
  let begun = 0
  let acknowledged = 0
  const wrong: string[] = []
  const seen = new Map<string, number>()

  const onAnswer = (answer: Answer, ask: Versioned) => {
    const report = (what: string) => {
      wrong.push(`${ask.path} asked at ${ask.acknowledged}, answered at ${begun}: ${what}`)
    }
    if (answer.status === 404 && ask.path === 'extra') {
      // only a version without the route says so
      if (hasExtra(ask.acknowledged) && begun === ask.acknowledged) report('not found')
      seen.set('absent', (seen.get('absent') ?? 0) + 1)
      return
    }
    const version = versionOf(answer, ask.path)
    if (typeof version === 'string') report(`${version} in ${answer.body}`)
    else if (version < ask.acknowledged || version > begun) report(`version ${version}`)
    seen.set(ask.path, (seen.get(ask.path) ?? 0) + 1)
  }

  async function loadOver(face: 'http' | 'wamp', n: number): Promise<void> {
    if (face === 'http') {
      const { status, body } = await gateway.load(document(n))
      expect(status, JSON.stringify(body)).to.equal(n === 1 ? 201 : 200)
      return
    }
    const result = await manager.ask(48, n, {}, 'service.load_api_spec', [document(n)])
    expect(result.slice(0, 2), JSON.stringify(result)).to.deep.equal([50, n])
  }

  before(async () => {
    gateway = await startGateway()
    callee = await startCallee(gateway.routerUrl)
    manager = await RouterPeer.join({ url: gateway.routerUrl, realm: 'service.gateway' })
    begun = 1
    await loadOver('http', 1)
    acknowledged = 1
    const paths = ['fixed', 'called', 'extra']
    let asked = 0
    load = startLoad<Versioned>({
      clients,
      ask: () => {
        asked += 1
        const path = paths[asked % paths.length] ?? ''
        return { url: `${gateway.url}/reloaded/${path}`, path, acknowledged }
      },
      onAnswer,
    })
    await load.more(clients)
    for (let n = 2; n <= reloads + 1; n += 1) {
      begun = n
      await loadOver(n % 2 === 0 ? 'wamp' : 'http', n)
      acknowledged = n
      // each version serves some requests before the next takes its place
      await load.more(10)
    }
    await load.stop()
  })

  after(async () => {
    await load?.stop()
    callee?.cut()
    manager?.cut()
    await gateway?.stop()
  })

  it('loses no request', () => {
    expect(load.failures).to.deep.equal([])
    expect(load.answered).to.be.above(10 * reloads)
  })

  it('gives each answer from one document, not older than the last acknowledged one', () => {
    expect(wrong).to.deep.equal([])
  })

  it('is asked for static answers, calls, and routes that come and go', () => {
    for (const path of ['fixed', 'called', 'extra', 'absent']) {
      expect(seen.get(path), path).to.be.above(reloads)
    }
  })

  it('leaves the last version, and no route of those before', async () => {
    const last = reloads + 1
    expect((await fetch(`${gateway.url}/reloaded/only-${last}`)).status).to.equal(statusOf(last))
    for (const n of [1, 2, reloads / 2, last - 1]) {
      expect((await fetch(`${gateway.url}/reloaded/only-${n}`)).status).to.equal(404)
    }
  })
})
