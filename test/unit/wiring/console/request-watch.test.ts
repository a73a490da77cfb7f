/** Which requests are told while operators watch, and how many. */
import { expect } from 'chai'
import { RequestWatch } from '#component/wiring/console/request-watch.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const message = { api_spec: 'com.example.a', method: 'get', route: '/a', status: 200 }

describe('the requests that are watched', () => {
  let clock: ManualClock
  let watch: RequestWatch
  let told: [name: string, data: Readonly<Record<string, unknown>>][]

  /** A request ends. */
  const pass = () => {
    const { api_spec, method, route, status } = message
    if (watch.admits?.(api_spec, method, route, status)) watch.tell(message)
  }

  beforeEach(() => {
    clock = new ManualClock()
    told = []
    watch = new RequestWatch({
      ...{ clock, node: 'a' },
      realmOf: (id) => (id === 'com.example.a' ? 'com.example' : undefined),
      tell: (name, data) => told.push([name, data]),
    })
  })

  it('are none while nobody watches, which costs a request one field', () => {
    expect(watch.admits).to.equal(undefined)
    expect(clock.pending).to.equal(0)
  })

  it('are told with their node and time', () => {
    watch.watch(10, {})
    pass()
    expect(told).to.deep.equal([['request', { node: 'a', ts: clock.now(), ...message }]])
  })

  for (const [filter, isTold] of [
    [{ api_spec: 'com.example.a' }, true],
    [{ api_spec: 'com.example.b' }, false],
    [{ method: 'get', route: '/a' }, true],
    [{ method: 'post' }, false],
    [{ status: '2xx' }, true],
    [{ status: '200' }, true],
    [{ status: '5xx' }, false],
    [{ node: 'a' }, true],
    [{ node: 'b' }, false],
    [{ realm_uri: 'com.example' }, true],
    [{ realm_uri: 'com.other' }, false],
    [{ nothing: 'known', method: 7 }, true],
    ['no filter', true],
  ] as const) {
    it(`${isTold ? 'fit' : 'do not fit'} ${JSON.stringify(filter)}`, () => {
      watch.watch(10, filter)
      pass()
      expect(told).to.have.length(isTold ? 1 : 0)
    })
  }

  it('are at most 50 a second, the rest is counted', async () => {
    watch.watch(10, {})
    for (let count = 0; count < 120; count++) pass()
    expect(told).to.have.length(50)
    await clock.advance(1_000)
    expect(told.at(-1)).to.deep.equal(['dropped', { node: 'a', count: 70 }])
    pass()
    expect(told).to.have.length(52)
  })

  it('are counted by the filter that they fit, told or not', async () => {
    watch.watch(10, { status: '2xx' })
    for (let count = 0; count < 60; count++) {
      pass()
      expect(watch.admits?.('com.example.a', 'get', '/a', 404)).to.equal(false)
    }
    await clock.advance(1_000)
    expect(told.at(-1)).to.deep.equal(['dropped', { node: 'a', count: 10 }])
  })

  it('end with the time of the watch, which is at most a minute', async () => {
    watch.watch(3_600, {})
    await clock.advance(59_000)
    expect(watch.admits).to.not.equal(undefined)
    await clock.advance(2_000)
    expect(watch.admits).to.equal(undefined)
    expect(clock.pending).to.equal(0)
  })

  it('are all of them where more filters are given than are kept', () => {
    for (let count = 0; count < 60; count++) watch.watch(10, { api_spec: `com.example.${count}` })
    pass()
    expect(told).to.have.length(1)
  })
})
