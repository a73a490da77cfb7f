/** A list of parts: the order of a start and of a stop, and what fails in the middle of either. */
import { expect } from 'chai'
import { close, parts, type Starting, stop } from '#component/parts.ts'

describe('a list of parts', () => {
  let steps: string[]
  let logged: unknown[]
  const log = { error: (...line: unknown[]) => void logged.push(line) }
  beforeEach(() => {
    steps = []
    logged = []
  })

  /** Starts a part that is told by its name when it starts and when it stops. */
  const noted = (name: string) => () => {
    steps.push(`start ${name}`)
    return {
      name,
      async close() {
        steps.push(`stop ${name}`)
        await Promise.resolve()
        steps.push(`stopped ${name}`)
      },
    }
  }
  const failing = (name: string) => ({
    close() {
      steps.push(`stop ${name}`)
      throw new Error(`${name} cannot be stopped`)
    },
  })
  const given = { word: 'given' }
  const three = parts<typeof given>()
    .part('store', [], () => noted('store')(), close)
    .part('users', ['store'], () => noted('users')(), close)
    .part('listeners', ['users'], () => noted('listeners')(), close)

  it('starts in order, and stops in the reverse order, each part after the one before it has stopped', async () => {
    const running = await three.start(given, { log })
    await running.stop()
    expect(steps).to.deep.equal([
      ...['start store', 'start users', 'start listeners'],
      ...['stop listeners', 'stopped listeners', 'stop users', 'stopped users'],
      ...['stop store', 'stopped store'],
    ])
  })

  it('gives each part the values that it needs, and no others', async () => {
    const seen: unknown[] = []
    const running = await three
      .part('last', ['word', 'users'], (needs) => seen.push(needs))
      .start(given, { log })
    const { users } = running.parts
    expect(seen).to.deep.equal([{ word: 'given', users }])
    expect(running.parts.last).to.equal(1)
  })

  it('waits for a part that starts later, and gives its value to the parts after it', async () => {
    const list = parts<object>()
      .part('slow', [], () => Promise.resolve(3))
      .part('double', ['slow'], ({ slow }) => slow * 2)
    expect((await list.start({}, { log })).parts.double).to.equal(6)
  })

  it('gives the stop of a part what its start was given', async () => {
    const list = three.part(
      'stream',
      ['word'],
      () => 'stream',
      (value, { word }) => steps.push(`stop ${value} of ${word}`),
    )
    const running = await list.start(given, { log })
    steps = []
    await running.stop()
    expect(steps[0]).to.equal('stop stream of given')
  })

  it('is one list of values each time that it starts', async () => {
    const [one, other] = [await three.start(given, { log }), await three.start(given, { log })]
    await one.stop()
    expect(steps.filter((step) => step === 'stop store')).to.have.length(1)
    expect(one.parts.store).to.not.equal(other.parts.store)
  })

  it('stops once, however often it is told', async () => {
    const running = await three.start(given, { log })
    const [first, second] = [running.stop(), running.stop()]
    await Promise.all([first, second, running.stop()])
    expect(steps.filter((step) => step.startsWith('stop '))).to.have.length(3)
  })

  const wrong = new Error('this is wrong')
  const failures: readonly [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw wrong
      },
    ],
    ['rejects', () => Promise.reject(wrong)],
  ]
  for (const [how, fail] of failures) {
    it(`stops what has started when a part ${how}, and tells the error as it is`, async () => {
      const list = three
        .part('broken', ['word'], fail, close as never)
        .part('never', [], noted('never'))
      const cause = await list.start(given, { log }).catch((error: unknown) => error)
      expect(cause).to.equal(wrong)
      expect(steps.slice(3).filter((step) => step.startsWith('stop '))).to.deep.equal([
        ...['stop listeners', 'stop users', 'stop store'],
      ])
    })
  }

  it('tells the error of the start where a stop fails, too', async () => {
    const cause = await parts<object>()
      .part('store', [], noted('store'), close)
      .part('stuck', [], () => failing('stuck'), close)
      .part('broken', [], () => Promise.reject(wrong))
      .start({}, { log })
      .catch((error: unknown) => error)
    expect(cause).to.equal(wrong)
    expect(steps.at(-1)).to.equal('stopped store')
    expect(logged).to.have.length(1)
  })

  it('stops the others when one cannot be stopped, names it in the log, and tells the first failure', async () => {
    const running = await parts<object>()
      .part('store', [], noted('store'), close)
      .part('first', [], () => failing('first'), close)
      .part('second', [], () => failing('second'), close)
      .start({}, { log })
    const cause = await running.stop().catch((error: unknown) => error)
    expect(String(cause)).to.equal('Error: second cannot be stopped')
    expect(steps).to.deep.equal([
      ...['start store', 'stop second', 'stop first', 'stop store', 'stopped store'],
    ])
    expect(logged.map((line) => (line as [{ part: string }])[0].part)).to.deep.equal([
      ...['second', 'first'],
    ])
  })

  it('says what it waits for while it starts, and nothing once all has started', async () => {
    const seen: (string | undefined)[] = []
    const look = ({ starting }: { readonly starting: Starting }) => {
      seen.push(starting.waitsFor)
      return starting
    }
    const running = await parts<object>()
      .part('one', ['starting'], look)
      .waits('joining')
      .part('two', ['starting'], look)
      .part('three', ['starting'], look)
      .waits('loading')
      .part('four', ['starting'], look)
      .start({}, { log })
    expect(seen).to.deep.equal([undefined, 'joining', 'joining', 'loading'])
    expect(running.parts.four.waitsFor).to.equal(undefined)
  })

  for (const [when, at] of [
    ['before the first part', 'start'],
    ['while a part starts', 'middle'],
    ['while the last part starts', 'end'],
  ]) {
    it(`ends ${when} when it is told, with the reason, and stops what has started`, async () => {
      const ending = new AbortController()
      const endAt = (place: string) => () => {
        if (place === at) ending.abort(wrong)
        return noted(place)()
      }
      endAt('start')()
      steps = []
      const cause = await parts<object>()
        .part('middle', [], endAt('middle'), close)
        .part('end', [], endAt('end'), close)
        .start({}, { log, signal: ending.signal })
        .catch((error: unknown) => error)
      expect(cause).to.equal(wrong)
      const names = (verb: string) => steps.flatMap((step) => step.split(`${verb} `)[1] ?? [])
      expect(names('stopped')).to.deep.equal(names('start').toReversed())
      expect(names('start')).to.have.length(['start', 'middle', 'end'].indexOf(String(at)))
    })
  }
})

const one = parts<{ readonly word: string }>().part('one', [], () => 1)
/** What the types refuse: `tsc` judges it. */
void [
  // @ts-expect-error it is declared later, or not at all
  () => one.part('two', ['three'], () => 2),
  // @ts-expect-error it is not among the needs
  () => one.part('two', ['one'], ({ word }) => word),
  // @ts-expect-error the name is taken
  () => one.part('one', [], () => 1),
  // @ts-expect-error a value that is given has the name
  () => one.part('word', [], () => 'word'),
  // @ts-expect-error the part is a number
  () => one.part('two', ['one'], (needs: { one: string }) => needs),
  // @ts-expect-error there is nothing that stops it
  () => one.part('two', [], () => 2, stop),
  // @ts-expect-error not all is given
  () => one.start({}, { log: { error: () => undefined } }),
]
