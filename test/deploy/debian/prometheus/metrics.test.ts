/** `/metrics`, as Prometheus judges it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { debianProgram } from '#test/deploy/programs.ts'
import { staticDocument } from '#test/integration/management/faces.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

describe('/metrics', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  it('has nothing that promtool check metrics complains of', async () => {
    await gateway.load(staticDocument('measured', 'ok'))
    expect((await send(gateway.url, '/measured/body')).status).to.equal(200)
    const metrics = await send(gateway.adminUrl, '/metrics')
    expect(metrics.text).to.include('route="/measured/body",method="get",status="200"')
    const promtool = spawn(debianProgram('promtool', 'prometheus'), ['check', 'metrics'])
    const complaints = Promise.all([text(promtool.stdout), text(promtool.stderr)])
    promtool.stdin.end(metrics.text)
    const [code] = await once(promtool, 'close')
    expect((await complaints).join('')).to.equal('')
    expect(code).to.equal(0)
  })
})
