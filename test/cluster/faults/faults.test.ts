/** Faults of a set-up that a company would run, under 50 requests a second. The long run takes all of them, each twice. */
import { expect } from 'chai'
import { holdsWithin } from '#test/cluster/cluster.ts'
import { isLong } from '#test/support/running/rounds.ts'
import { type FaultSetup, startFaultSetup } from './setup.ts'
import { faults } from './table.ts'
import { FaultTraffic } from './traffic.ts'

/** How long anything may fail after a fault has ended, and calls at a gateway that is spared meanwhile; milliseconds. */
const longestOutage = 8_000
/** After which a gateway has said what is wrong; milliseconds. */
const tellingMs = 5_000

const plan = isLong ? [...faults, ...faults] : faults.filter(({ isShort }) => isShort)

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const told = (outcomes: ReadonlyMap<string, number>) =>
  [...outcomes].map(([what, count]) => `${what}: ${count}`).join(', ')

describe('a set-up with several gateways, when', function () {
  this.timeout(180_000)
  let setup: FaultSetup
  let traffic: FaultTraffic

  const isWell = () =>
    holdsWithin(60_000, async () => {
      traffic.reset()
      await wait(2_000)
      const { all, spared } = traffic
      const outcomes = [...all.outcomes.keys(), ...spared.outcomes.keys()]
      return outcomes.length > 0 && outcomes.every((outcome) => / 20[01]$/.test(outcome))
    })

  before(async () => {
    setup = await startFaultSetup()
    traffic = new FaultTraffic(setup)
    await traffic.start()
    expect(await isWell(), 'everything is well at first').to.equal(true)
  })

  after(async () => {
    await traffic?.stop()
    await setup?.stop()
  })

  for (const [index, fault] of plan.entries()) {
    it(`${fault.name} (${index + 1})`, async () => {
      const [struck, spared] = setup.gateways
      traffic.reset()
      const started = Date.now()
      await fault.strike(setup)
      const { told: expected } = fault
      const isTold = async () =>
        (await spared.ask(expected?.path ?? '/ready')).includes(expected?.text ?? '')
      const isToldInTime = await holdsWithin(tellingMs, isTold)
      await wait(Math.max(0, tellingMs - (Date.now() - started)))
      const said = [await spared.ask('/ready'), await spared.ask('/registry')]
      await wait(Math.max(0, fault.lastsMs - (Date.now() - started)))
      await fault.heal(setup)
      await wait(longestOutage)
      const { all, spared: calls } = traffic
      const lines = [...struck.logged, ...spared.logged].filter(
        ({ at }) => at >= started && at <= started + tellingMs,
      )
      process.stdout.write(
        [
          `all: ${told(all.outcomes)}; longest outage ${all.longestOutage} ms`,
          `at the spared gateway: ${told(calls.outcomes)}; longest outage ${calls.longestOutage} ms`,
          `/ready: ${said[0]?.replaceAll('\n', ' | ')}`,
          `/registry: ${/"router":.*?"clock":"\w+"/.exec(said[1] ?? '')?.[0] ?? said[1]}`,
          `log: ${[...new Set(lines.map(({ message }) => message))].join(' | ')}`,
        ]
          .map((line) => `        ${line}\n`)
          .join(''),
      )
      expect(await isWell(), 'everything is well again').to.equal(true)
      expect(traffic.killed, 'logins that were ended').to.deep.equal([])
      expect(await traffic.lost(), 'acknowledged loads that are lost').to.deep.equal([])
      expect(isToldInTime, `${expected?.path} says ${expected?.text}`).to.equal(true)
      if (fault.sparesCalls) expect(calls.longestOutage).to.be.at.most(longestOutage)
    })
  }
})
