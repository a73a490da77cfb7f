/** `X-Request-Id`: kept when a trusted proxy sends it; in the answer, in expressions and in the log. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { untilHolds } from '#test/support/running/until.ts'

const document = {
  id: 'com.example.ids',
  name: 'ids',
  host: '_',
  realm_uri: 'com.example.realm',
  versions: {
    '1.0': {
      base_path: '/v1',
      paths: {
        '/id': {
          schemes: ['http'],
          get: { action: { type: 'static', body: '{{request.id}}' }, response: {} },
        },
      },
    },
  },
}
const uuidv7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const kept = ['a', '7f3c-11', '7F000001:8296_7F00001E:1F90', 'JKJaXmPLvHcESHA=', 'x'.repeat(128)]
const replaced = ['a b', 'a,b', '"', '../x', 'é', '{{1}}', 'x'.repeat(129)]

describe('X-Request-Id', () => {
  const { log, lines } = keptLog()
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ 'gateway.trusted_proxies': '["127.0.0.1"]' }, { log })
    await gateway.mustLoad(document)
  })
  after(() => gateway.stop())

  const ask = async (url: string, id: string) => {
    const answer = await fetch(url, { headers: { 'x-request-id': id } })
    return { id: answer.headers.get('x-request-id') ?? '', text: await answer.text() }
  }

  for (const id of kept) {
    it(`is kept when a trusted proxy sends ${id.slice(0, 30)}`, async () => {
      const answer = await ask(`${gateway.url}/v1/id`, id)
      expect(answer).to.deep.equal({ id, text: JSON.stringify(id) })
      await untilHolds(() => lines.some(({ request_id, msg }) => request_id === id && msg))
    })
  }

  for (const id of replaced) {
    it(`is replaced when a trusted proxy sends ${id.slice(0, 30)}`, async () => {
      const answer = await ask(`${gateway.url}/v1/id`, id)
      expect(answer.id).to.match(uuidv7)
      expect(answer.text).to.equal(JSON.stringify(answer.id))
    })
  }

  it('is kept by the admin listener, also in an error', async () => {
    expect((await ask(`${gateway.adminUrl}/ping`, 'of-ping')).id).to.equal('of-ping')
    expect((await ask(`${gateway.adminUrl}/nothing`, 'of-error')).id).to.equal('of-error')
  })

  it('is not kept when a stranger sends it', async () => {
    const other = await startGateway()
    try {
      expect((await ask(`${other.adminUrl}/ping`, 'forged')).id).to.match(uuidv7)
      expect((await ask(`${other.url}/nothing`, 'forged')).id).to.match(uuidv7)
    } finally {
      await other.stop()
    }
  })
})
