/**
 * The power fails at random moments of a run, with and without failed syncs before: whatever the disk has of what was not synced,
 * a store that is opened on it has everything that was acknowledged.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { randomFrom } from '#test/fuzz/random.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { type Choice, Disk, type Step, stepsOf } from './disk.ts'
import { type Promised, Promises } from './promised.ts'

const recorder = fileURLToPath(new URL('./recorder.c', import.meta.url))
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

interface Life {
  readonly data: string
  readonly log: string
  readonly env: NodeJS.ProcessEnv
  readonly index: number
  readonly seed: number
}

describe('a power failure', function () {
  this.timeout(rounds(60_000, 600_000))

  // in memory where it can be: a state is written to be read once
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  let folder: string
  let library: string
  before(() => {
    folder = realpathSync(mkdtempSync(join(place, 'gateway-crash-')))
    library = join(folder, 'recorder.so')
    const flags = ['-shared', '-fPIC', '-O1', '-o', library, recorder, '-ldl', '-lpthread']
    execFileSync('cc', flags)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** A process, and those that follow where it is killed. */
  async function live({ data, log, env, index, seed }: Life): Promise<void> {
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

  /** @returns what the processes have done, and what they have acknowledged */
  async function record({ processes, failEvery }: Run, seed: number): Promise<Step[]> {
    const data = join(folder, `data-${seed}`)
    const log = join(folder, `log-${seed}`)
    mkdirSync(data)
    const env = {
      ...process.env,
      ...{ LD_PRELOAD: library, RECORD_FOLDER: data, RECORD_LOG: log },
      ...{ RECORD_FAIL_EVERY: String(failEvery), RECORD_SYNC_US: '200' },
    }
    const started = Array.from({ length: processes }, (_, index) => {
      return live({ data, log, env, index, seed })
    })
    await Promise.all(started)
    const steps = [...stepsOf(readFileSync(log))]
    rmSync(data, { recursive: true })
    rmSync(log)
    rmSync(`${log}.failures`)
    return steps
  }

  /** What is left of unsynced writes: all of it, nothing, or anything. */
  const choices = (random: () => number): readonly Choice[] => [
    (count) => Math.floor(random() * count),
    (count) => (random() < 0.5 ? 0 : count - 1),
    (count) => (random() < 0.9 ? count - 1 : Math.floor(random() * count)),
    () => 0,
  ]

  for (const [index, [name, run]] of Object.entries(runs).entries()) {
    it(`takes nothing that was acknowledged: ${name}; ${crashes} states of the disk`, async () => {
      const seed = 4_000 + 100 * index
      const steps = await record(run, seed)
      const random = randomFrom(seed)
      const chosen = choices(random)
      const moments = Array.from({ length: crashes }, () => Math.floor(random() * steps.length))
      moments.push(steps.length)
      const disk = new Disk()
      const promises = new Promises()
      const found: string[] = []
      let at = 0
      for (const [round, moment] of moments.sort((one, other) => one - other).entries()) {
        for (; at < moment; at++) {
          const step = steps[at] as Step
          if (step.type === 'A') promises.add(JSON.parse(step.data.toString()) as Promised)
          else disk.take(step)
        }
        const state = join(folder, 'state')
        mkdirSync(state, { recursive: true })
        disk.writeAfterCrash(state, chosen[round % chosen.length] as Choice)
        const missing = await promises
          .missingIn(join(state, 'gateway.db'))
          .catch((cause: unknown) => [`not opened: ${cause}`])
        found.push(...missing.map((text) => `after step ${moment}: ${text}`))
        rmSync(state, { recursive: true })
      }
      expect(found).to.deep.equal([])
      const failures = steps.filter(({ type }) => type === 'F').length
      expect(failures > 0, 'syncs have failed').to.equal(run.failEvery > 0)
      expect(promises.count).to.be.above(length / 2)
    })
  }
})
