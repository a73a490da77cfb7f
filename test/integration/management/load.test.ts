/** Loading an API Specification does the same whichever way it is asked for: wampy, autobahn, two HTTP paths. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { canonicalJson } from '#component/codec/json.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type Loading, loadFaces, staticDocument } from './faces.ts'

const hashOf = (document: object) =>
  createHash('sha256').update(canonicalJson(document)).digest('hex')

type Kwargs = Readonly<Record<string, unknown>>

describe('loading an API Specification', () => {
  let gateway: TestGateway
  let subscriber: SupervisedSession
  const events: { topic: string; kwargs: Kwargs }[] = []

  /** Waits for the next event of the topic about the id. */
  async function eventOf(topic: string, id: string): Promise<Kwargs> {
    const find = () => events.findIndex((event) => event.topic === topic && event.kwargs.id === id)
    await until(`an event of ${topic} about ${id}`, () => find() >= 0)
    const [event] = events.splice(find(), 1)
    return event?.kwargs ?? {}
  }

  before(async () => {
    gateway = await startGateway()
    subscriber = componentSession({
      url: gateway.routerUrl,
      realm_uri: 'service.gateway',
      serializer: 'json',
      auth: { authmethod: 'anonymous' },
      clock: systemClock,
      log: openLog('silent'),
    })
    await subscriber.joined(5000)
    for (const name of ['on_load', 'on_delete', 'on_conflict']) {
      const topic = `service.api_spec.${name}`
      await subscriber.subscribe(topic, ({ kwargs }) => events.push({ topic: name, kwargs }))
    }
  })
  after(async () => {
    await subscriber.leave()
    await gateway.stop()
  })

  function accepted(loading: Loading) {
    if (!loading.isLoaded) throw new Error(JSON.stringify(loading.refusal))
    return loading
  }

  function refused(loading: Loading) {
    if (loading.isLoaded) throw new Error('it was loaded')
    return loading
  }

  const faces = Object.entries(loadFaces)
  for (const [index, [face, load]] of faces.entries()) {
    describe(`by ${face}`, () => {
      const name = `face${index}`
      const first = staticDocument(name, 'first')
      const second = staticDocument(name, { second: [1, 2] })
      const bodyNow = async () => (await send(gateway.url, `/${name}/body`)).json()
      const read = (suffix = '') => send(gateway.adminUrl, `/api_specs/${first.id}${suffix}`)

      it('is live when the answer arrives, and says id, ts and warnings', async () => {
        const before = Date.now()
        const { result, status, location } = accepted(await load(gateway, first))
        expect(await bodyNow()).to.equal('first')
        expect(result).to.have.all.keys('id', 'ts', 'warnings')
        expect(result).to.deep.include({ id: first.id, warnings: [] })
        expect(result.ts)
          .to.be.within(before, Date.now() + 1)
          .and.satisfy(Number.isInteger)
        expect(status).to.be.oneOf([201, undefined])
        expect(location).to.equal(status && `/api_specs/${first.id}`)
      })

      it('tells subscribers of on_load: id, ts, hash and node', async () => {
        const event = await eventOf('on_load', first.id)
        expect(event.hash).to.equal(hashOf(first))
        const answer = await read()
        expect(event.ts).to.equal((answer.json() as { ts: number }).ts)
        expect(answer.headers.etag).to.equal(`"${event.hash}"`)
        expect(event.node).to.match(/^[a-z0-9-]+$/)
      })

      it('replaces what is there: 200, without Location', async () => {
        const { result, status, location } = accepted(await load(gateway, second))
        expect(await bodyNow()).to.deep.equal({ second: [1, 2] })
        expect(status).to.be.oneOf([200, undefined])
        expect(location).to.equal(undefined)
        expect(await eventOf('on_load', first.id)).to.include({ ts: result.ts })
      })

      it('keeps unknown keys with a warning that says where and what may be meant', async () => {
        const document = { ...second, variabels: {} }
        const { result } = accepted(await load(gateway, document))
        expect(result.warnings.map(({ path }) => path)).to.deep.equal(['/variabels'])
        expect(result.warnings[0]?.message).to.include('variables')
        expect((await read()).json()).to.deep.equal({ ...document, ts: result.ts })
      })

      it('takes back what it has given out', async () => {
        const given = (await read()).json()
        const { result } = accepted(await load(gateway, given))
        const { ts, ...rest } = (await read()).json() as { ts: number }
        expect(ts).to.equal(result.ts)
        const { ts: _, ...same } = given as { ts: number }
        expect(rest).to.deep.equal(same)
      })

      for (const [what, document, paths] of [
        ['a realm that does not exist', { ...first, realm_uri: 'com.no.such' }, ['/realm_uri']],
        ['nothing but an id', { id: first.id }, ['/host', '/realm_uri', '/versions']],
        ['a list', [first], ['']],
        ['a text', 'text', ['']],
        ['a number', 7, ['']],
      ] as const) {
        it(`refuses ${what} and changes nothing`, async () => {
          const before = (await read()).json()
          const { error, refusal, status } = refused(await load(gateway, document))
          expect(error).to.equal('wamp.error.invalid_argument')
          expect(refusal).to.include({ code: 'wamp.error.invalid_argument' })
          expect(refusal.message).to.be.a('string')
          expect(refusal.description).to.be.a('string')
          expect(refusal.details?.map(({ path }) => path)).to.have.members(paths)
          expect(status).to.be.oneOf([400, undefined])
          expect((await read()).json()).to.deep.equal(before)
          expect(await bodyNow()).to.deep.equal({ second: [1, 2] })
        })
      }

      it('refuses routes of another id, naming it, and tells subscribers of on_conflict', async () => {
        const thief = { ...first, id: `${first.id}.thief` }
        const { error, refusal, status } = refused(await load(gateway, thief))
        expect(error).to.equal('service.error.already_exists')
        expect(refusal.message).to.include(first.id)
        expect(status).to.be.oneOf([400, undefined])
        const event = await eventOf('on_conflict', thief.id)
        expect(event).to.include({ other: first.id })
        expect((await read('.thief')).status).to.equal(404)
      })

      it('is deleted, and its routes with it; subscribers are told of on_delete', async () => {
        const answer = await send(gateway.adminUrl, `/api_specs/${first.id}`, { method: 'DELETE' })
        expect(answer.status).to.equal(204)
        expect(answer.text).to.equal('')
        expect((await send(gateway.url, `/${name}/body`)).status).to.equal(404)
        expect((await read()).status).to.equal(404)
        const event = await eventOf('on_delete', first.id)
        expect(event.ts).to.be.a('number')
      })
    })
  }
})
