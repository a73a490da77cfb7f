/** Commits on their way to the disk: who waits for which write, and what a failure of the disk does. */
import { expect } from 'chai'
import { CommitLog } from '#component/store/sqlite/commit-log.ts'

/** A disk whose writes end when the test says so. */
function slowDisk() {
  const writes: PromiseWithResolvers<void>[] = []
  const log = new CommitLog(() => {
    const write = Promise.withResolvers<void>()
    writes.push(write)
    return write.promise
  })
  return { log, writes }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What has resolved, by name, in order. */
function watch(promises: Readonly<Record<string, Promise<void>>>): string[] {
  const done: string[] = []
  for (const [name, promise] of Object.entries(promises)) void promise.then(() => done.push(name))
  return done
}

describe('a log of commits', () => {
  it('asks the disk for nothing when nothing was committed', async () => {
    const { log, writes } = slowDisk()
    await log.flush()
    expect(writes).to.have.length(0)
  })

  it('waits for the disk, also for the commit of somebody else', async () => {
    const { log, writes } = slowDisk()
    log.note()
    const done = watch({ writer: log.flush(), reader: log.flush() })
    await turn()
    expect(done).to.deep.equal([])
    expect(writes).to.have.length(1)
    writes[0]?.resolve()
    await turn()
    expect(done).to.deep.equal(['writer', 'reader'])
  })

  it('brings what is committed during a write to the disk together, by the next one', async () => {
    const { log, writes } = slowDisk()
    log.note()
    const first = log.flush()
    log.note()
    const second = log.flush()
    log.note()
    const third = log.flush()
    const done = watch({ first, second, third })
    writes[0]?.resolve()
    await turn()
    expect(done).to.deep.equal(['first'])
    expect(writes).to.have.length(2)
    writes[1]?.resolve()
    await turn()
    expect(done).to.deep.equal(['first', 'second', 'third'])
  })

  it('rejects for all who wait when the disk fails, and tries again for the next one', async () => {
    const { log, writes } = slowDisk()
    log.note()
    const waiting = [log.flush(), log.flush()]
    writes[0]?.reject(new Error('broken'))
    const failures = await Promise.allSettled(waiting)
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    const again = log.flush()
    expect(writes).to.have.length(2)
    writes[1]?.resolve()
    await again
  })
})
