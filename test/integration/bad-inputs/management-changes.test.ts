/** Changes that must be refused, because they come too late or this node cannot keep its word: nothing changes, reads go on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { type Component, startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { startGatewayProcess } from '#test/support/gateway-process.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { until } from '#test/support/running/until.ts'
import { withTestSettings } from '#test/support/test-settings.ts'
import { describeArea } from './cases.ts'
import { documentOf, operation } from './documents.ts'
import { openRouterProcess, type RouterProcess } from './routers.ts'
import { ask, expectRefusal, get, jsonOf, portOf, post } from './sockets.ts'

const json = 'application/json'

/** A document that answers `body` at /changing/x, as JSON; `size` bytes and a little. */
const version = (body: string, size = 0) =>
  JSON.stringify(
    documentOf(
      'com.t.changing',
      { '/x': { get: operation({ type: 'static', body }) } },
      '/changing',
      { info: { description: 'x'.repeat(size) } },
    ),
  )

const load = (document: string, ...lines: readonly string[]) =>
  post('/api_specs', json, document, lines)

const served = async (port: number) => (await ask(port, get('/changing/x'))).body

describeArea('management, changes', {}, (area) => {
  beforeEach(async () => {
    expect((await ask(area.adminPort, load(version('old')))).status).to.be.oneOf([200, 201])
  })

  const shown = async () => jsonOf(await ask(area.adminPort, get('/api_specs/com.t.changing')))

  area.test(145, async (entry) => {
    const before = await shown()
    for (const path of ['/api_specs', '/services/load_api_spec']) {
      for (const tag of ['"old"', 'W/"old"', '"old", "older"']) {
        const bytes = post(path, json, version('new'), [`If-Match: ${tag}`])
        expectRefusal(await ask(area.adminPort, bytes), entry)
      }
    }
    expect(await shown()).to.deep.equal(before)
    expect(await served(area.port)).to.equal('"old"')
    const { headers } = await ask(area.adminPort, get('/api_specs/com.t.changing'))
    const bytes = load(version('new'), `If-Match: ${headers.etag}`)
    expect((await ask(area.adminPort, bytes)).status).to.equal(200)
    expect(await served(area.port)).to.equal('"new"')
  })

  area.test(148, async (entry) => {
    const before = await shown()
    const other = new DatabaseSync(join(area.gateway.dataDir, 'gateway.db'))
    other.exec('begin immediate')
    try {
      const loading = ask(area.adminPort, load(version('new')))
      expect(await served(area.port)).to.equal('"old"')
      const answer = await loading
      expectRefusal(answer, entry)
      expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0)
      expect(await shown()).to.deep.equal(before)
      expect(await served(area.port)).to.equal('"old"')
    } finally {
      other.exec('rollback')
      other.close()
    }
    expect((await ask(area.adminPort, load(version('new')))).status).to.equal(200)
    expect(await served(area.port)).to.equal('"new"')
  })

  area.test(146, async (entry) => {
    // no file of the process may be larger than a megabyte: what SQLite is told then is what a full disk tells
    const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 1024; exec "$@"`, 'bash']
    const gateway = await startGatewayProcess({}, limited)
    try {
      const [port, adminPort] = [portOf(gateway.url), portOf(gateway.adminUrl)]
      let acknowledged = ''
      for (let round = 0; ; round++) {
        const answer = await ask(adminPort, load(version(`round ${round}`, 100_000)))
        if (answer.status !== 200 && answer.status !== 201) {
          expectRefusal(answer, entry)
          break
        }
        acknowledged = `"round ${round}"`
      }
      expect(acknowledged).to.not.equal('')
      expect(await served(port)).to.equal(acknowledged)
      const { status } = await ask(adminPort, get('/api_specs/com.t.changing'))
      expect(status).to.equal(200)
    } finally {
      await gateway.kill()
    }
  })
})

/** How far the clock of the second gateway is ahead; milliseconds. */
const clockOffset = 40_000

/** A second gateway on the router of the first one. */
async function startSkewed(url: string, dataDir: string): Promise<Component> {
  const settings = withTestSettings({
    'wamp.url': url,
    'gateway.listen': '127.0.0.1:0',
    'admin.listen': '127.0.0.1:0',
    'log.level': 'silent',
    node: 'skewed',
    data_dir: dataDir,
  })
  const clock = movedClock(clockOffset)
  return startComponent(readConfig(undefined, {}, settings), openLog('silent'), clock)
}

describe('management of several nodes', () => {
  let router: RouterProcess
  before(async () => {
    router = await openRouterProcess()
  })
  after(() => router.kill())

  describeArea(
    'management, several nodes',
    async () => ({ 'wamp.url': router.url }),
    (area) => {
      area.test(147, async (entry) => {
        const dataDir = mkdtempSync(join(tmpdir(), 'gateway-skewed-'))
        const skewed = await startSkewed(router.url, dataDir)
        try {
          const port = portOf(skewed.gatewayUrls[0] ?? '')
          const adminPort = portOf(skewed.adminUrls[0] ?? '')
          await until('the skewed node hears the other one', async () => {
            const { nodes } = jsonOf(await ask(adminPort, get('/registry'))) as { nodes: unknown[] }
            return nodes.length > 0
          })
          const change = get('/api_specs/com.t.good').replace('GET', 'DELETE')
          for (const bytes of [load(version('new')), change]) {
            expectRefusal(await ask(adminPort, bytes), entry)
          }
          const list = jsonOf(await ask(adminPort, get('/api_specs'))) as { id: string }[]
          expect(list.map(({ id }) => id)).to.deep.equal(['com.t.good'])
          expect((await ask(port, get('/good/x'))).body).to.equal('"ok"')
          const checked = await ask(
            adminPort,
            post('/services/validate_api_spec', json, version('new')),
          )
          expect(checked.status).to.equal(200)
        } finally {
          await skewed.stop(0)
          rmSync(dataDir, { recursive: true, force: true })
        }
      })
    },
  )
})
