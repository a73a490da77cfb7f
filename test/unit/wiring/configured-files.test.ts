/** Loads after a start that could not check its files: when they are tried, and when no more. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { InvalidSpecError, ServiceError } from '#component/errors.ts'
import { noProgress } from '#component/terminal/progress.ts'
import { ConfiguredFiles } from '#component/wiring/configured-files.ts'

const away = new ServiceError('service.error.unavailable', 'the router cannot be reached')
const wrong = new InvalidSpecError([{ path: '', message: 'wrong' }])

describe('files that a start could not check', () => {
  let folder: string
  let specs: string[]

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-configured-files-'))
    specs = [join(folder, 'one.json')]
    writeFileSync(specs[0] ?? '', '{"id": "com.example.one"}')
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Files whose loads fail with these one after another; without one a load succeeds. */
  async function open(...failures: (ServiceError | InvalidSpecError | undefined)[]) {
    const timers: { readonly ms: number; readonly callback: () => void }[] = []
    let loads = 0
    const nothing = () => undefined
    const files = new ConfiguredFiles({
      context: {
        store: {
          files: { lastLoads: async () => new Map(), setLoadedHashes: async () => nothing },
        },
        log: { info: nothing, warn: nothing, error: nothing },
        yieldTurn: async () => nothing,
      },
      examples: { judge: async () => [] },
      registry: {
        history: { isReplaced: async () => false },
        async loadUnlessThere() {
          const reason = failures[loads++]
          return [
            reason ? { status: 'rejected', reason } : { status: 'fulfilled', value: undefined },
          ]
        },
      },
    } as never)
    const caughtUp = Promise.withResolvers<void>()
    const settled = () => new Promise((resolve) => setImmediate(() => setTimeout(resolve, 20)))
    await files.start({ realms: [], specs, specs_examples: 'off' } as never, noProgress)
    const end = files.startAgain(() => caughtUp.promise, {
      after(ms, callback) {
        const timer = { ms, callback }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    })
    return {
      ...{ files, timers, end },
      loads: () => loads,
      async catchUp() {
        caughtUp.resolve()
        await settled()
      },
      async passTime() {
        timers.shift()?.callback()
        await settled()
      },
    }
  }

  it('are loaded when the node has caught up, and then every ten seconds until they are checked', async () => {
    const { files, timers, loads, catchUp, passTime } = await open(away, away, away)
    expect([files.isWaiting, loads()]).to.deep.equal([true, 1])
    await catchUp()
    expect([files.isWaiting, loads()]).to.deep.equal([false, 2])
    expect(timers.map(({ ms }) => ms)).to.deep.equal([10_000])
    await passTime()
    await passTime()
    expect([loads(), files.refused]).to.deep.equal([4, []])
    await passTime()
    expect([loads(), timers]).to.deep.equal([4, []])
  })

  it('are tried no more once they are refused for what they hold', async () => {
    const { files, timers, loads, catchUp, passTime } = await open(away, wrong)
    await catchUp()
    await passTime()
    expect([loads(), timers]).to.deep.equal([2, []])
    expect(files.refused.map(({ isForNow }) => isForNow)).to.deep.equal([false])
  })

  it('are not tried again by a start that has checked all', async () => {
    for (const failure of [undefined, wrong]) {
      const { files, loads, catchUp } = await open(failure)
      expect(files.isWaiting).to.equal(false)
      await catchUp()
      expect(loads()).to.equal(1)
    }
  })

  it('are not tried after the end', async () => {
    const { timers, loads, catchUp, end } = await open(away, away)
    await catchUp()
    end()
    expect([loads(), timers]).to.deep.equal([2, []])
    const other = await open(away)
    other.end()
    await other.catchUp()
    expect(other.loads()).to.equal(1)
  })
})
