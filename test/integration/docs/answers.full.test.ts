/** The answers that pages show are those of a gateway: each document is loaded as it stands there, each command typed. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { lines } from '#test/support/command.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { expectAnswer, isAnswer } from '#test/support/pages/answers.ts'
import { type Block, sectionsOf } from '#test/support/pages/blocks.ts'
import { Terminal } from '#test/support/pages/terminal.ts'
import { until } from '#test/support/running/until.ts'
import type { ReceivedSpan } from '#test/support/telemetry/otlp.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'

const root = join(import.meta.dirname, '../../..')
const example = join(root, 'examples/hello')

const isAnswerBlock = ({ language }: Block) => ['text', 'log', 'spans'].includes(language)

const hasAnswers = (blocks: readonly Block[]) => blocks.some(isAnswerBlock)

/** The sections of a page that show answers. */
const answered = (page: string) => [...sectionsOf(page)].filter(([, blocks]) => hasAnswers(blocks))

/** A span as the exporter `debug` of a collector prints it. */
const spanLine = ({ name, traceId, spanId, attributes }: ReceivedSpan): string =>
  [name, traceId, spanId, ...Object.entries(attributes).map((pair) => pair.join('='))].join(' ')

/**
 * Follows pages on one gateway.
 * @param settings of the gateway beside those of `npm start`, with the address of a collector
 */
function describePages(
  pages: readonly string[],
  settings: (collector: string) => Readonly<Record<string, string>> = () => ({}),
): void {
  let receiver: Receiver
  let gateway: TestGateway
  let stopBackend: () => void
  let upstreamPort: number
  /** The lines of the log since the last command. */
  const logged: string[] = []

  /** A text of a page with the ports of this run. */
  const here = (text: string): string =>
    text
      .replaceAll('127.0.0.1:18080', new URL(gateway.url).host)
      .replaceAll('127.0.0.1:18081', new URL(gateway.adminUrl).host)
      .replaceAll('127.0.0.1:18082', `127.0.0.1:${upstreamPort}`)

  /** Loads an API Specification, or a realm document. */
  async function load(text: string): Promise<void> {
    const document = JSON.parse(text) as { uri?: string }
    const path = document.uri === undefined ? '/api_specs' : '/realms'
    const answer = await fetch(gateway.adminUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const outcome = (await answer.json()) as { warnings?: unknown; details?: unknown }
    expect(answer.ok, JSON.stringify(outcome)).to.equal(true)
    expect([outcome].flat().flatMap(({ warnings }) => warnings)).to.deep.equal([])
  }

  before(async () => {
    // as `npm start` has it
    const log = openLog('info', { write: (line) => void logged.push(line) })
    receiver = await startReceiver()
    gateway = await startGateway(settings(receiver.url), { isEmbedded: true, log })
    upstreamPort = await freePort()
    const child = fork(
      join(example, 'backend.ts'),
      [gateway.routerUrl, 'com.example.hello', String(upstreamPort)],
      {
        silent: true,
      },
    )
    stopBackend = () => child.kill()
    await once(child, 'message')
  })
  after(async () => {
    stopBackend?.()
    await gateway?.stop()
    await receiver?.close()
  })

  /** The line may be written after the answer. */
  async function expectLogged(line: string): Promise<void> {
    const isThere = () => logged.some((each) => isAnswer(each, line))
    await until(`the log has ${line}`, isThere, 2_000).catch(() =>
      expect(logged.join('')).to.equal(line),
    )
  }

  /** Spans leave in batches. */
  const expectSpan = (line: string): Promise<void> =>
    until(`a span ${line}`, () => receiver.spans.some((span) => isAnswer(spanLine(span), line)))

  async function follow(blocks: readonly Block[]): Promise<void> {
    const terminal = new Terminal(root, { WAMP_GATEWAY_ADMIN: gateway.adminUrl })
    let [typed, printed] = ['', '']
    for (const { language, text } of blocks) {
      if (language === 'json') await load(here(text))
      else if (language === 'sh') {
        logged.length = 0
        const { code, stdout, stderr } = await terminal.type(here(text))
        expect(code, stderr).to.equal(0)
        ;[typed, printed] = [text, stdout]
      } else if (language === 'log') {
        for (const line of lines(text)) await expectLogged(line)
      } else if (language === 'spans') {
        for (const line of lines(text)) await expectSpan(line)
      } else expectAnswer(printed, here(text), typed)
    }
  }

  for (const page of pages) {
    describe(`in ${page}`, () => {
      before(() => load(readFileSync(join(example, 'realm.json'), 'utf8')))

      for (const [heading, blocks] of answered(page)) {
        it(`are true: ${heading}`, () => follow(blocks))

        it(`stand behind each command: ${heading}`, () => {
          const bare = blocks.filter(
            ({ language }, index) =>
              language === 'sh' && !blocks.slice(index + 1, index + 2).some(isAnswerBlock),
          )
          expect(bare).to.deep.equal([])
        })
      }
    })
  }
}

describe('the answers of pages', () => {
  describePages([
    'docs/cookbook.md',
    'docs/mcp.md',
    'docs/jwt.md',
    'docs/mtls.md',
    'docs/oauth2.md',
    'docs/oidc.md',
    'docs/security.md',
    'docs/users.md',
    'docs/webhooks.md',
    'docs/streams.md',
    'docs/troubleshooting.md',
  ])

  it('are twenty or more in the cookbook', () => {
    expect(answered('docs/cookbook.md').length).to.be.at.least(20)
  })
})

describe('the answers of pages with distributed traces', () => {
  describePages(['docs/observability.md'], (collector) => ({
    'telemetry.traces': 'otlp',
    'telemetry.sample': '1',
    'telemetry.endpoint': collector,
  }))

  it('stand beside a configuration that a gateway takes', () => {
    const shown = [...sectionsOf('docs/observability.md').values()]
      .flat()
      .find(({ text }) => text.startsWith('# gateway.yaml'))
    const file = join(mkdtempSync(join(tmpdir(), 'gateway-page-')), 'gateway.yaml')
    writeFileSync(file, shown?.text ?? '')
    expect(readConfig(file, {}).telemetry).to.include({ traces: 'otlp', sample: 0.05 })
  })
})
