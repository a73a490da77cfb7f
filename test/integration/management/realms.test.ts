/** Realms and what their users are given, managed on a whole gateway: by local requests, by API keys, and by WAMP users for themselves. */
import { expect } from 'chai'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { staticDocument } from './faces.ts'

const realm = 'com.example.managed'
const user = (username: string, ...groups: string[]) => ({ username, password: 'geheim', groups })
const document = {
  uri: realm,
  users: [user('lou', 'spec_loader'), user('rita', 'spec_reader'), user('bob')],
}

/** May call the two procedures by which users manage their own tickets, and hold tickets. */
const componentRealm = {
  uri: 'service.gateway',
  authmethods: ['ticket', 'anonymous'],
  users: [user('holder', 'ticket_holders'), user('other', 'others')],
  groups: [{ name: 'ticket_holders' }, { name: 'others' }],
  grants: [
    {
      permissions: ['wamp.call'],
      uri: 'service.ticket.',
      match: 'prefix',
      roles: ['ticket_holders', 'others'],
    },
    {
      permissions: ['service.issue'],
      uri: 'service.ticket.scope.',
      match: 'prefix',
      roles: ['ticket_holders'],
    },
  ],
}

describe('the management of realms', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ 'admin.realm': 'com.example.admins' })
  })
  after(() => gateway.stop())
  beforeEach(async () => {
    expect((await ask('POST', '/realms', document)).status).to.be.oneOf([200, 201])
  })

  const ask = (method: string, target: string, body?: unknown, key?: string) =>
    send(gateway.adminUrl, target, {
      method,
      ...(method === 'POST' && { body: body ?? {} }),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    })

  const issue = async (username: string, of = realm) => {
    const answer = await ask('POST', `/realms/${of}/users/${username}/api_keys`)
    expect(answer.status).to.equal(201)
    return answer.json() as { readonly id: string; readonly api_key: string }
  }

  it('deletes a realm unless others inherit from it', async () => {
    await ask('POST', '/realms', [
      { uri: 'com.base' },
      { uri: 'com.heir', prototype_uri: 'com.base' },
    ])
    const refused = await ask('DELETE', '/realms/com.base')
    expect(refused.status).to.equal(400)
    expect(refused.json()).to.include({
      code: 'wamp.error.invalid_argument',
      message: 'uri: other realms inherit from this realm: com.heir',
    })
    for (const uri of ['com.heir', 'com.base']) {
      expect((await ask('DELETE', `/realms/${uri}`)).status).to.equal(204)
      expect((await ask('GET', `/realms/${uri}`)).status).to.equal(404)
    }
  })

  it('lets the users of a realm manage what belongs to it, as their roles say', async () => {
    const [lou, rita, bob] = await Promise.all(['lou', 'rita', 'bob'].map((name) => issue(name)))
    const own = { ...staticDocument('own', 'own'), realm_uri: realm }
    await gateway.load(staticDocument('foreign', 'foreign'))
    const asLou = (...parameters: [string, string, unknown?]) =>
      ask(parameters[0], parameters[1], parameters[2], lou?.api_key)
    expect((await asLou('POST', '/api_specs', own)).status).to.equal(201)
    for (const [method, target, body] of [
      ['POST', '/api_specs', staticDocument('foreign', 'taken')],
      ['POST', '/api_specs', { ...own, id: 'com.example.foreign' }],
      ['POST', '/api_specs', { ...own, id: 'x', versions: staticDocument('foreign', '').versions }],
      ['DELETE', '/api_specs/com.example.foreign'],
      ['GET', '/api_specs/com.example.foreign'],
      ['GET', '/realms/com.example.test'],
      ['POST', '/realms', { uri: 'com.example.test' }],
      ['GET', '/registry'],
    ] as const) {
      const answer = await asLou(method, target, body)
      expect(answer.status, `${method} ${target}`).to.equal(403)
      expect(answer.json()).to.include({ code: 'wamp.error.not_authorized' })
    }
    const listed = (await asLou('GET', '/api_specs')).json() as { id: string }[]
    expect(listed.map(({ id }) => id)).to.deep.equal([own.id])
    expect((await send(gateway.url, '/foreign/body')).text).to.include('foreign')
    expect((await ask('GET', `/api_specs/${own.id}`, undefined, rita?.api_key)).status).to.equal(
      200,
    )
    expect((await ask('DELETE', `/api_specs/${own.id}`, undefined, rita?.api_key)).status).to.equal(
      403,
    )
    expect((await ask('GET', '/api_specs', undefined, bob?.api_key)).status).to.equal(403)
  })

  it('lets the users of admin.realm manage everything', async () => {
    await ask('POST', '/realms', {
      uri: 'com.example.admins',
      users: [user('root', 'spec_loader')],
    })
    const { api_key } = await issue('root', 'com.example.admins')
    const spec = staticDocument('any', 'any')
    expect((await ask('POST', '/api_specs', spec, api_key)).status).to.equal(201)
    expect((await ask('GET', '/registry', undefined, api_key)).status).to.equal(200)
    expect((await ask('DELETE', `/api_specs/${spec.id}`, undefined, api_key)).status).to.equal(204)
  })

  it('lists the last use of a key, to the minute', async () => {
    const { id, api_key } = await issue('lou')
    const lastUse = async () => {
      const { json } = await ask('GET', `/realms/${realm}/api_keys`)
      const keys = json() as readonly { readonly id: string; readonly last_used: number | null }[]
      return keys.find((key) => key.id === id)?.last_used
    }
    expect(await lastUse()).to.equal(null)
    const before = Math.floor(Date.now() / 60_000) * 60
    expect((await ask('GET', '/realms', undefined, api_key)).status).to.equal(200)
    expect(await lastUse())
      .to.be.at.least(before)
      .and.satisfy((at: number) => at % 60 === 0)
  })

  for (const [what, end] of [
    ['is revoked', (id: string) => ask('DELETE', `/api_keys/${id}`)],
    [
      'belongs to a user whose password changes',
      () => ask('POST', `/realms/${realm}/users/lou/password`, { password: 'neu' }),
    ],
    [
      'belongs to a user of whom everything is revoked',
      () => ask('POST', `/realms/${realm}/users/lou/revoke_all`),
    ],
    [
      'belongs to a user who is disabled',
      () => ask('POST', '/realms', { ...document, users: [{ ...user('lou'), enabled: false }] }),
    ],
    ['belongs to a realm that is deleted', () => ask('DELETE', `/realms/${realm}`)],
  ] as const) {
    it(`refuses a key once it ${what}, also after the user is back`, async () => {
      const { id, api_key } = await issue('lou')
      expect((await ask('GET', '/realms', undefined, api_key)).status).to.equal(200)
      expect((await end(id)).status).to.be.oneOf([200, 204])
      for (let round = 0; round < 2; round++) {
        const answer = await ask('GET', '/realms', undefined, api_key)
        expect(answer.status).to.equal(401)
        expect(answer.headers['www-authenticate']).to.include('error="invalid_token"')
        await ask('POST', '/realms', document)
      }
    })
  }

  describe('tickets, on the embedded router', () => {
    if (process.env.WAMP_ROUTER_URL !== undefined) return
    beforeEach(async () => {
      expect((await ask('POST', '/realms', componentRealm)).status).to.be.oneOf([200, 201])
    })

    const join = async (authid: string) => {
      const client = new Wampy(gateway.routerUrl, {
        realm: 'service.gateway',
        ws: WebSocket as never,
        autoReconnect: false,
        authid,
        authmethods: ['ticket'],
        onChallenge: () => 'geheim',
      })
      await client.connect()
      const call = async (name: string, argsList: unknown[]) => {
        try {
          const found = await client.call(`service.${name}`, { argsList })
          return found.argsList?.[0] as { readonly ticket: string; readonly id: string }
        } catch (cause) {
          return (cause as { errorUri: string }).errorUri
        }
      }
      return { call, close: () => client.disconnect() }
    }

    it('are issued to a user who may have one, and revoked by that user', async () => {
      const holder = await join('holder')
      const other = await join('other')
      const denied = 'wamp.error.not_authorized'
      expect(await other.call('ticket.issue', [60])).to.equal(denied)
      expect(await holder.call('list_realms', [])).to.equal(denied)
      const issued = await holder.call('ticket.issue', [60])
      if (typeof issued === 'string') throw new Error(issued)
      expect(issued).to.include({ authid: 'holder', authrealm: 'service.gateway' })
      expect(await other.call('ticket.revoke', [issued.ticket])).to.equal(denied)
      expect(await holder.call('ticket.revoke', [issued.id])).to.equal(denied)
      expect(await holder.call('ticket.revoke', [issued.ticket])).to.deep.equal({ id: issued.id })
      expect(await holder.call('ticket.revoke', [issued.ticket])).to.equal(
        'wamp.error.invalid_argument',
      )
      await holder.close()
      await other.close()
    })
  })
})
