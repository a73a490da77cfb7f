/** Explanations against the truth: what a callee in Python and an upstream see of random requests is what was explained before. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import type { ExplainedAction, Explanation } from '#component/explain/explanation/explanation.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { type CallingClient, plainClients } from '#test/support/peers/wamp-clients.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { type PythonPeer, startPythonPeer } from './peer.ts'
import { type RandomRequest, randomCase } from './random-apis.ts'

const realm = 'com.example.test'

/** What one of the recorders has seen. */
type Seen = Readonly<Record<string, unknown>>

/** Fields that the connection decides, or each answer anew. */
const ofConnection = ['connection', 'keep-alive', 'date', 'x-request-id', 'transfer-encoding']

const without = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)))

const bodyOf = ({ text, headers }: HttpAnswer): unknown =>
  text !== '' && headers['content-type']?.includes('json') ? JSON.parse(text) : text

describe('an explanation of random requests', function () {
  this.timeout(1_200_000)
  let gateway: TestGateway
  let recorder: PythonPeer
  let client: CallingClient
  const forwarded: Seen[] = []
  let connections = 0
  const upstream = createServer((incoming, answer) => {
    let text = ''
    incoming.on('data', (chunk) => {
      text += chunk
    })
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      forwarded.push({ http_method: method.toLowerCase(), url, 'x-word': headers['x-word'], text })
      answer.sendDate = false
      answer.writeHead(url.startsWith('/absent') ? 404 : 200, {
        'content-type': 'application/json',
      })
      answer.end('{"from":"upstream"}')
    })
  })
  upstream.on('connection', () => {
    connections += 1
  })

  before(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    gateway = await startGateway()
    recorder = await startPythonPeer(gateway.routerUrl, realm, 'recorder.py')
    client = await plainClients.wampy(gateway.routerUrl, realm)
  })
  after(async () => {
    await client.close()
    await recorder.stop()
    await gateway.stop()
    upstream.closeAllConnections()
    upstream.close()
  })

  /** What both recorders have seen since the last time. */
  const take = async (): Promise<Seen[]> => {
    const { args } = await client.call('com.example.recorder.take')
    return [...(args[0] as Seen[]), ...forwarded.splice(0)]
  }
  const post = (path: string, body: unknown) =>
    send(gateway.adminUrl, path, { method: 'POST', body })
  const explain = async (question: object): Promise<Explanation> => {
    const answer = await post('/explain', question)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json() as Explanation
  }
  const ask = ({ method, path, query_string, headers, body }: RandomRequest) =>
    send(gateway.url, `${path}?${query_string}`, {
      ...{ method: method.toUpperCase(), headers },
      ...(body !== undefined && { body }),
    })

  /** The action as a recorder sees it. */
  function visible(action: ExplainedAction): Seen[] {
    const { type, procedure, topic, args, kwargs, path, query_string } = action
    if (type === 'wamp_call')
      return procedure === 'com.example.other.nobody' ? [] : [{ procedure, args, kwargs }]
    if (type === 'wamp_publish') return [{ topic, args, kwargs }]
    if (type !== 'forward' || action.would_be_refused !== null) return []
    const { http_method, body, headers } = action
    const sent = headers as Record<string, unknown>
    const url = `${path}${query_string === '' ? '' : `?${query_string}`}`
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return [{ http_method, url, 'x-word': sent['x-word'], text }]
  }

  /** The outcome that the recorders gave. */
  function outcomeOf(action: ExplainedAction): object {
    const { type, procedure, args, kwargs, path } = action
    if (type === 'wamp_publish') return { result: {} }
    if (procedure === 'com.example.other.nobody') {
      const message = `no callee registered for procedure <${procedure}>`
      return { error: { error_uri: 'wamp.error.no_such_procedure', args: [message] } }
    }
    if (procedure === 'com.example.truth.fail')
      return { error: { error_uri: 'com.example.truth.failed', args, kwargs } }
    if (type === 'wamp_call') return { result: { args, kwargs } }
    const headers = { 'content-type': 'application/json' }
    const status_code = String(path).startsWith('/absent') ? 404 : 200
    return { result: { status_code, headers, body: { from: 'upstream' } } }
  }

  it('tells what callee, subscriber and upstream then see, and the answer; until then they see nothing', async () => {
    let reached = 0
    const test = async ({ paths, request }: { paths: unknown; request: RandomRequest }) => {
      const { port } = upstream.address() as AddressInfo
      const document = {
        ...{ id: 'com.example.truth', host: '_', realm_uri: realm, variables: { word: 'tea' } },
        versions: { '1': { base_path: '/', paths } },
      }
      const text = JSON.stringify(document).replaceAll('ORIGIN', `http://127.0.0.1:${port}`)
      const loaded = await post('/api_specs', JSON.parse(text))
      // constants may not fit their places: then there is nothing to explain
      fc.pre(loaded.status < 300)
      const before = connections
      const told = await explain({ request: { scheme: 'http', ...request } })
      expect([await take(), connections - before]).to.deep.equal([[], 0])

      const answer = await ask(request)
      const seen = await take()
      const { matched, action } = told
      const operation = matched && `${matched.method} ${matched.pattern}`
      if (matched === null) expect(answer.status).to.be.oneOf([404, 405])
      else if (told.problem === null) expect(answer.headers['x-operation']).to.equal(operation)
      if (action === null || Array.isArray(action)) {
        expect(seen).to.deep.equal([])
      } else {
        reached += 1
        expect(seen).to.deep.equal(visible(action as ExplainedAction))
      }
      if (told.response === null) return
      const single = action as ExplainedAction | null
      const outcome = single && single.type !== 'static' ? { outcome: outcomeOf(single) } : {}
      const { response } = await explain({ request: { scheme: 'http', ...request }, ...outcome })
      expect(response?.status).to.equal(answer.status)
      // a publication has an id of its own
      if (single?.type === 'wamp_publish') return
      expect(response?.body).to.deep.equal(bodyOf(answer))
      expect(without(response?.headers ?? {})).to.deep.equal(without(answer.headers))
    }
    const numRuns = rounds(100, 1_000)
    await fc.assert(fc.asyncProperty(randomCase, test), { numRuns })
    expect(reached).to.be.greaterThan(numRuns / 5)
  })

  it('shows none of the secrets that are planted in requests', async () => {
    let planted = 0
    const secret = () => {
      planted += 1
      return `s3cret-${planted}-${Math.imul(planted, 2654435761) >>> 0}`
    }
    const test = async ({ request }: { request: RandomRequest }) => {
      const secrets = Array.from({ length: 10 }, secret)
      const [a, b, c, d, e, f, g, h, i, j] = secrets
      const told = await explain({
        request: {
          ...{ ...request, method: 'post', path: '/o/7' },
          query_string: `access_token=${a}&b=${b}&c=${encodeURIComponent(`<${c}>`)}`,
          headers: {
            authorization: `Basic ${Buffer.from(`ada:${d}`).toString('base64')}`,
            'x-api-key': e,
            cookie: `sid=${f}; other=${g}`,
            'idempotency-key': h,
            'x-word': `${e} ${b}`,
          },
          body: {
            password: i,
            a: `${i}!`,
            nested: [{ client_secret: j, b }],
            credentials: { b, c },
          },
        },
        outcome: { result: { args: [{ id: a, text: `${d} ${j}` }], kwargs: { token: g } } },
      })
      const text = JSON.stringify(told)
      expect(secrets.filter((one) => text.includes(String(one)))).to.deep.equal([])
    }
    const paths = {
      '/o/:id': {
        post: {
          action: {
            type: 'wamp_call',
            procedure: 'com.example.truth.echo',
            args: ['{{request}}', '{{request.headers.x-word}}', '{{request.query_string}}'],
            kwargs: { a: '{{request.body}}' },
          },
          response: {
            on_result: {
              body: '{{action.result}}',
              headers: { 'x-id': '{{request.query_params.access_token}}' },
            },
            on_error: {},
          },
        },
      },
    }
    const document = {
      ...{ id: 'com.example.truth', host: '_', realm_uri: realm },
      versions: { '1': { base_path: '/', paths } },
    }
    const loaded = await post('/api_specs', document)
    expect(loaded.status, loaded.text).to.be.lessThan(300)
    const numRuns = rounds(100, 1_000)
    await fc.assert(fc.asyncProperty(randomCase, test), { numRuns })
    expect(planted).to.equal(numRuns * 10)
  })
})
