/**
 * The power fails at random moments of a run, with and without failed syncs before: whatever the disk has of what was not synced,
 * a store that is opened on it has everything that was acknowledged.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { rounds } from '#test/support/running/rounds.ts'
import { type Promised, Promises } from './promised.ts'
import { failuresIn, type RecordedPlace, Recording, randomMoments } from './recording.ts'

const program = fileURLToPath(new URL('./recorded-run.ts', import.meta.url))

/** Crashes of each run. */
const crashes = rounds(40, 1000)
/** Steps of each process of a run. */
const length = rounds(60, 400)

interface Run {
  readonly processes: number
  /** About one of so many syncs of a file fails; 0: none. */
  readonly failEvery: number
}

const runs: Readonly<Record<string, Run>> = {
  'one process': { processes: 1, failEvery: 0 },
  'two processes with one store': { processes: 2, failEvery: 0 },
  'one process, one of 50 syncs fails': { processes: 1, failEvery: 50 },
  'one process, one of 7 syncs fails': { processes: 1, failEvery: 7 },
  'two processes, one of 20 syncs fails': { processes: 2, failEvery: 20 },
}

/** How often a process of a run may be killed. */
const lives = 4

describe('a power failure', function () {
  this.timeout(rounds(300_000, 600_000))

  let recording: Recording
  before(() => {
    recording = new Recording()
  })
  after(() => recording.remove())

  /** A process, and those that follow where it is killed. */
  async function live(place: RecordedPlace, index: number, seed: number): Promise<void> {
    const { data, log } = place
    const env = { ...process.env, ...place.env }
    for (let life = 0; ; life++) {
      const name = `p${index}.${life}`
      const numbers = [seed + index + 10 * life, length, life < lives].map(String)
      const started = spawn(process.execPath, [program, data, log, name, ...numbers], {
        ...{ env, stdio: 'inherit' },
      })
      const [code, signal] = await once(started, 'exit')
      if (signal === 'SIGKILL') continue
      expect(code, name).to.equal(0)
      return
    }
  }

  for (const [index, [name, { processes, failEvery }]] of Object.entries(runs).entries()) {
    it(`takes nothing that was acknowledged: ${name}; ${crashes} states of the disk`, async () => {
      const seed = 4_000 + 100 * index
      const steps = await recording.record(failEvery, async (place) => {
        await Promise.all(
          Array.from({ length: processes }, (_, number) => live(place, number, seed)),
        )
      })
      const promises = new Promises()
      const found = await recording.crash(steps, {
        ...{ seed, moments: randomMoments(steps, seed, crashes) },
        onAcknowledged: (promised) => promises.add(promised as Promised),
        judge: (state) =>
          promises
            .missingIn(join(state, 'gateway.db'))
            .catch((cause: unknown) => [`not opened: ${cause}`]),
      })
      expect(found).to.deep.equal([])
      expect(failuresIn(steps) > 0, 'syncs have failed').to.equal(failEvery > 0)
      expect(promises.count).to.be.above(length / 2)
    })
  }
})
