/** Messages that come from no gateway of the cluster, or come again, change nothing: they are counted, and logged now and then. */

import { expect } from 'chai'
import { hashOf, type Summary } from '#component/replica/entry.ts'
import { openBox } from '#component/sync/sealing.ts'
import { WampError } from '#component/wamp/session.ts'
import type { BusSession, Passing } from './bus.ts'
import { clusterKey, Fleet, type SimulatedNode } from './fleet.ts'
import { start } from './time.ts'

const beatTopic = 'service.registry.beat'
const loadTopic = 'service.api_spec.on_load'
const ignoredLine = 'a message from the router is ignored'

describe('a message of the registry', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode
  let stranger: BusSession
  const box = openBox(clusterKey)

  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    await a.load('x', 'kept')
    await fleet.untilEqual(20)
    stranger = fleet.bus.connect()
  })

  const ignored = () => a.sync.status().ignored_messages

  /** Publishes as a stranger, and gives what a did not take. */
  async function publish(topic: string, kwargs: Record<string, unknown>): Promise<number> {
    const before = ignored()
    await stranger.publish(topic, { args: [], kwargs })
    await fleet.run(20)
    return ignored() - before
  }

  /** What a says next is at the hands of its own clock. */
  async function expectUnmoved(): Promise<void> {
    expect(a.textOf('x')).to.equal('kept')
    await a.load('next')
    expect(a.replica.get('api_spec', 'next')?.stamp).to.include({ ms: Math.floor(fleet.time.now) })
    expect(a.sync.refusal()).to.equal(undefined)
    expect(a.sync.status().nodes.map(({ node }) => node)).to.deep.equal(['b'])
  }

  const future = { ms: start + 7_200_000, counter: 0, node: 'z' }
  const document = { id: 'x', text: 'forged' }
  const entry = {
    ...{ kind: 'api_spec', id: 'x', stamp: future, parent: null },
    ...{ hash: hashOf(document), document },
  }
  const heartbeat = {
    ...{ node: 'z', boot: 'z', seq: 1, now: start + 7_200_000, digest: 'ff' },
    ...{ version: '1.0.0', features: [], every: 4800 },
  }
  const sealed = (purpose: string, content: unknown, by = box) =>
    by.seal(JSON.stringify(content), purpose)

  const bad: Readonly<Record<string, unknown>> = {
    'nothing at all': undefined,
    'a number': 5,
    'a list': [1, 2],
    garbage: 'garbage',
    'what is sealed with another key': sealed(
      loadTopic,
      { ...heartbeat, entry },
      openBox('another'),
    ),
    'what is sealed for another topic': sealed(beatTopic, { ...heartbeat, entry }),
    'no JSON': box.seal('x', loadTopic),
    'a list in place of a message': sealed(loadTopic, []),
    'no heartbeat': sealed(loadTopic, { entry }),
    'no entry': sealed(loadTopic, heartbeat),
    'an entry without a stamp': sealed(loadTopic, { ...heartbeat, entry: { ...entry, stamp: 5 } }),
  }
  for (const [what, value] of Object.entries(bad)) {
    it(`that is ${what} is ignored`, async () => {
      const clear = { id: 'x', ts: future.ms, hash: entry.hash, node: 'b', document, entry }
      expect(await publish(loadTopic, { ...clear, sealed: value })).to.equal(1)
      await expectUnmoved()
    })
  }

  it('of 100 MB is ignored without being looked at', async () => {
    expect(await publish(beatTopic, { sealed: 'A'.repeat(100_000_000) })).to.equal(1)
    await expectUnmoved()
  })

  it('of the same stranger is logged once a minute, of others as well', async () => {
    const lines = () => a.lines.filter(({ message }) => message === ignoredLine)
    for (let count = 0; count < 50; count++) await publish(beatTopic, {})
    expect(ignored()).to.equal(50)
    expect(lines()).to.have.length(1)
    expect(lines()[0]?.fields).to.include({ about: beatTopic, sender: `session ${stranger.id}` })
    stranger = fleet.bus.connect()
    await publish(beatTopic, {})
    expect(lines()).to.have.length(2)
    await fleet.run(60_000)
    await publish(beatTopic, {})
    expect(lines()).to.have.length(3)
  })

  it('of ten thousand strangers does not fill the log', async () => {
    for (let count = 0; count < 10_000; count++) {
      const { topics } = a.session
      for (const handler of topics.get(beatTopic) ?? []) {
        handler({ args: [], kwargs: {} }, { details: { publisher: count }, uri: beatTopic })
      }
    }
    expect(ignored()).to.equal(10_000)
    expect(a.lines.filter(({ message }) => message === ignoredLine)).to.have.length(101)
  })

  const last = (uri: string): Passing => {
    const found = fleet.bus.events.findLast((event) => event.uri === uri && event.to === b.session)
    if (!found) throw new Error('there was no such event')
    return found
  }

  it('that was heard before is ignored: heartbeats and changes', async () => {
    await fleet.run(6000)
    const before = b.sync.status().ignored_messages
    for (const uri of [beatTopic, loadTopic]) {
      await stranger.publish(uri, last(uri).payload)
      await fleet.run(5)
    }
    expect(b.sync.status().ignored_messages).to.equal(before + 2)
    expect(b.textOf('x')).to.equal('kept')
  })

  it('of an earlier start of a node does not say that it is there, nor what its clock says', async () => {
    await fleet.run(6000)
    const { payload } = last(beatTopic)
    const { store } = a
    const left = a.sync.leave()
    await fleet.run(5)
    await left
    const farewell = last(beatTopic).payload
    a.kill()
    await fleet.run(3_600_000)
    await stranger.publish(beatTopic, payload)
    await fleet.run(20)
    expect(b.sync.status().nodes).to.deep.equal([])

    await fleet.open('a', { store })
    await fleet.run(20_000)
    const before = b.sync.status().ignored_messages
    await stranger.publish(beatTopic, payload)
    await fleet.run(20)
    expect(b.sync.status().ignored_messages).to.equal(before + 1)
    await stranger.publish(beatTopic, farewell)
    await fleet.run(20)
    expect(b.sync.status().nodes[0]?.clock_offset_ms).to.be.within(-2, 0)
    expect(b.sync.refusal()).to.equal(undefined)
    const calls = fleet.bus.countCalls('.a.digest')
    for (let count = 0; count < 500; count++) await stranger.publish(beatTopic, payload)
    await fleet.run(500)
    expect(fleet.bus.countCalls('.a.digest')).to.equal(calls)
  })

  it('with the name of this node is ignored, and told as a mistake of the configuration', async () => {
    const before = ignored()
    const twin = await fleet.open('a')
    await fleet.run(6000)
    expect(ignored()).to.be.greaterThan(before)
    expect(a.messages('error')).to.deep.equal([
      'another gateway has the name of this node: every gateway needs its own name',
    ])
    expect(twin.messages('error')).to.deep.equal(a.messages('error'))
    expect(a.sync.status().nodes.map(({ node }) => node)).to.deep.equal(['b'])
  })

  it('whose stamp is far ahead is refused, even from a gateway, and told once', async () => {
    expect(
      await publish(loadTopic, { sealed: sealed(loadTopic, { ...heartbeat, entry }) }),
    ).to.equal(0)
    const again = { ...heartbeat, seq: 2, entry }
    expect(await publish(loadTopic, { sealed: sealed(loadTopic, again) })).to.equal(0)
    await expectUnmoved()
    expect(a.messages('error')).to.deep.equal(['an entry of another gateway was refused'])
    const [line] = a.lines.filter(({ level }) => level === 'error')
    expect(line?.fields).to.deep.include({ id: 'x', peer: 'z', stamp: future })
  })

  it('whose document is another than its hash says is refused', async () => {
    const stamp = { ...future, ms: start + 50 }
    const forged = { ...entry, stamp, document: { id: 'x', text: 'another' } }
    await publish(loadTopic, { sealed: sealed(loadTopic, { ...heartbeat, entry: forged }) })
    expect(a.textOf('x')).to.equal('kept')
    expect(a.messages('error')).to.deep.equal(['an entry of another gateway was refused'])
  })

  describe('that asks', () => {
    const procedure = 'service.registry.a.digest'
    const ask = async (uri: string, kwargs: Record<string, unknown>): Promise<unknown> => {
      const { result } = stranger.call(uri, { args: [], kwargs }, {}, 1000)
      const answered = result.then(
        (answer) => answer.kwargs,
        (error: unknown) => (error instanceof WampError ? error.error_uri : error),
      )
      await fleet.run(20)
      return answered
    }

    it('gets nothing without the key', async () => {
      for (const kwargs of [
        {},
        { sealed: 5 },
        { sealed: sealed(procedure, heartbeat, openBox('x')) },
      ]) {
        expect(await ask(procedure, kwargs)).to.equal('wamp.error.not_authorized')
      }
      const forFetch = sealed('service.registry.a.fetch', heartbeat)
      expect(await ask(procedure, { sealed: forFetch })).to.equal('wamp.error.not_authorized')
      expect(ignored()).to.equal(4)
      await expectUnmoved()
    })

    it('gets nothing for a request that was heard before', async () => {
      let overheard: Passing | undefined
      fleet.bus.onCall = (passing) => {
        overheard ??= passing
      }
      b.sync.joined().catch(() => undefined)
      await fleet.run(20)
      if (!overheard) throw new Error('b has not asked')
      const { payload, uri } = overheard
      expect(uri).to.equal(procedure)
      expect(await ask(uri, payload.kwargs)).to.equal('wamp.error.not_authorized')
      expect(ignored()).to.equal(1)
    })

    it('is answered with what only gateways can read, and nobody can play back', async () => {
      const answers: unknown[] = []
      fleet.bus.onAnswer = (_passing, { kwargs }) => answers.push(kwargs.sealed)
      const question = sealed(procedure, heartbeat)
      expect(await ask(procedure, { sealed: question })).to.have.keys('sealed')
      const [answer] = answers
      const purpose = `${procedure}#${question.slice(0, 19)}`
      expect(box.open(String(answer), purpose)).to.include('"node":"a"')
      expect(box.open(String(answer), procedure)).to.equal(undefined)
    })
  })

  it('in answer to a request is not believed when a stranger has taken the name', async () => {
    const summary: Summary = { kind: 'api_spec', id: 'x', stamp: future, hash: entry.hash }
    const answers = [
      { sealed: 'garbage' },
      {
        sealed: sealed('service.registry.b.digest', { ...heartbeat, node: 'b', items: [summary] }),
      },
      {},
    ]
    for (const kwargs of answers) {
      await stranger.register('service.registry.b.digest', () => ({ args: [], kwargs }), {
        invoke: 'last',
      })
      a.sync.joined().catch(() => undefined)
      await fleet.run(20)
    }
    await expectUnmoved()
    expect(a.messages('warn')).to.deep.equal(['the exchange with another gateway failed'])
  })
})
