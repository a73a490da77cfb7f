/** Faults of a set-up that a company would run, under 50 requests a second. The long run takes all of them, each twice. */
import { expect } from 'chai'
import { holdsWithin } from '#test/cluster/cluster.ts'
import { isLong } from '#test/support/running/rounds.ts'
import { type FaultSetup, startFaultSetup } from './setup.ts'
import { faults } from './table.ts'
import { FaultTraffic } from './traffic.ts'

/** How long a gateway of a busy machine may take to say what is wrong, and until its calls go on; milliseconds. */
const generous = 60_000
/** Calls in a row that show that they go on. */
const manyCalls = 20
/** How long traffic goes on after a fault has ended, before everything has to be well; milliseconds. */
const afterwards = 2_000

const plan = isLong ? [...faults, ...faults] : faults.filter(({ isShort }) => isShort)

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const told = (outcomes: ReadonlyMap<string, number>) =>
  [...outcomes].map(([what, count]) => `${what}: ${count}`).join(', ')

describe('a set-up with several gateways, when', function () {
  this.timeout(400_000)
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
      const isToldMeanwhile = await holdsWithin(generous, isTold)
      const said = [await spared.ask('/ready'), await spared.ask('/registry')]
      await wait(Math.max(0, fault.lastsMs - (Date.now() - started)))
      const { all, spared: calls } = traffic
      const goesOn =
        !fault.sparesCalls || (await holdsWithin(generous, async () => calls.unbroken >= manyCalls))
      const lines = [...struck.logged, ...spared.logged].filter(({ at }) => at >= started)
      await fault.heal(setup)
      await wait(afterwards)
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
      expect(isToldMeanwhile, `${expected?.path} says ${expected?.text}`).to.equal(true)
      expect(goesOn, 'calls at the spared gateway, while it lasts').to.equal(true)
    })
  }
})
