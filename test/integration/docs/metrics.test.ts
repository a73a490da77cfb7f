/** The tables of docs/operations.md name the metrics of a gateway, and no other ones. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { writeCertificate } from '#test/support/certificate.ts'
import { startGateway } from '#test/support/gateway.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

/** A metric in the first cell of a row, with its labels: `gateway_streams{type}`. */
const named = /`((?:gateway|nodejs|process)_\w+)(?:\{([\w,]+)\})?`/g

/** The tables of metrics, each from its head to the empty line below it. */
const tables = page.split('\n\n').filter((part) => part.startsWith('| metric | what it tells |'))

/** The labels of each metric that a row begins with. */
const rows = new Map(
  tables
    .flatMap((table) => table.split('\n'))
    .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(named)])
    .map(([, name = '', labels]) => [name, new Set(labels?.split(','))]),
)

const namesIn = (text: string): string[] =>
  [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)

/** The text of a gateway on which everything is switched on that has metrics of its own. */
async function scrape(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'))
  const { cert, key } = writeCertificate(folder)
  const gateway = await startGateway({
    'gateway.tls': `{cert: ${cert}, key: ${key}}`,
    'telemetry.traces': 'otlp',
    'telemetry.endpoint': 'http://127.0.0.1:1',
    'telemetry.sample': '0',
  })
  try {
    await fetch(`${gateway.adminUrl}/ping`)
    return await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true })
  }
}

describe('the tables of metrics in docs/operations.md', () => {
  let text: string
  before(async () => {
    text = await scrape()
  })

  it('have a row for each metric, and no row for anything else', () => {
    const names = namesIn(text)
    expect(names).to.have.length.above(70)
    expect(names.filter((name) => !rows.has(name))).to.deep.equal([])
    expect([...rows.keys()].filter((name) => !names.includes(name))).to.deep.equal([])
  })

  it('name the labels that the samples have', () => {
    for (const [, sample = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const name = rows.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '')
      const found = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
      const own = found.filter((label) => label !== 'le')
      expect(own, name).to.have.members([...(rows.get(name) ?? [])])
    }
  })
})
