/** Several actions at once by real peers: how many run, how long they take, and what becomes of the others when one fails or the client goes. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'

const realm = 'com.example.realm'

const call = (name: string, more: object = {}) => ({
  type: 'wamp_call',
  procedure: `com.example.fan.${name}`,
  ...more,
})

/** Answers `echo` and `turn`, the latter a turn later; refuses `fail`; `wait` until it is interrupted. */
class Callee {
  /** Calls that are not answered. */
  working = 0
  /** At once. */
  most = 0
  interrupted = 0
  readonly #peer: RouterPeer
  readonly #procedures = new Map<unknown, string>()

  private constructor(peer: RouterPeer) {
    this.#peer = peer
  }

  static async join(url: string): Promise<Callee> {
    const callee = new Callee(await RouterPeer.join({ url, realm }))
    for (const name of ['echo', 'turn', 'fail', 'wait']) {
      callee.#procedures.set(await callee.#peer.register(`com.example.fan.${name}`), name)
    }
    void callee.#serve()
    return callee
  }

  reset(): void {
    Object.assign(this, { working: 0, most: 0, interrupted: 0 })
  }

  close(): void {
    this.#peer.cut()
  }

  async #serve(): Promise<void> {
    for (;;) {
      const [code, request, registration, , args = []] = await this.#peer.next()
      if (code === 69) {
        this.interrupted += 1
        this.#peer.send(8, 68, request, {}, 'wamp.error.canceled')
      } else if (code === 68) {
        this.#invoke(this.#procedures.get(registration) ?? '', request, args)
      }
    }
  }

  #invoke(name: string, request: unknown, args: unknown): void {
    this.most = Math.max(this.most, ++this.working)
    if (name === 'wait') return
    const answer = () => {
      this.working -= 1
      if (name === 'fail') this.#peer.send(8, 68, request, {}, 'com.example.failed')
      else this.#peer.send(70, request, {}, args)
    }
    if (name === 'echo') answer()
    else setImmediate(answer)
  }
}

describe('several actions at once', () => {
  let gateway: TestGateway
  let upstream: Server
  let callee: Callee
  /** What upstreams see of requests that are not answered. */
  const aborted: string[] = []

  before(async () => {
    gateway = await startGateway()
    upstream = createServer((request, response) => {
      if (request.url?.startsWith('/hang')) {
        response.on('close', () => aborted.push(String(request.url)))
        return
      }
      const isDead = request.url === '/dead'
      response.writeHead(isDead ? 500 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ of: request.url, method: request.method }))
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    callee = await Callee.join(gateway.routerUrl)
    const host = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const http = (path: string) => ({ type: 'forward', host, path })
    const get = (action: unknown, more: object = {}) => ({
      get: {
        action,
        response: {
          on_result: {
            body: { result: '{{action.result}}', errors: '{{action.errors |> keys}}' },
            ...more,
          },
          on_error: {},
        },
      },
    })
    await gateway.mustLoad({
      id: 'com.example.fan',
      host: '_',
      realm_uri: realm,
      versions: {
        '1': {
          base_path: '/fan',
          paths: {
            '/both': get({
              type: 'parallel',
              actions: { a: call('echo', { args: [1] }), b: http('/b') },
            }),
            '/partial': get({
              type: 'parallel',
              optional: ['b', 'c'],
              actions: { a: call('echo'), b: http('/dead'), c: call('fail') },
            }),
            '/failing': get({
              type: 'parallel',
              actions: { a: call('wait'), b: http('/hang'), c: [call('turn'), call('fail')] },
            }),
            '/gone': get({ type: 'parallel', actions: { a: call('wait'), b: http('/hang/gone') } }),
            '/late': get({
              type: 'parallel',
              max_duration: 50,
              actions: { a: http('/hang/late') },
            }),
            '/each': {
              post: {
                idempotency: {},
                action: {
                  type: 'each',
                  items: '{{request.body.ids}}',
                  action: call('turn', { args: ['{{_}}'] }),
                },
                response: {
                  on_result: { body: '{{action.result |> map({{_.args |> head}})}}' },
                  on_error: {},
                },
              },
            },
            '/host': {
              post: {
                action: {
                  type: 'each',
                  items: '{{request.body}}',
                  action: { type: 'forward', host: '{{_}}', path: '/' },
                },
                response: { on_result: { body: 'passed' }, on_error: {} },
              },
            },
            '/uri': {
              post: {
                action: {
                  type: 'each',
                  items: '{{request.body}}',
                  action: { type: 'wamp_call', procedure: '{{_}}' },
                },
                response: { on_result: { body: 'passed' }, on_error: {} },
              },
            },
          },
        },
      },
    })
  })
  afterEach(() => {
    callee.reset()
    aborted.length = 0
  })
  after(async () => {
    callee?.close()
    upstream?.closeAllConnections()
    upstream?.close()
    await gateway?.stop()
  })

  const get = (path: string, init: RequestInit = {}) => fetch(`${gateway.url}/fan${path}`, init)
  const post = (path: string, body: unknown, key = String(crypto.randomUUID())) =>
    get(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    })

  it('come to one answer', async () => {
    const answer = (await (await get('/both')).json()) as {
      result: Record<string, { body?: unknown; args?: unknown }>
    }
    expect(answer.result.a?.args).to.deep.equal([1])
    expect(answer.result.b?.body).to.deep.equal({ of: '/b', method: 'GET' })
  })

  it('come to an answer without what fails, where that may', async () => {
    const response = await get('/partial')
    const { result, errors } = (await response.json()) as {
      result: object
      errors: readonly string[]
    }
    expect([response.status, Object.keys(result), errors]).to.deep.equal([200, ['a'], ['b', 'c']])
  })

  it('are cancelled when one fails: callees get INTERRUPT, upstreams lose the request', async () => {
    const response = await get('/failing')
    expect(response.status).to.equal(500)
    expect(((await response.json()) as { error_uri: string }).error_uri).to.equal(
      'com.example.failed',
    )
    await until('the upstream has lost the request', () => aborted.length === 1)
    await until('the callee is interrupted', () => callee.interrupted === 1)
  })

  it('are cancelled when the client goes', async () => {
    const controller = new AbortController()
    const asked = get('/gone', { signal: controller.signal }).catch(() => undefined)
    await until('the callee works', () => callee.working === 1)
    controller.abort()
    await asked
    await until('the upstream has lost the request', () => aborted.length === 1)
    await until('the callee is interrupted', () => callee.interrupted === 1)
  })

  it('time out together', async () => {
    const response = await get('/late')
    expect(response.status).to.equal(504)
    await until('the upstream has lost the request', () => aborted.length === 1)
  })

  it('run for each item of a list, eight at once, in its order, and once under an Idempotency-Key', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => at)
    const first = await post('/each', { ids }, 'one')
    expect(await first.json()).to.deep.equal(ids)
    expect(callee.most).to.be.within(2, 8)
    callee.most = 0
    expect(await (await post('/each', { ids }, 'one')).json()).to.deep.equal(ids)
    expect(callee.most).to.equal(0)
  })

  it('are refused a host, or a URI of the router, that is made of items of the request', async () => {
    const toHost = await post('/host', ['http://127.0.0.1:1'])
    expect(toHost.status).to.equal(403)
    const toUri = await post('/uri', ['wamp.session.list'])
    expect(toUri.status).to.equal(403)
  })
})
