/** The management procedures, by args and by kwargs over WAMP and over HTTP, and their REST mirrors. */
import { expect } from 'chai'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { type CallingClient, callFailure, plainClients } from '#test/support/peers/wamp-clients.ts'
import { staticDocument } from './faces.ts'

const document = staticDocument('managed', 'managed')
const { id } = document
const notFound = 'service.error.not_found'
const invalid = 'wamp.error.invalid_argument'

describe('the management procedures', () => {
  let gateway: TestGateway
  const clients = new Map<string, CallingClient>()

  before(async () => {
    gateway = await startGateway()
    for (const [name, open] of Object.entries(plainClients)) {
      clients.set(name, await open(gateway.routerUrl, 'service.gateway'))
    }
  })
  after(async () => {
    for (const client of clients.values()) await client.close()
    await gateway.stop()
  })
  beforeEach(async () => {
    await gateway.load(document)
  })

  const rest = (target: string, method = 'GET') => send(gateway.adminUrl, target, { method })
  const post = (name: string, body?: unknown) =>
    send(gateway.adminUrl, `/services/${name}`, { method: 'POST', body })
  const full = async () => (await rest(`/api_specs/${id}`)).json() as { ts: number }

  /** Each way to call a procedure with one parameter `id`; the value of its answer. */
  const ways: Record<string, (name: string, id: string) => Promise<unknown>> = {
    'HTTP, by name': async (name, id) => (await post(name, { id })).json(),
  }
  for (const name of Object.keys(plainClients)) {
    const call = async (procedure: string, args: unknown[], kwargs: Record<string, unknown>) =>
      (await clients.get(name)?.call(`service.${procedure}`, args, kwargs))?.args[0]
    ways[`${name}, by args`] = (procedure, id) => call(procedure, [id], {})
    ways[`${name}, by kwargs`] = (procedure, id) => call(procedure, [], { id })
  }

  for (const [way, ask] of Object.entries(ways)) {
    it(`give a document and its info: ${way}`, async () => {
      expect(await ask('get_api_spec', id)).to.deep.equal(await full())
      const { name, host, realm_uri, meta } = document
      expect(await ask('get_api_spec_info', id)).to.deep.equal({
        id,
        name,
        host,
        realm_uri,
        meta,
        ts: (await full()).ts,
      })
    })
  }

  for (const name of Object.keys(plainClients)) {
    const call = (procedure: string, ...rest: [unknown[]?, Record<string, unknown>?]) =>
      (clients.get(name) as CallingClient).call(`service.${procedure}`, ...rest)

    it(`list, validate and delete: ${name}`, async () => {
      expect((await call('list_api_specs')).args).to.deep.equal([[await full()]])
      const checked = await call('validate_api_spec', [
        { ...document, id: 'com.other', host: 'a.b' },
      ])
      expect(checked.args).to.deep.equal([{ id: 'com.other', warnings: [] }])
      expect((await call('list_api_specs')).args[0]).to.have.length(1)
      await call('delete_api_spec', [id])
      expect((await call('list_api_specs')).args).to.deep.equal([[]])
      expect((await send(gateway.url, '/managed/body')).status).to.equal(404)
      const failure = await callFailure(call('delete_api_spec', [], { id }))
      expect(failure.error).to.equal(notFound)
    })

    it(`say what is not there: ${name}`, async () => {
      for (const procedure of ['get_api_spec', 'get_api_spec_info', 'delete_api_spec']) {
        const { error, args, kwargs } = await callFailure(call(procedure, ['com.no.such']))
        expect(error).to.equal(notFound)
        expect(kwargs).to.have.all.keys('code', 'message', 'description')
        expect(kwargs).to.include({ code: notFound, message: args[0] })
      }
    })

    for (const [procedure, args, kwargs] of [
      ['load_api_spec', [], {}],
      ['load_api_spec', [document, document], {}],
      ['load_api_spec', [document], { extra: 1 }],
      ['load_api_spec', [], { spec: document }],
      ['validate_api_spec', [], {}],
      ['get_api_spec', [], {}],
      ['get_api_spec', [id, id], {}],
      ['get_api_spec', [7], {}],
      ['get_api_spec', [null], {}],
      ['get_api_spec', [], { name: id }],
      ['get_api_spec', [], { id, more: true }],
      ['get_api_spec_info', [], {}],
      ['list_api_specs', [id], {}],
      ['list_api_specs', [], { id }],
      ['delete_api_spec', [], {}],
      ['delete_api_spec', [id, id], {}],
      ['load_realm', [], {}],
      ['list_realms', ['x'], {}],
    ] as const) {
      const given = `${args.length} args and {${Object.keys(kwargs)}}`
      it(`refuse ${given} for ${procedure} with ${invalid}: ${name}`, async () => {
        const failure = await callFailure(call(procedure, [...args], { ...kwargs }))
        expect(failure.error).to.equal(invalid)
        expect(failure.kwargs).to.include({ code: invalid })
        expect((await rest('/api_specs')).json()).to.have.length(1)
      })
    }
  }

  for (const [name, body] of [
    ['get_api_spec', {}],
    ['get_api_spec', { id, more: 1 }],
    ['get_api_spec', { id: 7 }],
    ['get_api_spec', [id]],
    ['list_api_specs', { id }],
    ['delete_api_spec', undefined],
  ] as const) {
    it(`refuse ${JSON.stringify(body)} for POST /services/${name} with 400`, async () => {
      const headers = { 'content-type': 'application/json' }
      const text = body === undefined ? '' : JSON.stringify(body)
      const target = `/services/${name}`
      const answer = await send(gateway.adminUrl, target, { method: 'POST', headers, body: text })
      expect(answer.status).to.equal(400)
      expect(answer.json()).to.include({ code: invalid })
    })
  }

  it('tell the paths that a document adds, when it is judged and when it is loaded', async () => {
    const [[label, version] = []] = Object.entries(document.versions)
    const more = { [String(label)]: { ...version, openapi: { path: '/described' } } }
    const described = { ...document, versions: more }
    const addedBy = async (name: string): Promise<readonly { readonly kind: string }[]> =>
      mapOrEmpty((await post(name, described)).json()).added as []
    const judged = await addedBy('validate_api_spec')
    expect(judged.map(({ kind }) => kind)).to.include('openapi.document')
    expect(await addedBy('load_api_spec')).to.deep.equal(judged)
    expect((await post('load_api_spec', document)).json()).not.to.have.property('added')
  })

  it('have REST mirrors that answer the same, with an ETag', async () => {
    expect((await rest('/api_specs')).json()).to.deep.equal([await full()])
    const info = await rest(`/api_specs/${id}/info`)
    expect(info.status).to.equal(200)
    expect(info.json()).to.deep.equal((await post('get_api_spec_info', { id })).json())
    const { headers } = await rest(`/api_specs/${id}`)
    expect(headers.etag).to.match(/^"[0-9a-f]{64}"$/)
    expect(headers['content-type']).to.match(/^application\/json/)
    expect((await post('get_api_spec', { id })).headers.etag).to.equal(headers.etag)
  })

  it('have REST mirrors that know what is not there', async () => {
    for (const [method, target] of [
      ['GET', '/api_specs/com.no.such'],
      ['GET', '/api_specs/com.no.such/info'],
      ['DELETE', '/api_specs/com.no.such'],
      ['GET', '/realms/com.no.such'],
    ] as const) {
      const answer = await rest(target, method)
      expect(answer.status).to.equal(404)
      expect(answer.json()).to.include({ code: notFound })
    }
  })

  it('are served on the gateway listener as well, while it is bound to loopback only', async () => {
    const answer = await send(gateway.url, `/api_specs/${id}`)
    expect(answer.json()).to.deep.equal(await full())
  })

  it('leave absent keys of the document absent in its info', async () => {
    const { name: _, meta: __, ...bare } = document
    await gateway.load(bare)
    const info = (await rest(`/api_specs/${id}/info`)).json()
    expect(info).to.have.all.keys('id', 'host', 'realm_uri', 'ts')
  })
})
