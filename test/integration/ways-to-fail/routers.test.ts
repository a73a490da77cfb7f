/** Ways in which a gateway cannot join its router, or cannot serve a file: one line of the log says what and where. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Component, startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { withTestSettings } from '#test/support/test-settings.ts'

const realm = 'com.example.router'
const [secret, wrong] = ['the secret of gw', 'CANARY']
const loginOf = (authmethod: string, word: string) =>
  `{authmethod: ${authmethod}, authid: gw, secret: ${word}}`
const lost = 'no session with the router; trying again'
const checkLogin =
  'check the authmethod, authid and secret of wamp.auth, or of the realm in wamp.realms'

/** What is wrong, the settings, and the line. */
const joins: readonly (readonly [string, Readonly<Record<string, string>>, LogLine])[] = [
  [
    'a wrong secret',
    { 'wamp.realm': realm, 'wamp.auth': loginOf('wampcra', wrong) },
    {
      ...{ realm, authmethod: 'wampcra', authid: 'gw', hint: checkLogin },
      reason: 'wamp.error.authentication_failed',
    },
  ],
  [
    'a realm that the router does not have',
    { 'wamp.realm': 'com.example.nowhere', 'wamp.auth': loginOf('wampcra', secret) },
    {
      ...{ realm: 'com.example.nowhere', reason: 'wamp.error.no_such_realm' },
      hint: 'declare the realm on the router, or correct its name in wamp.realm',
    },
  ],
  [
    'an authmethod that the realm does not serve',
    { 'wamp.realm': realm, 'wamp.auth': loginOf('ticket', secret) },
    {
      ...{ realm, authmethod: 'ticket', reason: 'wamp.error.no_matching_auth_method' },
      hint: 'let the router offer the authmethod on this realm, or choose another one in wamp.auth',
    },
  ],
]

/** What is wrong, the file, and the line. */
const files: readonly (readonly [string, unknown, LogLine])[] = [
  [
    'a key that is missing',
    { id: 'com.example.a', name: 'a', host: '_', realm_uri: realm },
    {
      level: 'error',
      msg: 'the file was refused',
      reason:
        '/versions: versions is missing: expected a map of labels to versions, or a list of versions',
    },
  ],
  [
    'a realm that does not exist',
    {
      ...{ id: 'com.example.b', name: 'b', host: '_', realm_uri: 'com.example.nowhere' },
      versions: { '1.0': { base_path: '/b', paths: {} } },
    },
    {
      level: 'error',
      msg: 'the file was refused',
      reason:
        '/realm_uri: the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration',
    },
  ],
  [
    'a key that nobody knows',
    {
      ...{ id: 'com.example.c', name: 'c', host: '_', realm_uri: realm },
      versions: { '1.0': { base_path: '/c', pahts: {}, paths: {} } },
    },
    { level: 'warn', msg: 'a warning about the file', pointer: '/versions/1.0/pahts' },
  ],
  ['no file', undefined, { level: 'warn', msg: 'no file matches' }],
]

describe('a gateway', () => {
  const { log, lines } = keptLog('warn')
  let folder: string
  let router: TestGateway
  let realmFile: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-ways-'))
    router = await startGateway({}, { isEmbedded: true })
    const document = {
      uri: realm,
      authmethods: ['wampcra'],
      users: [{ username: 'gw', password: secret }],
    }
    realmFile = join(folder, 'realm.json')
    writeFileSync(realmFile, JSON.stringify(document))
    const loaded = await send(router.adminUrl, '/realms', { method: 'POST', body: document })
    expect(loaded.status, loaded.text).to.be.below(300)
  })
  after(async () => {
    await router?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a gateway, and stops it when it has a line of this kind. @returns all lines but those about its settings */
  async function linesOf(settings: Readonly<Record<string, string>>, msg: unknown) {
    lines.length = 0
    const config = readConfig(
      undefined,
      {},
      withTestSettings({
        ...{ 'gateway.listen': '127.0.0.1:0', 'admin.listen': '127.0.0.1:0' },
        'admin.share_gateway_listener': 'false',
        data_dir: mkdtempSync(join(folder, 'data-')),
        ...settings,
      }),
    )
    let component: Component | undefined
    try {
      component = await startComponent(config, log)
      await untilHolds(() => lines.some((line) => line.msg === msg))
    } finally {
      await component?.stop(0)
    }
    return lines.filter(({ setting }) => setting === undefined)
  }

  for (const [what, settings, line] of joins) {
    it(`that joins its router with ${what} has one line`, async () => {
      const found = await linesOf({ 'wamp.url': router.routerUrl, ...settings }, lost)
      expect(found).to.have.length(1)
      expect(found[0]).to.include({ level: 'warn', msg: lost, router: router.routerUrl, ...line })
      expect(JSON.stringify(lines)).to.not.contain(wrong).and.not.contain(secret)
    })
  }

  it('whose router is away has one line', async () => {
    const url = `ws://127.0.0.1:${await freePort()}/ws`
    const found = await linesOf({ 'wamp.url': url, 'wamp.auth': loginOf('wampcra', secret) }, lost)
    expect(found).to.have.length(1)
    expect(found[0]).to.include({
      ...{ level: 'warn', msg: lost, router: url },
      hint: 'check wamp.url, and that the router listens there',
    })
    expect(found[0]?.reason).to.contain('ECONNREFUSED')
  })

  for (const [what, document, line] of files) {
    it(`with a file that has ${what} has one line`, async () => {
      const file = join(folder, `${what.replaceAll(' ', '-')}.json`)
      if (document !== undefined) writeFileSync(file, JSON.stringify(document))
      const settings = { specs: JSON.stringify([file]), realms: JSON.stringify([realmFile]) }
      const found = await linesOf(settings, line.msg)
      expect(found).to.have.length(1)
      expect(found[0]).to.include({ file, ...line })
      const hint = `wamp-gateway validate ${file} shows the lines`
      expect(found[0]?.hint).to.equal(line.level === 'error' ? hint : undefined)
    })
  }
})
