/** `tags` and `purge_on` of `cache`: which answers an event drops, and what is kept while events may be missed. */
import { expect } from 'chai'
import { Caching } from '#component/policies/cache/caching.ts'
import { purgeRules } from '#component/policies/cache/purge-subscriptions.ts'
import { type PurgeHandlers, Purges, type PurgeTopic } from '#component/policies/cache/purges.ts'
import { ResponseCache } from '#component/policies/cache/response-cache.ts'
import { Conditions } from '#component/policies/etag/conditions.ts'
import { encodeBody } from '#http/codec.ts'
import {
  documentOf,
  fixed,
  issuesOf,
  type Performer,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { counted, HandClock, later, resultOf, settle, textOf } from './cached.ts'
import { policyPorts } from './policy-ports.ts'

const topic = 'com.example.order.on_change'
const cache = {
  ttl: 60,
  tags: ['order:{{request.bindings.id}}', '{{action.result.args |> head}}'],
  purge_on: [{ topic, tags: ['order:{{action.event.kwargs.id}}'] }],
}
const order = { '/orders/:id': { cache, get: counted } }

/** A subscription as the purges have asked for it. */
interface Asked extends PurgeTopic, PurgeHandlers {
  isEnded: boolean
}

/** A gateway that hears events, whose action tells how often it has run. */
function purged(paths: object, perform?: Performer) {
  const asked: Asked[] = []
  const kept = new ResponseCache({ maxBytes: 1_000_000, maxEntryBytes: 100_000 })
  const purges = new Purges({
    cache: kept,
    random: () => 0,
    subscribe(wanted, handlers) {
      const subscription = { ...wanted, ...handlers, isEnded: false }
      asked.push(subscription)
      return () => {
        subscription.isEnded = true
      }
    },
  })
  const clock = new HandClock()
  const conditions = new Conditions(encodeBody)
  const caching = new Caching({
    ...{ cache: kept, clock, conditions, encode: encodeBody },
    isHeard: (rule) => purges.isHeard(rule),
  })
  let runs = 0
  const count: Performer = (performed) => {
    runs += 1
    return perform?.(performed) ?? resultOf(runs)
  }
  const ports = policyPorts({ caching }, clock)
  const served = serve(documentOf(paths), count, undefined, undefined, '*', undefined, ports)
  const rules = purgeRules()
  rules.follow({ added: [served.api.entries], removed: [] })
  purges.follow(rules.all)
  const ask = async (target: string) => textOf(await served.ask(`GET /v1${target}`))
  return {
    ...{ asked, purges, ask },
    all: async (...targets: readonly string[]) => {
      const answers: unknown[] = []
      for (const target of targets) answers.push(await ask(target))
      return answers.join(' ')
    },
  }
}

const eventOf = (kwargs: object) => ({ topic, args: [], kwargs, details: {}, publication_id: 1 })

describe('an event', () => {
  it('drops the answers of the rule with its tags, and no others', async () => {
    const { asked, all } = purged(order)
    expect(asked).to.have.length(1)
    expect(asked[0]).to.include({ realm_uri: 'com.example.realm', topic, match: 'exact' })
    asked[0]?.onHeard()
    expect(await all('/orders/1', '/orders/2', '/orders/1')).to.equal('1 2 1')
    asked[0]?.onEvent(eventOf({ id: 1 }))
    expect(await all('/orders/1', '/orders/2')).to.equal('3 2')
  })

  it('drops all answers of the rule where it names no tags, or they cannot be told', async () => {
    const purge_by_id = [{ topic, tags: ['{{action.event.kwargs.id}}'] }]
    for (const [purge_on, event] of [
      [[{ topic }], eventOf({})],
      [cache.purge_on, eventOf({})],
      [purge_by_id, eventOf({ id: '' })],
      [purge_by_id, eventOf({ id: [1] })],
    ] as const) {
      const rule = { ...cache, purge_on }
      const { asked, all } = purged({
        '/orders/:id': { cache: rule, get: counted },
        '/other/:id': { cache: { ttl: 60 }, get: counted },
      })
      asked[0]?.onHeard()
      expect(await all('/orders/1', '/orders/2', '/other/1')).to.equal('1 2 3')
      asked[0]?.onEvent(event)
      expect(await all('/orders/1', '/orders/2', '/other/1')).to.equal('4 5 3')
    }
  })

  it('keeps the answer of a run under way from being kept, and from who comes later', async () => {
    const runs = [later(), later()]
    let begun = 0
    const { asked, ask } = purged(order, () => runs[begun++]?.promise ?? resultOf('none'))
    asked[0]?.onHeard()
    const before = ask('/orders/1')
    await settle()
    asked[0]?.onEvent(eventOf({ id: 2 }))
    const after = ask('/orders/1')
    await settle()
    expect(begun).to.equal(2)
    runs[0]?.resolve(resultOf('old'))
    runs[1]?.resolve(resultOf('new'))
    expect([await before, await after, await ask('/orders/1')]).to.deep.equal([
      '"old"',
      '"new"',
      '"new"',
    ])
  })
})

describe('a rule that waits for events', () => {
  it('keeps nothing before it hears them, and shares no run', async () => {
    const { asked, all, ask } = purged(order)
    expect(await all('/orders/1', '/orders/1')).to.equal('1 2')
    expect(await Promise.all([ask('/orders/1'), ask('/orders/1')])).to.deep.equal(['3', '4'])
    asked[0]?.onHeard()
    expect(await all('/orders/1', '/orders/1')).to.equal('5 5')
  })

  it('drops all it has when it may miss one, and keeps nothing until it hears them again', async () => {
    const { asked, all } = purged(order)
    asked[0]?.onHeard()
    expect(await all('/orders/1', '/orders/1')).to.equal('1 1')
    asked[0]?.onLost()
    expect(await all('/orders/1', '/orders/1')).to.equal('2 3')
    asked[0]?.onHeard()
    expect(await all('/orders/1', '/orders/1')).to.equal('4 4')
  })

  it('does not keep an answer that was asked for while it heard nothing', async () => {
    const run = later()
    let begun = 0
    const { asked, ask } = purged(order, () => (begun++ === 0 ? run.promise : resultOf('new')))
    const before = ask('/orders/1')
    await settle()
    asked[0]?.onHeard()
    run.resolve(resultOf('old'))
    expect([await before, await ask('/orders/1')]).to.deep.equal(['"old"', '"new"'])
  })

  it('waits for all of its topics, each of them subscribed to once', async () => {
    const purge_on = [{ topic: 'com.example.a' }, { topic: 'com.example.b.', match: 'prefix' }]
    const rule = { ttl: 60, purge_on }
    const { asked, all, purges } = purged({
      '/x': { cache: rule, get: counted },
      '/y': { cache: rule, get: counted },
    })
    expect(asked.map((one) => `${one.match} ${one.topic}`)).to.deep.equal([
      'exact com.example.a',
      'prefix com.example.b.',
    ])
    asked[0]?.onHeard()
    expect(await all('/x', '/x')).to.equal('1 2')
    asked[1]?.onHeard()
    expect(await all('/x', '/x')).to.equal('3 3')
    purges.follow([])
    expect(asked.map(({ isEnded }) => isEnded)).to.deep.equal([true, true])
  })
})

describe('purge_on', () => {
  const at = (one: unknown) =>
    issuesOf(documentOf({ '/x': { cache: { ttl: 60, purge_on: [one] }, get: fixed() } })).map(
      ({ path }) => path.replace('/versions/1.0/paths/~1x/cache/purge_on/0', ''),
    )
  for (const [one, paths] of [
    [{ topic, match: 'wildcard', tags: ['a'] }, []],
    [{ topic: 'com..on_change', match: 'wildcard' }, []],
    [{ topic: 'com..on_change' }, ['/topic']],
    [{ match: 'exact' }, ['/topic']],
    [{ topic, match: 'some' }, ['/match']],
    [{ topic: 7 }, ['/topic']],
    [{ topic, tag: 'a' }, ['/tag']],
    [{ topic: '{{request.host}}' }, ['/topic']],
    [{ topic, tags: ['{{request.bindings.id}}'] }, ['/tags/0']],
    [{ topic, tags: ['{{action.event.args |> head}}'] }, []],
    ['a', ['']],
  ] as const) {
    it(`${JSON.stringify(one)} has ${paths.length === 0 ? 'no issue' : `an issue at "${paths}"`}`, () => {
      expect(at(one)).to.deep.equal(paths)
    })
  }
})
