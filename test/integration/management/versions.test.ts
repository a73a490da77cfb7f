/** The history of an API Specification, the way back, and changes on a condition: over HTTP and over WAMP. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { canonicalJson } from '#component/codec/json.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { type CallingClient, callFailure, plainClients } from '#test/support/peers/wamp-clients.ts'
import { staticDocument } from './faces.ts'

const hashOf = (document: object) =>
  createHash('sha256').update(canonicalJson(document)).digest('hex')

const tag = (document: object) => `"${hashOf(document)}"`

/** One row of the history. */
interface VersionRow {
  readonly ts: number
  readonly hash: string | null
  readonly node: string
  readonly is_current: boolean
  readonly by: string
  readonly is_deleted: boolean
}

describe('the versions of an API Specification', () => {
  let gateway: TestGateway
  let client: CallingClient
  let name = ''
  let count = 0

  before(async () => {
    gateway = await startGateway()
    client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
  })
  after(async () => {
    await client.close()
    await gateway.stop()
  })

  /** The nth version of the document of this test. */
  const version = (n: number) => staticDocument(name, n)
  const idNow = () => version(0).id
  const path = (rest = '') => `/api_specs/${idNow()}${rest}`
  const bodyNow = async () => {
    const answer = await send(gateway.url, `/${name}/body`)
    return answer.status === 200 ? answer.json() : answer.status
  }
  const codeOf = (answer: HttpAnswer) => [
    answer.status,
    (answer.json() as { readonly code: string }).code,
  ]
  const post = (target: string, body: unknown, headers: Record<string, string> = {}) =>
    send(gateway.adminUrl, target, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const remove = (headers: Record<string, string> = {}) =>
    send(gateway.adminUrl, path(), { method: 'DELETE', headers })
  const read = (headers: Record<string, string> = {}) => send(gateway.adminUrl, path(), { headers })
  const versions = async () =>
    (await send(gateway.adminUrl, path('/versions'))).json() as VersionRow[]

  beforeEach(async () => {
    name = `versions${count++}`
    for (const n of [1, 2, 3])
      expect((await post('/api_specs', version(n))).status).to.be.below(300)
  })

  it('are listed newest first, over HTTP and over WAMP alike', async () => {
    const rows = await versions()
    expect(rows.map(({ hash }) => hash)).to.deep.equal([3, 2, 1].map((n) => hashOf(version(n))))
    expect(rows.map(({ is_current, is_deleted }) => [is_current, is_deleted])).to.deep.equal([
      [true, false],
      [false, false],
      [false, false],
    ])
    expect(rows[0]?.ts).to.equal(((await read()).json() as { ts: number }).ts)
    for (const { by } of rows) expect(by).to.match(/^local 127\.0\.0\.1:\d+$/)
    expect(rows[0]?.node).to.match(/^[a-z0-9-]+$/)
    const called = await client.call('service.list_api_spec_versions', [idNow()])
    expect(called.args).to.deep.equal([rows])
    const posted = await post('/services/list_api_spec_versions', { id: idNow() })
    expect(posted.json()).to.deep.equal(rows)
  })

  it('are not there for an id that never was', async () => {
    const answer = await send(gateway.adminUrl, '/api_specs/com.no.such/versions')
    expect(codeOf(answer)).to.deep.equal([404, 'service.error.not_found'])
  })

  it('are shown as they were loaded, with their ts', async () => {
    const [, second] = await versions()
    const answer = await send(gateway.adminUrl, path(`/versions/${second?.hash}`))
    expect(answer.json()).to.deep.equal({ ...version(2), ts: second?.ts })
    expect(answer.headers.etag).to.equal(tag(version(2)))
    const called = await client.call('service.get_api_spec_version', [idNow(), second?.hash])
    expect(called.args).to.deep.equal([answer.json()])
  })

  it('are compared with the current one, or with each other', async () => {
    const [one, two] = [hashOf(version(1)), hashOf(version(2))]
    const place = '/versions/one/paths/~1body/get/action/body'
    const changed = (from: number, to: number) => [{ path: place, kind: 'changed', from, to }]
    const compare = async (rest: string) =>
      (await send(gateway.adminUrl, path(`/versions/${rest}`))).json()
    expect(await compare(`${one}/diff`)).to.deep.equal(changed(1, 3))
    expect(await compare(`${one}/diff/${two}`)).to.deep.equal(changed(1, 2))
    expect(await compare(`${two}/diff/${one}`)).to.deep.equal(changed(2, 1))
    expect(await compare(`${two}/diff/${two}`)).to.deep.equal([])
    const called = await client.call('service.diff_api_spec', [], { id: idNow(), from: one })
    expect(called.args).to.deep.equal([changed(1, 3)])
    await remove()
    const gone = await send(gateway.adminUrl, path(`/versions/${one}/diff`))
    expect(codeOf(gone)).to.deep.equal([404, 'service.error.not_found'])
    expect(await compare(`${one}/diff/${two}`)).to.deep.equal(changed(1, 2))
  })

  for (const [way, rollBack] of [
    [
      'POST /api_specs/:id/rollback',
      async (hash: string) => (await post(path('/rollback'), { hash })).json(),
    ],
    [
      'POST /services/rollback_api_spec',
      async (hash: string) =>
        (await post('/services/rollback_api_spec', { id: idNow(), hash })).json(),
    ],
    [
      'a call by args',
      async (hash: string) =>
        (await client.call('service.rollback_api_spec', [idNow(), hash])).args[0],
    ],
    [
      'a call by kwargs',
      async (hash: string) =>
        (await client.call('service.rollback_api_spec', [], { id: idNow(), hash })).args[0],
    ],
  ] as const) {
    it(`can be loaded again by ${way}: live when the answer arrives`, async () => {
      const answer = await rollBack(hashOf(version(1)))
      expect(await bodyNow()).to.equal(1)
      const [newest] = await versions()
      expect(answer).to.deep.equal({ id: idNow(), ts: newest?.ts, warnings: [] })
      expect(newest).to.include({ hash: hashOf(version(1)), is_current: true })
    })
  }

  it('bring back what was deleted: 201', async () => {
    expect((await remove()).status).to.equal(204)
    expect(await bodyNow()).to.equal(404)
    const [newest] = await versions()
    expect(newest).to.include({ hash: null, is_current: true, is_deleted: true })
    const answer = await post(path('/rollback'), { hash: hashOf(version(3)) })
    expect(answer.status).to.equal(201)
    expect(answer.headers.location).to.equal(path())
    expect(answer.headers.etag).to.equal(tag(version(3)))
    expect(await bodyNow()).to.equal(3)
  })

  it('are named by the first 6 characters of the hash or more', async () => {
    const hash = hashOf(version(1))
    const start = hash.slice(0, 6)
    const shown = await send(gateway.adminUrl, path(`/versions/${start}`))
    expect([shown.status, shown.headers.etag]).to.deep.equal([200, tag(version(1))])
    const compared = await send(gateway.adminUrl, path(`/versions/${start}/diff`))
    expect(compared.json()).to.have.length(1)
    const short = await post(path('/rollback'), { hash: hash.slice(0, 5) })
    expect(codeOf(short)).to.deep.equal([404, 'service.error.not_found'])
    expect(short.text).to.include('at least the first 6 characters')
    const back = await post(path('/rollback'), { hash: start })
    expect([back.status, back.headers.etag]).to.deep.equal([200, tag(version(1))])
    expect(await bodyNow()).to.equal(1)
  })

  it('that are not in the history are not found, and nothing changes', async () => {
    const answer = await post(path('/rollback'), { hash: hashOf(version(9)) })
    expect(codeOf(answer)).to.deep.equal([404, 'service.error.not_found'])
    const failure = await callFailure(client.call('service.rollback_api_spec', [idNow(), 'x']))
    expect(failure.error).to.equal('service.error.not_found')
    expect(await bodyNow()).to.equal(3)
  })

  it('can be required by If-Match: by a load, a rollback and a deletion', async () => {
    const stale = { 'if-match': tag(version(2)) }
    for (const answer of [
      await post('/api_specs', version(4), stale),
      await post('/services/load_api_spec', version(4), stale),
      await post(path('/rollback'), { hash: hashOf(version(1)) }, stale),
      await post('/services/delete_api_spec', { id: idNow() }, stale),
      await remove(stale),
    ]) {
      expect(codeOf(answer)).to.deep.equal([412, 'service.error.conflict'])
    }
    expect(await bodyNow()).to.equal(3)
    expect(await versions()).to.have.length(3)
    const { etag = '' } = (await read()).headers
    const loaded = await post('/api_specs', version(4), { 'if-match': `"other", ${etag}` })
    expect(loaded.status).to.equal(200)
    const removed = await remove({ 'if-match': String(loaded.headers.etag) })
    expect(removed.status).to.equal(204)
  })

  for (const [value, status] of [
    ['*', 200],
    ['W/*', 400],
    ['no-quotes', 400],
    ['"open', 400],
  ] as const) {
    it(`of If-Match: ${value} are ${status}`, async () => {
      const answer = await post('/api_specs', version(4), { 'if-match': value })
      expect(answer.status).to.equal(status)
      if (status === 400) expect(codeOf(answer)).to.deep.equal([400, 'service.error.bad_request'])
    })
  }

  it('are never matched by a weak tag, nor by an id that is not there', async () => {
    const weak = await post('/api_specs', version(4), { 'if-match': `W/${tag(version(3))}` })
    expect(weak.status).to.equal(412)
    await remove()
    for (const value of ['*', tag(version(3))]) {
      expect((await post('/api_specs', version(4), { 'if-match': value })).status).to.equal(412)
      expect((await remove({ 'if-match': value })).status).to.equal(412)
    }
    expect(await bodyNow()).to.equal(404)
  })

  it('are made only once by If-None-Match: *', async () => {
    const onlyNew = { 'if-none-match': '*' }
    expect((await post('/api_specs', version(4), onlyNew)).status).to.equal(412)
    await remove()
    expect((await post('/api_specs', version(4), onlyNew)).status).to.equal(201)
  })

  it('are not sent again to who has them: 304', async () => {
    const { etag = '' } = (await read()).headers
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await read({ 'if-none-match': value })
      expect([answer.status, answer.text, answer.headers.etag]).to.deep.equal([304, '', etag])
    }
    const changed = await read({ 'if-none-match': tag(version(2)) })
    expect(changed.status).to.equal(200)
    expect(changed.json()).to.include({ id: idNow() })
  })
})

describe('GET /registry', () => {
  it('says how the node is doing, like service.registry_status', async () => {
    const gateway = await startGateway()
    try {
      const answer = await send(gateway.adminUrl, '/registry')
      expect(answer.status).to.equal(200)
      const status = answer.json() as { node: string; digest: string; conflicts: unknown[] }
      expect(status.node).to.match(/^[a-z0-9-]+$/)
      expect(status.digest).to.match(/^[0-9a-f]+$/)
      expect(status.conflicts).to.deep.equal([])
      const posted = await send(gateway.adminUrl, '/services/registry_status', {
        method: 'POST',
        body: {},
      })
      expect(posted.json()).to.have.all.keys(Object.keys(status))
    } finally {
      await gateway.stop()
    }
  })
})
