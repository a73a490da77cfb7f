/** What every Session promises about watches. */
import { expect } from 'chai'
import { failureOf, freshUri, type Pair } from './support.ts'
import { Watcher } from './watcher.ts'

/** Adds the tests. */
export function describeWatches(pair: Pair): void {
  const watch = (topic: string, watcher: Watcher, options: object = {}) =>
    pair.session.watch(topic, { ...options }, 5000, watcher)

  const publish = (topic: string, arg: unknown, options: object = {}) =>
    pair.other.publish(topic, { args: [arg], kwargs: {} }, { ...options }, 5000)

  /** Whether the router knows a subscription. */
  const isSubscribed = async (topic: string, match = 'exact'): Promise<boolean> => {
    const payload = { args: [topic, { match }], kwargs: {} }
    const { args } = await pair.other.call('wamp.subscription.lookup', payload, {}, 5000).result
    return typeof args[0] === 'number'
  }

  it('gives events in order, as they were published', async () => {
    const [topic, watcher] = [freshUri(), new Watcher()]
    const watched = await watch(topic, watcher)
    const ids: unknown[] = []
    for (let number = 0; number < 20; number++) {
      const payload = { args: [number], kwargs: { big: 2n ** 60n } }
      ids.push((await pair.other.publish(topic, payload, {}, 5000)).publication_id)
    }
    await watcher.until(20)
    expect(watcher.told).to.deep.equal(Array.from({ length: 20 }, (_, number) => number))
    expect(watcher.events.map(({ publication_id }) => publication_id)).to.deep.equal(ids)
    expect(watcher.events[3]).to.deep.include({ topic, isRetained: false })
    expect(watcher.events[3]?.payload).to.deep.equal({ args: [3], kwargs: { big: 2n ** 60n } })
    watched.end()
  })

  it('gives what the session itself publishes, unless it is to be left out', async () => {
    const [topic, watcher] = [freshUri(), new Watcher()]
    const watched = await watch(topic, watcher)
    for (const [arg, options] of [
      ['own', {}],
      ['unacknowledged', { acknowledge: false }],
      ['excluded', { exclude_me: true }],
      ['last', {}],
    ] as const) {
      await pair.session.publish(topic, { args: [arg], kwargs: {} }, options, 5000)
    }
    await watcher.until(3)
    expect(watcher.told).to.deep.equal(['own', 'unacknowledged', 'last'])
    watched.end()
  })

  it('gives the details that the router discloses', async () => {
    const [topic, watcher] = [freshUri(), new Watcher()]
    const watched = await watch(topic, watcher)
    await publish(topic, 1, { disclose_me: true })
    await watcher.until(1)
    expect(watcher.events[0]?.details.publisher).to.be.a('number')
    watched.end()
  })

  for (const [match, pattern, fitting, other] of [
    ['exact', 'a', 'a', 'a.b'],
    ['prefix', 'a', 'a.b', 'b'],
    ['prefix', 'a.', 'a.b', 'a'],
    ['wildcard', 'a..c', 'a.b.c', 'a.b'],
  ] as const) {
    it(`names the topic of an event of ${match} ${pattern}`, async () => {
      const [base, watcher] = [freshUri(), new Watcher()]
      const watched = await watch(`${base}.${pattern}`, watcher, { match })
      await publish(`${base}.${other}`, 'other')
      await publish(`${base}.${fitting}`, 'fitting')
      await watcher.until(1)
      expect(watcher.told).to.deep.equal(['fitting'])
      expect(watcher.events[0]?.topic).to.equal(`${base}.${fitting}`)
      watched.end()
    })
  }

  it('holds exact and prefix of one text apart', async () => {
    const topic = freshUri()
    const [exact, prefix] = [new Watcher(), new Watcher()]
    const watched = await watch(topic, exact)
    const wide = await watch(topic, prefix, { match: 'prefix' })
    await publish(topic, 'both')
    await publish(`${topic}.a`, 'prefix only')
    await prefix.until(2)
    expect({ exact: exact.told, prefix: prefix.told }).to.deep.equal({
      exact: ['both'],
      prefix: ['both', 'prefix only'],
    })
    watched.end()
    await publish(topic, 'prefix again')
    await prefix.until(3)
    expect(exact.told).to.deep.equal(['both'])
    wide.end()
  })

  it('ends without a word, and UNSUBSCRIBEs after the last watch of a topic', async () => {
    const topic = freshUri()
    const [first, second] = [new Watcher(), new Watcher()]
    const one = await watch(topic, first)
    const two = await watch(topic, second)
    one.end()
    one.end()
    await publish(topic, 'second only')
    await second.until(1)
    expect(await isSubscribed(topic)).to.equal(true)
    two.end()
    // the same session: the router has seen UNSUBSCRIBE
    await publish(topic, 'nobody')
    await (await watch(freshUri(), first)).again({})
    expect(await isSubscribed(topic)).to.equal(false)
    expect({ first: first.told, second: second.told }).to.deep.equal({
      first: [],
      second: ['second only'],
    })
  })

  it('begins anew after it was ended', async () => {
    const topic = freshUri()
    const [before, after] = [new Watcher(), new Watcher()]
    for (let round = 0; round < 5; round++) (await watch(topic, before)).end()
    const watched = await watch(topic, after)
    await publish(topic, 1)
    await after.until(1)
    expect(before.told).to.deep.equal([])
    watched.end()
  })

  it('opens many watches of one topic in one turn while others end', async () => {
    const topic = freshUri()
    const watchers = Array.from({ length: 10 }, () => new Watcher())
    const watched = await Promise.all(watchers.map((watcher) => watch(topic, watcher)))
    const [late, ...others] = [new Watcher(), ...watched]
    const opening = watch(topic, late)
    for (const other of others) other.end()
    const last = await opening
    await publish(topic, 'for the last')
    await late.until(1)
    expect(watchers.flatMap(({ told }) => told)).to.deep.equal([])
    last.end()
  })

  it('shares a topic with a subscription of the session', async () => {
    const [topic, watcher] = [freshUri(), new Watcher()]
    let events = 0
    await pair.session.subscribe(topic, () => events++)
    const watched = await watch(topic, watcher)
    await publish(topic, 1)
    await watcher.until(1)
    watched.end()
    await publish(topic, 2)
    await watch(freshUri(), watcher).then((other) => other.end())
    expect({ events, told: watcher.told }).to.deep.equal({ events: 2, told: [1] })
  })

  it('gives the retained event only when asked, each time', async () => {
    const topic = freshUri()
    const [plain, asking] = [new Watcher(), new Watcher()]
    await publish(topic, 'kept', { retain: true })
    const first = await watch(topic, plain)
    await first.again({})
    expect(plain.told).to.deep.equal([])
    first.end()
    const watched = await watch(topic, asking, { get_retained: true })
    await asking.until(1)
    await watched.again({ get_retained: true })
    await asking.until(2)
    await watched.again({ get_retained: true })
    await asking.until(3)
    await publish(topic, 'live')
    await asking.until(4)
    expect(asking.told).to.deep.equal(['kept', 'kept', 'kept', 'live'])
    expect(asking.events.map(({ isRetained }) => isRetained)).to.deep.equal([
      true,
      true,
      true,
      false,
    ])
    watched.end()
  })

  it('goes on after a handler that throws', async () => {
    const [topic, watcher] = [freshUri(), new Watcher()]
    const broken = Object.assign(new Watcher(), {
      onEvent() {
        throw new Error('broken')
      },
    })
    const one = await watch(topic, broken)
    const two = await watch(topic, watcher)
    await publish(topic, 1)
    await publish(topic, 2)
    await watcher.until(2)
    expect(watcher.told).to.deep.equal([1, 2])
    one.end()
    two.end()
  })

  for (const [what, topic, match] of [
    ['an empty component', 'com..x', 'exact'],
    ['a blank', 'com.a b', 'exact'],
    ['an empty component, as a prefix', 'com..x', 'prefix'],
  ] as const) {
    it(`refuses a topic with ${what} before sending`, async () => {
      const error = await failureOf(watch(topic, new Watcher(), { match }))
      expect(error).to.include({ error_uri: 'wamp.error.invalid_uri', wasSent: false })
    })
  }

  it('refuses to watch again what has ended', async () => {
    const watched = await watch(freshUri(), new Watcher())
    watched.end()
    expect((await failureOf(watched.again({}))).error_uri).to.equal('wamp.error.net_failure')
  })
}
