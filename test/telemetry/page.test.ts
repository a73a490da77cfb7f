/** The collector that docs/observability.md sets up prints the spans that the page shows, and sends them on. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { lines } from '#test/support/command.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { isAnswer } from '#test/support/pages/answers.ts'
import { type Block, sectionsOf } from '#test/support/pages/blocks.ts'
import { until } from '#test/support/running/until.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { Collector, collectorProgram } from './collector.ts'

const blocks = [...sectionsOf('docs/observability.md').values()].flat()

/** The first block that is so. */
function textOf(isSo: (block: Block) => boolean): string {
  const found = blocks.find(isSo)
  if (found === undefined) throw new Error('the page has no such block')
  return found.text
}

const realm = join(import.meta.dirname, '../../examples/hello/realm.json')

describe('the collector of docs/observability.md', () => {
  let receiver: Receiver
  let collector: Collector
  let gateway: TestGateway

  before(async function () {
    this.timeout(900_000)
    collectorProgram()
    receiver = await startReceiver()
    const shown = textOf(({ text }) => text.startsWith('# collector.yaml'))
    collector = await Collector.start(receiver.url, (port, target) =>
      shown.replace('127.0.0.1:4318', `127.0.0.1:${port}`).replace('http://tempo:4318', target),
    )
    gateway = await startGateway(
      {
        'telemetry.traces': 'otlp',
        'telemetry.sample': '1',
        'telemetry.endpoint': collector.url,
      },
      { isEmbedded: true },
    )
    const body = JSON.parse(readFileSync(realm, 'utf8'))
    await send(gateway.adminUrl, '/realms', { method: 'POST', body })
    const document = textOf(({ language }) => language === 'json')
    expect((await gateway.load(JSON.parse(document))).status).to.equal(201)
  })
  after(async () => {
    await gateway?.stop()
    await collector?.stop()
    await receiver?.close()
  })

  it('prints the spans of the slow request, and sends them on', async () => {
    expect((await send(gateway.url, '/slow/quotes/0')).json()).to.deep.equal([])
    const shown = lines(textOf(({ language }) => language === 'spans'))
    await until('all spans are sent on', () => receiver.spans.length === shown.length)
    for (const line of shown) {
      await until(`the collector prints ${line}`, () =>
        collector.said.some((said) => isAnswer(said, line)),
      )
    }
  })
})
