/** A token for an upstream is fetched by one worker of a gateway, and sent by all of them. */
import { expect } from 'chai'
import { startTokenServer } from '#test/integration/upstreams/token-server.ts'
import { closeAll, startTarget } from '#test/integration/upstreams/upstreams.ts'
import { send } from '#test/support/http-request.ts'
import { allAnswer, realm, startWorkers } from '#test/support/worker-gateway.ts'

describe('a token for an upstream of a gateway with several workers', () => {
  it('is fetched once, and once more for all of them where the upstream refuses it', async () => {
    const server = await startTokenServer()
    const target = await startTarget(({ headers: { authorization } }, response) => {
      response.writeHead(authorization === 'Bearer client-token-1' ? 401 : 200).end()
    })
    const gateway = await startWorkers(3)
    try {
      const client = { token_url: `${server.url}/token`, client_id: 'gw', client_secret: 'sssh' }
      const auth = { type: 'client_credentials', ...client }
      const info = { upstreams: { it: { targets: [{ url: target.url }], auth } } }
      await gateway.post('/realms', { uri: realm, authmethods: ['anonymous'], info })
      const forward = { action: { type: 'forward', upstream: 'it' }, response: {} }
      const versions = { '1': { base_path: '/v1', paths: { '/it': { get: forward } } } }
      await gateway.post('/api_specs', { id: 'tokens', host: '_', realm_uri: realm, versions })
      await allAnswer(gateway, 3)
      const statuses = new Set<number>()
      for (let round = 0; round < 10; round += 1) {
        const answers = Array.from({ length: 12 }, () => send(gateway.url, '/v1/it'))
        for (const { status } of await Promise.all(answers)) statuses.add(status)
      }
      expect([...statuses], 'each worker has had one try more').to.deep.equal([200])
      expect(server.asked.length).to.equal(2)
    } finally {
      await gateway.kill()
      await closeAll()
      server.stop()
    }
  })
})
