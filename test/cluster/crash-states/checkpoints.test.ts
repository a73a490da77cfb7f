/**
 * A sync of the database fails, or a write into it, while its log is written into it, and the power fails at any later moment: pages
 * that the disk has refused are written again before the log begins anew.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { holdsWithin } from '#test/cluster/cluster.ts'
import { rounds } from '#test/support/running/rounds.ts'
import type { Command, Done, Failure } from './commanded-run.ts'
import { type Promised, Promises } from './promised.ts'
import { failuresIn, type RecordedPlace, Recording } from './recording.ts'

const program = fileURLToPath(new URL('./commanded-run.ts', import.meta.url))

/** Bytes of a document, of which six are a checkpoint. */
const bytes = 400_000
/** Moments after the first failure at which the power fails, in each of the four ways. */
const moments = rounds(4, 20)

/** A process with the store open. */
class Peer {
  readonly #child: ChildProcess

  constructor({ data, log, env }: RecordedPlace, name: string) {
    this.#child = spawn(process.execPath, [program, data, log, name], {
      ...{ env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    })
  }

  async do(command: Command): Promise<Done> {
    const done = once(this.#child, 'message')
    this.#child.send(command)
    const [answer] = await done
    return answer as Done
  }

  open = () => this.do({ open: true })
  load = (count: number) => this.do({ load: count, bytes })
  fail = (failure: Failure) => this.do({ fail: failure })

  /** Closes the store, and opens it again as a gateway does that is started again. */
  async reopen(): Promise<void> {
    await this.do({ close: true })
    while (!(await this.open()).kept);
  }

  /** As a process ends that has stopped its gateway. */
  async close(): Promise<void> {
    await this.do({ close: true })
    await this.kill()
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

/** Starts a process of this name. */
type Start = (name: string) => Promise<Peer>

/** Brings a part of the log into the database: the rest is behind what a reader sees. */
async function checkpointPartly(peer: Peer, reading = peer): Promise<void> {
  await peer.load(3)
  await reading.do({ hold: true })
  await peer.load(6)
  await reading.do({ release: true })
}

const sync: Failure = { what: 'sync', file: 'gateway.db' }
const syncOfLog: Failure = { what: 'sync', file: 'gateway.db-wal' }
const write: Failure = { what: 'write', file: 'gateway.db' }
const noSpace = 28

/** Loads of several checkpoints. */
const many = 18

/** What happens before the power fails. */
const runs: Readonly<Record<string, (start: Start) => Promise<unknown>>> = {
  async 'the sync of a checkpoint after one that a reader has held back'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail(sync)
    await one.load(many)
  },
  async 'three syncs, one after the other'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 3 })
    await one.load(2 * many)
  },
  async 'all syncs for long, beside many commits'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 1000 })
    const { logBytes } = await one.load(2 * many)
    // each document in two tables, and all pages once
    expect(logBytes).to.be.below(2.1 * (9 + 2 * many) * bytes + 15_000_000)
  },
  async 'the syncs of the third and the sixth checkpoint, none of which was held back'(start) {
    const one = await start('one')
    await one.fail({ ...sync, after: 2 })
    await one.fail({ ...sync, after: 4 })
    await one.load(2 * many)
  },
  async 'a sync after each of two checkpoints that a reader has held back'(start) {
    const one = await start('one')
    for (let round = 0; round < 2; round++) {
      await checkpointPartly(one)
      await one.fail(sync)
      await one.load(many)
    }
  },
  async 'a sync while a reader holds the checkpoint back again'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail(sync)
    await one.load(3)
    await checkpointPartly(one)
    await one.load(many)
  },
  async 'the first sync of the database'(start) {
    const one = await start('one')
    await one.fail(sync)
    await one.load(many)
  },
  async 'the sync of the first commit'(start) {
    const one = await start('one')
    await one.fail(syncOfLog)
    await one.load(many)
  },
  async 'the sync of the log at the checkpoint, and the next ones'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...syncOfLog, count: 3 })
    await one.load(many)
  },
  async 'the sync of a log that begins anew'(start) {
    const one = await start('one')
    await one.load(7)
    await one.fail({ ...syncOfLog, count: 2 })
    await one.load(many)
  },
  async 'a write into the database after a checkpoint that a reader has held back'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...write, after: 30 })
    await one.fail(sync)
    await one.load(many)
  },
  async 'a write that makes the database longer, for want of space'(start) {
    const one = await start('one')
    await one.fail({ ...write, after: 100, count: 2, error: noSpace })
    await checkpointPartly(one)
    await one.fail(sync)
    await one.load(many)
  },
  async 'a sync for want of space'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, error: noSpace })
    await one.load(many)
  },
  async 'the sync of a checkpoint that cuts the log'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail(sync)
    await one.do({ shrink: true })
    await one.load(many)
  },
  async 'the sync when the store is closed'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 5 })
    await one.close()
    const next = await start('next')
    await next.load(many)
  },
  async 'a sync before the store is closed'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 2 })
    await one.load(6)
    await one.close()
    const next = await start('next')
    await next.load(many)
  },
  async 'a sync before the process is killed'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail(sync)
    await one.load(6)
    await one.kill()
    const next = await start('next')
    await next.load(many)
  },
  async 'the sync of a checkpoint of another process'(start) {
    const [one, two] = [await start('one'), await start('two')]
    await checkpointPartly(one)
    await two.fail(sync)
    await two.load(6)
    await one.load(many)
    await two.load(many)
  },
  async 'the sync of a checkpoint that a reader in another process has held back'(start) {
    const [one, two] = [await start('one'), await start('two')]
    await checkpointPartly(one, two)
    await one.fail(sync)
    await one.load(6)
    await two.load(many)
    await one.load(many)
  },
  async 'a sync in a process that is killed, beside one that was opened after it'(start) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 2 })
    await one.load(6)
    const two = await start('two')
    await one.kill()
    await two.load(many)
  },
  async 'a sync in a process that is killed, beside one that was opened after it and only closes'(
    start,
  ) {
    const one = await start('one')
    await checkpointPartly(one)
    await one.fail({ ...sync, count: 2 })
    await one.load(6)
    const two = await start('two')
    await one.kill()
    await two.close()
    const next = await start('next')
    await next.load(many)
  },
  async 'the sync of the folder when the log is made'(start) {
    const one = await start('one')
    await one.load(1)
    // the first one is that of the close
    await one.fail({ what: 'sync', file: '.', after: 1 })
    await one.reopen()
    await one.load(many)
  },
}

