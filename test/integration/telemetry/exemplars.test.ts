/** Which requests are exemplars of /metrics. */
import { expect } from 'chai'
import { staticDocument } from '#test/integration/management/faces.ts'
import { startGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const ids = ['0af7651916cd43dd8448eb211c80319c', '4bf92f3577b34da6a3ce929d0e0e4736'] as const

describe('the exemplars of /metrics', () => {
  it('are requests whose trace is sampled', async () => {
    const gateway = await startGateway({
      'telemetry.traces': 'propagate',
      'telemetry.trust': 'all',
    })
    try {
      await gateway.load(staticDocument('measured', 'ok'))
      const [sampled, other] = ids
      for (const [id, flags] of [
        [sampled, '01'],
        [other, '00'],
      ] as const) {
        const headers = { traceparent: `00-${id}-b7ad6b7169203331-${flags}` }
        expect((await send(gateway.url, '/measured/body', { headers })).status).to.equal(200)
      }
      const headers = { accept: 'application/openmetrics-text' }
      const { text } = await send(gateway.adminUrl, '/metrics', { headers })
      const found = text.split('\n').filter((line) => line.includes(' # {'))
      expect(found).to.have.lengthOf(1)
      expect(found[0])
        .to.match(/^gateway_http_request_duration_seconds_bucket\{.*route="\/measured\/body"/)
        .and.include(` # {trace_id="${sampled}"} `)
      expect((await send(gateway.adminUrl, '/metrics')).text).to.not.include(sampled)
    } finally {
      await gateway.stop()
    }
  })
})
