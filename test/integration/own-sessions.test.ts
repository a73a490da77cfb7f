/** Where the gateway joins as nobody in particular: only where requests need it. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import {
  ask,
  logIn,
  shopDocument,
  shopRealm,
  shopRealmWith,
} from '#test/support/examples/example-api.ts'
import { openShopBackend } from '#test/support/examples/example-backend.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

/** The realm, which lets nobody in without credentials. */
const realm = { ...shopRealmWith(), authmethods: ['wampcra', 'ticket', 'oauth2'] }

const { '/me': me, '/order': order } = shopDocument.versions['1.0.0'].paths
const documentOf = (paths: object) => ({
  ...shopDocument,
  versions: { '1.0.0': { base_path: '/shop', paths } },
})

describe('a realm without anonymous sessions', () => {
  let gateway: TestGateway
  let logged: string
  const refusedSessions = () =>
    logged
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { readonly realm?: string; readonly msg: string })
      .filter(({ realm: uri, msg }) => uri === shopRealm && msg.includes('no session'))

  beforeEach(async () => {
    logged = ''
    const log = openLog('debug', {
      write(line) {
        logged += line
      },
    })
    gateway = await startGateway({}, { log, isEmbedded: true })
    await send(gateway.adminUrl, '/realms', { method: 'POST', body: realm })
  })
  afterEach(() => gateway.stop())

  it('is not joined without credentials for paths that are all for users', async () => {
    const loaded = await gateway.load(documentOf({ '/me': me, '/order': order }))
    expect(loaded.status).to.equal(201)
    const backend = await openShopBackend(gateway.routerUrl)
    const { access_token } = await logIn(gateway.url)
    const answer = await ask(gateway.url, access_token, '/order')
    expect([answer.status, answer.json()]).to.deep.equal([200, 'ada'])
    expect(refusedSessions()).to.deep.equal([])
    backend.cut()
  })

  it('is tried for an open path, and the log says that it fails', async () => {
    const loaded = await gateway.load(documentOf({ '/open': { ...order, security: {} } }))
    expect(loaded.status).to.equal(201)
    expect((await send(gateway.url, '/shop/open')).status).to.be.within(500, 503)
    expect(refusedSessions()).to.not.have.length(0)
  })
})