describe('a checkpoint', () => {
  /** Two processes with one store, on a disk whose syncs take so long. */
  async function withTwo(syncUs: number, act: (one: Peer, two: Peer) => Promise<void>) {
    const recording = new Recording()
    try {
      await recording.record(
        0,
        async (place) => {
          const [one, two] = [new Peer(place, 'one'), new Peer(place, 'two')]
          try {
            await one.open()
            await two.open()
            await act(one, two)
          } finally {
            await Promise.all([one.kill(), two.kill()])
          }
        },
        syncUs,
      )
    } finally {
      recording.remove()
    }
  }

  it('whose sync fails is told as a fault of the process, until one has succeeded', () =>
    withTwo(200, async (one, two) => {
      const isTold = async (fault: string | null) => (await one.do({ tell: true })).fault === fault
      await one.fail({ ...sync, count: 2 })
      expect((await one.load(6)).kept).to.equal(6)
      expect(await holdsWithin(60_000, () => isTold('failed'))).to.equal(true)
      expect((await one.load(1)).kept, 'writes go on').to.equal(1)
      expect(await isTold('failed')).to.equal(true)
      expect((await two.do({ tell: true })).fault).to.equal(null)
      expect(await holdsWithin(60_000, () => isTold(null))).to.equal(true)
    }))

  for (const [file, failure] of Object.entries({ 'the log': syncOfLog, 'the database': sync })) {
    it(`that fails by ${file} is over in every process once writes succeed, whoever wrote`, () =>
      withTwo(200, async (one, two) => {
        const faults = async () => [one, two].map((peer) => peer.do({ tell: true }))
        const areTold = async (...fault: (string | null)[]) =>
          isDeepStrictEqual(
            (await Promise.all(await faults())).map((done) => done.fault),
            fault,
          )
        await Promise.all([one.load(3), two.load(3)])
        await one.fail({ ...failure, count: 2 })
        await two.fail({ ...failure, count: 2 })
        await Promise.all([one.load(8), two.load(8)])
        expect(await holdsWithin(60_000, () => areTold('failed', 'failed'))).to.equal(true)
        // one of them writes, the other one only looks
        await one.load(2)
        expect(await holdsWithin(60_000, () => areTold(null, null))).to.equal(true)
        expect([(await one.load(1)).kept, (await two.load(1)).kept]).to.deep.equal([1, 1])
      }))
  }

  it('keeps the log short while two processes write without a pause, on a slow disk', () =>
    withTwo(15_000, async (one, two) => {
      const small = { load: 250, bytes: 20_000 }
      const ends = await Promise.all([one.do(small), two.do(small)])
      expect(ends.map(({ kept }) => kept)).to.deep.equal([250, 250])
      // all of them are 40 MB; a checkpoint is due after each 4 MB
      expect(Math.max(...ends.map(({ logBytes }) => logBytes))).to.be.below(16_000_000)
    }))
})

describe('a power failure after a failed checkpoint', () => {
  let recording: Recording
  before(() => {
    recording = new Recording()
  })
  after(() => recording.remove())

  for (const [name, run] of Object.entries(runs)) {
    it(`takes nothing that was acknowledged: ${name}`, async () => {
      const peers: Peer[] = []
      const steps = await recording.record(0, async (place) => {
        const start = async (called: string) => {
          const peer = new Peer(place, called)
          peers.push(peer)
          await peer.open()
          return peer
        }
        try {
          await run(start)
        } finally {
          for (const peer of peers) await peer.kill()
        }
      })
      const first = steps.findIndex(({ type }) => type === 'F')
      const promises = new Promises()
      const found = await recording.crash(steps, {
        ...{ seed: 1, moments: everyMoment(first, steps.length) },
        onAcknowledged: (promised) => promises.add(promised as Promised),
        judge: (state) =>
          promises
            .missingIn(join(state, 'gateway.db'))
            .catch((cause: unknown) => [`not opened: ${cause}`]),
      })
      expect(found.length, found[0]).to.equal(0)
      expect(failuresIn(steps), 'syncs have failed').to.be.above(0)
    })
  }
})

/** Moments between two steps, each four times: once for each way in which the power fails. */
function everyMoment(from: number, to: number): number[] {
  const length = (to - from) / moments
  const spread = Array.from({ length: moments }, (_, index) => from + Math.ceil(index * length))
  return spread.flatMap((moment) => [moment, moment, moment, moment])
}
