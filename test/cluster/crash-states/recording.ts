/** Runs whose writes and syncs are recorded, and the states in which a power failure may leave their files. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { randomFrom } from '#test/fuzz/random.ts'
import { type Choice, Disk, recordOf, type Step, stepsOf } from './disk.ts'

const recorder = fileURLToPath(new URL('./recorder.c', import.meta.url))

/** Where a run writes, and what records it. */
export interface RecordedPlace {
  /** The folder that is recorded; empty at first. */
  readonly data: string
  /** Where {@link tell} writes. */
  readonly log: string
  /** The environment of a process that is recorded. */
  readonly env: Readonly<Record<string, string>>
}

/** Writes what was acknowledged into the log of a run, behind what has happened so far; one write, which no other record divides. */
export function tell(log: string, acknowledged: unknown): void {
  appendFileSync(log, recordOf('A', Buffer.from(JSON.stringify(acknowledged))))
}

/** What is left of unsynced writes: all of it, nothing, or anything. */
const choices = (random: () => number): readonly Choice[] => [
  (count) => Math.floor(random() * count),
  (count) => (random() < 0.5 ? 0 : count - 1),
  (count) => (random() < 0.9 ? count - 1 : Math.floor(random() * count)),
  () => 0,
]

/** What is asked of the states of a run. */
interface Crashes {
  readonly seed: number
  /** The number of the step before which the power fails; each of the four ways in turn. The end follows. */
  readonly moments: readonly number[]
  /** Takes what {@link tell} has written before the moment of the states that follow. */
  readonly onAcknowledged: (acknowledged: unknown) => void
  /** What is wrong with a state of the folder, one text each. */
  readonly judge: (state: string) => Promise<readonly string[]>
}

/** So many steps of a run, at random. */
export function randomMoments(steps: readonly Step[], seed: number, count: number): number[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => Math.floor(random() * steps.length))
}

/** A folder for runs, and the library that records them. Needs a C compiler. */
export class Recording {
  readonly #folder: string
  readonly #library: string

  constructor() {
    // in memory where it can be: a state is written to be read once
    const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
    this.#folder = realpathSync(mkdtempSync(join(place, 'gateway-crash-')))
    this.#library = join(this.#folder, 'recorder.so')
    const flags = ['-shared', '-fPIC', '-O1', '-o', this.#library, recorder, '-ldl', '-lpthread']
    execFileSync('cc', flags)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /**
   * Records a run.
   * @param failEvery about one of so many syncs of a file fails; 0: none
   * @param syncUs how long a sync takes, microseconds
   * @returns what has happened, in order
   */
  async record(
    failEvery: number,
    run: (place: RecordedPlace) => Promise<void>,
    syncUs = 200,
  ): Promise<Step[]> {
    const data = mkdtempSync(join(this.#folder, 'data-'))
    const log = `${data}.log`
    const env = {
      ...{ LD_PRELOAD: this.#library, RECORD_FOLDER: data, RECORD_LOG: log },
      ...{ RECORD_FAIL_EVERY: String(failEvery), RECORD_SYNC_US: String(syncUs) },
    }
    await run({ data, log, env })
    const steps = [...stepsOf(readFileSync(log))]
    rmSync(data, { recursive: true })
    rmSync(log)
    rmSync(`${log}.failures`)
    return steps
  }

  /** Lets the power fail. @returns what was found, with the step before the failure */
  async crash(
    steps: readonly Step[],
    { seed, moments, onAcknowledged, judge }: Crashes,
  ): Promise<string[]> {
    const chosen = choices(randomFrom(seed + 1))
    const disk = new Disk()
    const found: string[] = []
    let at = 0
    for (const [round, moment] of [...moments, steps.length]
      .sort((one, other) => one - other)
      .entries()) {
      for (; at < moment; at++) {
        const step = steps[at] as Step
        if (step.type === 'A') onAcknowledged(JSON.parse(step.data.toString()))
        else disk.take(step)
      }
      const state = join(this.#folder, 'state')
      mkdirSync(state, { recursive: true })
      disk.writeAfterCrash(state, chosen[round % chosen.length] as Choice)
      found.push(...(await judge(state)).map((text) => `after step ${moment}: ${text}`))
      rmSync(state, { recursive: true })
    }
    return found
  }
}

/** How many syncs have failed. */
export const failuresIn = (steps: readonly Step[]): number =>
  steps.filter(({ type }) => type === 'F').length
