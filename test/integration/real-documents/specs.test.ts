/** The real API Specifications, one after the other: each loads, is read back equal, and each of its routes answers as declared. */
import { expect } from 'chai'
import { type Payload, WampError } from '#component/wamp/session.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { plainClients } from '#test/support/peers/wamp-clients.ts'
import { untilHolds } from '#test/support/running/until.ts'
import {
  Backend,
  body,
  errorWords,
  failure,
  made,
  query,
  requestWords,
  resultWords,
} from './backend.ts'
import { isOfRouter, meaning, type Route, readSpec } from './document.ts'

const anyHost = ['localhost', 'shop.example.org:8080']
const specs = [
  readSpec('admin_2019', ...anyHost),
  readSpec('call_and_publish', ...anyHost),
  readSpec('call_timeout', 'timeout-api.com', 'TIMEOUT-API.com.:80'),
  readSpec('example_2021', ...anyHost),
  readSpec('orders_oauth2', ...anyHost),
  readSpec('services_call_oidc', ...anyHost),
  readSpec('simple', 'myapi.com', 'www.myapi.com'),
  readSpec('static_ping_oidc', ...anyHost),
]

describe('the real API Specifications', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  const manage = (target: string, method = 'GET') => send(gateway.adminUrl, target, { method })

  for (const spec of specs) {
    const { document, routes } = spec
    describe(spec.file, () => {
      let backend: Backend
      const ask = (route: Route, host = spec.hosts[0]) =>
        send(gateway.url, `${route.target}?${query}`, {
          method: route.method,
          ...(host !== undefined && { host }),
          ...(['POST', 'PUT', 'PATCH'].includes(route.method) && { body }),
        })

      before(async () => {
        backend = new Backend(gateway.routerUrl, document.realm_uri)
        await backend.serve(spec)
      })
      after(async () => {
        await backend.session.leave()
        await manage(`/api_specs/${document.id}`, 'DELETE')
      })
      beforeEach(() => {
        backend.next = made
        backend.calls.length = 0
        backend.events.length = 0
      })

      it('loads', async () => {
        const answer = await gateway.load(document)
        expect(answer.body).to.include({ id: document.id })
        expect(answer.status).to.equal(201)
      })

      it('is read back equal over HTTP, and ts beside it', async () => {
        const { ts, ...rest } = (await manage(`/api_specs/${document.id}`)).json() as {
          ts: unknown
        }
        expect(rest).to.deep.equal(document)
        expect(ts).to.be.a('number').and.satisfy(Number.isInteger)
      })

      it('is read back equal over WAMP, and ts beside it', async () => {
        const client = await plainClients.autobahn(gateway.routerUrl, 'service.gateway')
        const { args } = await client.call('service.get_api_spec', [document.id])
        await client.close()
        const { ts, ...rest } = args[0] as { ts: unknown }
        expect(rest).to.deep.equal(document)
        expect(ts).to.be.a('number').and.satisfy(Number.isInteger)
      })

      it('has its routes on each host that its pattern matches, and on no other', async () => {
        const [route] = routes
        if (route === undefined) throw new Error('no route')
        for (const host of spec.hosts) {
          expect((await ask(route, host)).status, host).to.not.equal(404)
        }
        if (document.host === '_') return
        expect((await ask(route, 'other.com')).status).to.equal(404)
        expect((await ask(route, `sub.${spec.hosts[0]}`)).status).to.equal(404)
      })

      for (const route of routes) {
        describe(route.title, () => {
          if (!route.admitsHttp) describeHttpsOnly(route)
          else if (route.method === 'OPTIONS') describeOptions(route)
          else if (route.isSecured) describeSecured(route)
          else if (isOfRouter(route.action.procedure)) describeRouterProcedure(route)
          else if (route.action.type === 'wamp_publish') describePublication(route)
          else describeCall(route)
        })
      }

      /** The answer to a result, as the document and behaviour §4 have it. */
      function expectSuccess(route: Route, answer: HttpAnswer, payload: Payload): void {
        const { uri } = route.onResult
        const declared = meaning(route.onResult.body, resultWords(payload))
        const isEmpty = declared === undefined || declared === ''
        if (isEmpty) expect(answer.text).to.equal('')
        else expect(answer.json()).to.deep.equal(declared)
        if (uri !== undefined) {
          expect(answer.headers.location).to.equal(`${route.target}/com.example.made`)
          expect(answer.status).to.equal(201)
        } else expect(answer.status).to.equal(isEmpty && route.method !== 'GET' ? 204 : 200)
        expectHeaders(route, answer)
      }

      function expectFailure(route: Route, answer: HttpAnswer, error: WampError): void {
        const { error_uri, args, kwargs } = error
        const declared =
          'body' in route.onError
            ? meaning(route.onError.body, errorWords(error_uri, error))
            : { error_uri, args, kwargs, details: {} }
        expect(answer.json(), error_uri).to.deep.equal(declared)
        expect(answer.status, error_uri).to.equal(spec.statusOf(error_uri))
        expectHeaders(route, answer)
      }

      /** The CORS headers that documents declare. */
      function expectHeaders({ variables }: Route, answer: HttpAnswer): void {
        const declared = variables.headers ?? variables.cors_headers
        expect(answer.headers).to.include(declared ?? {})
      }

      function describeHttpsOnly(route: Route): void {
        it('is 403 over plain HTTP, with the headers of the path', async () => {
          const answer = await ask(route)
          expect(answer.status).to.equal(403)
          expect(answer.json()).to.include({ code: 'wamp.error.not_authorized' })
          expectHeaders(route, answer)
        })
      }

      function describeOptions(route: Route): void {
        it('is 200, open, and tells the methods', async () => {
          const answer = await ask(route)
          expect(answer.status).to.equal(200)
          expect(answer.text).to.equal('')
          const { target } = route
          for (const other of routes.filter((candidate) => candidate.target === target)) {
            expect(answer.headers.allow?.split(/, ?/)).to.include(other.method)
          }
          expectHeaders(route, answer)
        })
      }

      function describeSecured(route: Route): void {
        it('is 401 with a challenge, and calls nobody', async () => {
          const answer = await ask(route)
          expect(answer.status).to.equal(401)
          expect(answer.headers['www-authenticate']).to.match(/^Bearer realm="/)
          expect(answer.json()).to.include({ code: 'service.error.unauthorized' })
          expect(backend.calls).to.deep.equal([])
          expectHeaders(route, answer)
        })
      }

      function describeCall(route: Route): void {
        const { action } = route
        const words = requestWords(route)

        it('calls the procedure with what the request holds, and answers its result', async () => {
          const answer = await ask(route)
          expectSuccess(route, answer, made)
          expect(backend.calls).to.have.length(1)
          const [{ uri, payload } = { uri: '', payload: made }] = backend.calls
          expect(uri).to.equal(meaning(action.procedure, words))
          const args = meaning(action.args ?? action.arguments ?? [], words)
          expect(payload.args).to.deep.equal(args)
          const kwargs = meaning(action.kwargs ?? action.arguments_kw ?? {}, words)
          expect(payload.kwargs).to.deep.equal(kwargs)
        })

        it('answers each error as declared', async () => {
          const declared = Object.keys((document.status_codes ?? {}) as object)
          const uris = [...declared, 'wamp.error.not_authorized', 'com.example.error.unknown']
          for (const uri of uris) {
            const error = new WampError(uri, failure)
            backend.next = error
            expectFailure(route, await ask(route), error)
          }
        })
      }

      function describeRouterProcedure(route: Route): void {
        it('answers what the router itself says', async () => {
          const args = meaning(route.action.arguments, requestWords(route)) as unknown[]
          const call = backend.session.call(
            String(route.action.procedure),
            { args, kwargs: {} },
            {},
            5000,
          )
          const direct = await call.result.catch((error: unknown) => error as WampError)
          const answer = await ask(route)
          if (direct instanceof WampError) expectFailure(route, answer, direct)
          else expect(answer.json()).to.deep.equal(direct.args[0])
        })
      }

      function describePublication(route: Route): void {
        it('publishes what the request holds, and answers nothing', async () => {
          const answer = await ask(route)
          expectSuccess(route, answer, made)
          await untilHolds(() => backend.events.length > 0)
          expect(backend.events).to.deep.equal([{ args: body.args, kwargs: body.kwargs }])
        })

        it('answers a publication that failed as declared', async () => {
          const answer = await send(gateway.url, route.target, {
            method: 'POST',
            body: { ...body, args: ['x'.repeat(16_000_000)] },
          })
          const error_uri = 'wamp.error.payload_size_exceeded'
          expect(answer.json()).to.deep.equal({ error_uri })
          expect(answer.status).to.equal(spec.statusOf(error_uri)).and.equal(413)
        })

        it('is 400 for a topic that is none', async () => {
          const answer = await send(gateway.url, route.target, {
            method: 'POST',
            body: { ...body, topic: 'not a topic' },
          })
          expect(answer.status).to.equal(400)
        })
      }
    })
  }
})
