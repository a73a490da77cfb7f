/**
 * The power fails at random moments of the life of a gateway, with and without failed syncs and kills before: a gateway that starts on
 * what the disk has serves everything that its clients were told, and performs no order again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { randomFrom } from '#test/fuzz/random.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway } from '#test/support/gateway.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { startedAt } from '#test/support/started.ts'
import { withTestSettings } from '#test/support/test-settings.ts'
import { Clients, type Listening, Upstream, wrongWith } from './gateway-clients.ts'
import { Knowledge, type Known } from './known.ts'
import { failuresIn, type RecordedPlace, Recording, randomMoments, tell } from './recording.ts'

const main = join(import.meta.dirname, '../../../component/cli/main.ts')

/** Crashes of each run. */
const crashes = rounds(12, 400)
/** What the clients of a run do. */
const acts = rounds(120, 1_500)
/** Clients at once. */
const atOnce = 6
/** About one of so many acts comes with a kill of the process. */
const actsOfLife = 100

interface Run {
  readonly workers: number
  /** About one of so many syncs of a file fails; 0: none. */
  readonly failEvery: number
  readonly isKilled: boolean
}

const runs: Readonly<Record<string, Run>> = {
  'one process': { workers: 1, failEvery: 0, isKilled: false },
  'two workers': { workers: 2, failEvery: 0, isKilled: true },
  'one process, one of 20 syncs fails': { workers: 1, failEvery: 20, isKilled: true },
}

/** A gateway as a process that is started again wherever it ends. */
class Restarted {
  readonly at: Listening
  readonly #flags: readonly string[]
  readonly #place: RecordedPlace
  #child: ChildProcess | undefined
  #isOver = false
  #lives = Promise.resolve()

  constructor(place: RecordedPlace, settings: Readonly<Record<string, string>>, at: Listening) {
    this.#place = place
    this.#flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    this.at = at
  }

  /** Resolves when it serves for the first time. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lives = this.#live(resolve)
    await promise
  }

  async #live(onReady: () => void): Promise<void> {
    while (!this.#isOver) {
      const child = spawn(
        process.execPath,
        ['--disable-proto=delete', main, 'start', ...this.#flags],
        { env: { ...plainEnvironment(), ...this.#place.env }, stdio: ['ignore', 'pipe', 'ignore'] },
      )
      this.#child = child
      let said = ''
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk
        if (startedAt(said)) onReady()
      })
      await once(child, 'close')
    }
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#child?.kill('SIGTERM')
    await this.#lives
  }
}

describe('a power failure under a gateway', function () {
  this.timeout(rounds(300_000, 900_000))

  let recording: Recording
  let upstream: Upstream
  before(async () => {
    recording = new Recording()
    upstream = await Upstream.start()
  })
  after(() => {
    upstream.stop()
    recording.remove()
  })

  async function live(place: RecordedPlace, run: Run, seed: number): Promise<void> {
    const random = randomFrom(seed)
    const [port, adminPort] = [await freePort(), await freePort()]
    const settings = withTestSettings({
      ...{ data_dir: place.data, workers: String(run.workers), node: 'crash' },
      'gateway.listen': `127.0.0.1:${port}`,
      'admin.listen': `127.0.0.1:${adminPort}`,
      'log.format': 'json',
    })
    const at = { url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` }
    const gateway = new Restarted(place, settings, at)
    const say = (known: Known) => tell(place.log, known)
    upstream.onOrder = (performed) => say({ performed })
    await gateway.start()
    const clients = new Clients(at, random, say)
    await clients.prepare(upstream)
    let left = acts
    const client = async () => {
      while (left > 0) {
        left -= 1
        const { unanswered } = clients
        await clients.act()
        if (clients.unanswered > unanswered) {
          left += 1
          await new Promise((resolve) => setTimeout(resolve, 20))
        } else if (run.isKilled && random() < 1 / actsOfLife) gateway.kill()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, client))
    await gateway.stop()
  }

  for (const [index, [name, run]] of Object.entries(runs).entries()) {
    it(`takes nothing that its clients were told: ${name}; ${crashes} states of the disk`, async () => {
      const seed = 5_000 + 100 * index
      const steps = await recording.record(run.failEvery, (place) => live(place, run, seed))
      const knowledge = new Knowledge()
      const random = randomFrom(seed)
      const judge = async (state: string): Promise<readonly string[]> => {
        const gateway = await startGateway({ data_dir: state, node: 'crash' }, { isEmbedded: true })
        try {
          const areAnswersKept = run.failEvery === 0
          return await wrongWith(gateway, { known: knowledge, areAnswersKept, upstream, random })
        } finally {
          await gateway.stop()
        }
      }
      const found = await recording.crash(steps, {
        ...{ seed, moments: randomMoments(steps, seed, crashes) },
        onAcknowledged: (known) => knowledge.add(known as Known),
        judge: (state) => judge(state).catch((cause: unknown) => [`not started: ${cause}`]),
      })
      expect(found).to.deep.equal([])
      expect(failuresIn(steps) > 0, 'syncs have failed').to.equal(run.failEvery > 0)
      expect(knowledge.count).to.be.above(acts / 8)
    })
  }
})
