/** A forward to an upstream of the realm. */
import { expect } from 'chai'
import { keptLog } from '#test/support/log-lines.ts'
import { closeAll, documentOf, realm_uri, startTarget, startWith } from './upstreams.ts'

describe('a forward to an upstream', () => {
  afterEach(closeAll)

  it('reaches its target, with its path', async () => {
    const target = await startTarget()
    const { url } = await startWith(
      { it: { targets: [{ url: target.url }] } },
      documentOf({ path: '/things/{{request.query_params.id}}' }),
    )
    const answer = await fetch(`${url}/v1/it?id=7`)
    expect([answer.status, await answer.text()]).to.deep.equal([200, 'ok'])
    expect(target.asked).to.deep.equal(['GET /things/7?id=7'])
  })

  it('goes to the targets that the newest load of the realm names', async () => {
    const [one, two] = [await startTarget(), await startTarget()]
    const { url, setUpstreams } = await startWith({ it: { targets: [{ url: one.url }] } })
    await fetch(`${url}/v1/it`)
    await setUpstreams({ it: { targets: [{ url: two.url }] } })
    await fetch(`${url}/v1/it`)
    expect([one.asked, two.asked]).to.deep.equal([['GET /v1/it'], ['GET /v1/it']])
  })

  it('is answered 503 where the realm has no upstream of the name, and a load warns of that', async () => {
    const gateway = await startWith({})
    const answer = await fetch(`${gateway.url}/v1/it`)
    expect(answer.status).to.equal(503)
    expect(answer.headers.get('retry-after')).to.equal('1')
    expect(await answer.json()).to.include({ error_uri: 'service.error.no_upstream_target' })
    const { body } = await gateway.load(documentOf({ path: '/other' }))
    const message = `${realm_uri} has no upstream "it" in info.upstreams: every request gets 503`
    expect(body.warnings?.map((warning) => warning.message)).to.include(message)
    expect(body.warnings?.[0]?.path).to.match(/\/action\/upstream$/)
  })

  for (const [what, action, path, message] of [
    ['no host and no upstream', { upstream: undefined }, 'host', 'host is missing: expected '],
    ['both', { host: 'http://10.0.0.5' }, 'upstream', 'host is there, too: give only one of them'],
    ['a name that the request decides', { upstream: '{{request.host}}' }, 'upstream', 'known when'],
    [
      'a hash of a host',
      { host: 'http://10.0.0.5', upstream: undefined, hash: 'x' },
      'hash',
      'is of',
    ],
    ['a name that no upstream has', { upstream: 'a/b' }, 'upstream', 'the name of an upstream'],
  ] as const) {
    it(`is refused at load: ${what}`, async () => {
      const gateway = await startWith({})
      const { status, body } = await gateway.load(
        documentOf(action, { id: 'y', host: 'y.example' }),
      )
      expect(status).to.equal(400)
      const [first] = body.details ?? []
      expect(first?.path).to.match(new RegExp(`/action/${path}$`))
      expect(first?.message).to.include(message)
    })
  }

  it('goes to the group that the request names, and by its hash', async () => {
    const [one, two, canary] = [await startTarget(), await startTarget(), await startTarget()]
    const targets = [one, two].map(({ url }) => ({ url }))
    const { url } = await startWith(
      {
        it: {
          targets: [...targets, { url: canary.url, weight: 0, group: 'canary' }],
          balance: 'hash',
        },
      },
      documentOf({
        group: "{{request.headers |> get(x-canary, '')}}",
        hash: "{{request.query_params |> get(key, '')}}",
      }),
    )
    await fetch(`${url}/v1/it`, { headers: { 'x-canary': 'canary' } })
    expect(canary.asked).to.have.lengthOf(1)
    for (let count = 0; count < 4; count += 1) await fetch(`${url}/v1/it?key=a`)
    expect([one.asked.length, two.asked.length].sort()).to.deep.equal([0, 4])
    for (let key = 0; key < 20; key += 1) await fetch(`${url}/v1/it?key=${key}`)
    expect(Math.min(one.asked.length, two.asked.length)).to.be.greaterThan(0)
  })

  it('tells in the log which target has failed, and why', async () => {
    const { log, lines } = keptLog()
    // nobody listens there
    const target = { url: 'http://127.0.0.1:1' }
    const { url } = await startWith(
      { it: { targets: [{ url: target.url }] } },
      documentOf(),
      {},
      { log },
    )
    expect((await fetch(`${url}/v1/it`)).status).to.equal(504)
    const line = lines.find(({ msg }) => msg === 'a request failed')
    expect(line).to.include({ upstream: 'it', target: target.url })
    expect(line?.reason).to.equal('the connection to the upstream failed (ECONNREFUSED)')
  })
})
