/** A gateway that starts before its router: what it could not check then is loaded once the router is there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { type Component, startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { withTestSettings } from '#test/support/test-settings.ts'
import { staticDocument } from './faces.ts'

describe('a gateway that starts before its router', () => {
  let folder: string
  let router: TestRouter
  let gateway: Component | undefined

  const write = (body: unknown) =>
    writeFileSync(join(folder, 'one.json'), JSON.stringify(staticDocument('one', body)))
  const start = async () => {
    const settings = withTestSettings({
      'gateway.listen': '127.0.0.1:0',
      'admin.listen': '127.0.0.1:0',
      'log.level': 'silent',
      'wamp.url': router.url,
      data_dir: join(folder, 'data'),
      specs: JSON.stringify([join(folder, '*.json')]),
    })
    const config = readConfig(undefined, {}, settings)
    gateway = await startComponent(config, openLog('silent'), systemClock)
  }
  const stop = async () => {
    await gateway?.stop(0)
    gateway = undefined
  }
  const ask = (path: string) => send(gateway?.gatewayUrls[0] ?? '', path)
  const admin = (path: string) => send(gateway?.adminUrls[0] ?? '', path)
  const isReady = async () => (await admin('/ready')).status === 200
  const refused = async () =>
    ((await admin('/registry')).json() as { refused_files: unknown[] }).refused_files

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-late-router-'))
    router = await openEmbeddedRouter()
    await router.stop()
  })
  after(async () => {
    await stop()
    await router.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is not ready until its files are loaded, which are loaded when the router is there', async () => {
    write(1)
    await start()
    expect(await isReady()).to.equal(false)
    expect(await refused()).to.have.length(1)
    await router.restart()
    await untilHolds(isReady)
    const { status, text } = await ask('/one/body')
    expect([status, text]).to.deep.equal([200, '1'])
    expect(await refused()).to.deep.equal([])
  })

  it('serves what its store has meanwhile, and a file that has changed once the router is there', async () => {
    await stop()
    await router.stop()
    write(2)
    await start()
    expect(await isReady()).to.equal(true)
    expect((await ask('/one/body')).text).to.equal('1')
    expect(await refused()).to.have.length(1)
    await router.restart()
    await untilHolds(async () => (await refused()).length === 0)
    expect((await ask('/one/body')).text).to.equal('2')
  })
})
