/** Watches on Crossbar.io by docs/crossbar.md: of the gateway and of a user, whose grants the gateway itself is asked for. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { Identity } from '#component/identity.ts'
import { openLog } from '#component/log.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { failureOf, nothing, untilTrue } from '#test/contract/session/support.ts'
import { Watcher } from '#test/contract/session/watcher.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Documented, startDocumented } from './crossbar-page.ts'

const realm = 'com.example.realm'
const topic = 'com.example.orders.live'
const refused = 'wamp.error.not_authorized'

const kim: Identity = {
  ...{ realm_uri: realm, authid: 'kim', authmethod: 'oauth2', authroles: ['staff'] },
  ...{ groups: ['staff'], meta: {} },
}

const grant = (permissions: readonly string[]) => ({
  ...{ permissions, roles: ['staff'], uri: 'com.example.orders.', match: 'prefix' },
})

describe('watches on Crossbar.io, by docs/crossbar.md', () => {
  let set: Documented
  let own: SupervisedSession
  let user: SupervisedSession

  const join = async (auth: JoinAuth): Promise<SupervisedSession> => {
    const basics = { serializer: 'json', clock: systemClock, log: openLog('silent') } as const
    const session = requestSession({ ...basics, url: set.gatewayUrl, realm_uri: realm, auth })
    expect(await session.joined(20_000), session.lastReason).to.equal(true)
    return session
  }

  const load = (permissions: readonly string[], users?: readonly object[]) => {
    const { grants = [], users: all = [] } = set.document as Record<string, object[]>
    return set.realms.load({
      ...set.document,
      users: users ?? all,
      grants: permissions.length === 0 ? grants : [...grants, grant(permissions)],
    })
  }

  const publish = async (arg: unknown, options: object = {}) =>
    await own.publish(topic, { args: [arg], kwargs: {} }, { ...options }, 5000)

  before(async () => {
    set = await startDocumented()
    await load(['wamp.subscribe'])
    own = await join(set.auth)
    user = await join(set.tickets.authFor(kim))
  })
  after(async () => {
    await own?.leave()
    await user?.leave()
    await set?.stop()
  })

  it('are refused where no grant names the topic, and given where one does', async () => {
    const error = await failureOf(user.watch('com.example.wages', {}, 5000, new Watcher()))
    expect(error.error_uri).to.equal(refused)
    const watcher = new Watcher()
    const watched = await user.watch(topic, {}, 5000, watcher)
    await publish('granted')
    await watcher.until(1)
    expect(watcher.told).to.deep.equal(['granted'])
    watched.end()
  })

  it('of the gateway itself see what the role gateway may see', async () => {
    const watcher = new Watcher()
    const watched = await own.watch(topic, { match: 'prefix' }, 5000, watcher)
    await publish(1, { exclude_me: false })
    await watcher.until(1)
    expect(watcher.events[0]).to.include({ topic })
    watched.end()
  })

  it('learn by SUBSCRIBE again that the grant is gone, and go on until they end', async () => {
    const watcher = new Watcher()
    const watched = await user.watch(topic, {}, 5000, watcher)
    await load([])
    expect((await failureOf(watched.again({}))).error_uri).to.equal(refused)
    await publish('still there')
    await watcher.until(1)
    watched.end()
    await publish('gone')
    await load(['wamp.subscribe'])
    await watched.again({}).catch(() => undefined)
    await (await user.watch(topic, {}, 5000, new Watcher())).again({})
    expect(watcher.told).to.deep.equal(['still there'])
  })

  it('of a user and of the gateway are back after Crossbar.io was killed, twice', async () => {
    const watchers = [new Watcher(), new Watcher()] as const
    const watched = [
      await user.watch(topic, {}, 5000, watchers[0]),
      await own.watch(topic, { match: 'prefix' }, 5000, watchers[1]),
    ]
    for (const round of [1, 2]) {
      await set.crossbar.kill()
      await untilHolds(() => watchers.every(({ told }) => told.at(-1) === 'lost'))
      await set.crossbar.restart()
      await untilHolds(() => watchers.every(({ told }) => told.at(-1) === 'back'))
      await publish(round, { exclude_me: false })
      await untilHolds(() => watchers.every(({ told }) => told.at(-1) === round))
    }
    const expected = ['lost', 'back', 1, 'lost', 'back', 2]
    expect(watchers.map(({ told }) => told)).to.deep.equal([expected, expected])
    for (const one of watched) one.end()
  })

  it('of a user who is disabled while Crossbar.io is away are over', async () => {
    const watcher = new Watcher()
    await user.watch(topic, {}, 5000, watcher)
    await set.crossbar.kill()
    await untilHolds(() => !user.isOpen)
    const { users = [] } = set.document as Record<string, { username: string }[]>
    const disabled = users.map((one) => ({ ...one, enabled: one.username !== 'kim' }))
    // the router, which is away, cannot be told to end the sessions of the user
    await load(['wamp.subscribe'], disabled).catch(() => undefined)
    await set.crossbar.restart()
    await watcher.until(2)
    expect(watcher.told).to.deep.equal(['lost', refused])
    await untilTrue(async () => own.publish(topic, nothing, {}, 5000).then(() => true))
  })
})
