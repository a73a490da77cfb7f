/** Questions and answers between two processes: each is settled once, whatever becomes of the other process. */
import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { Channel, ChannelLost } from '#component/workers/ipc-channel.ts'

/** One end of an IPC channel in this process; messages arrive later, as copies. */
class End extends EventEmitter {
  connected = true
  other: End | undefined

  send(message: object): boolean {
    const copy: unknown = JSON.parse(JSON.stringify(message))
    setImmediate(() => this.other?.emit('message', copy))
    return true
  }
}

interface Questions {
  double(value: number): number
  fail(value: string): never
  wait(value: null): Promise<string>
  note(value: string): void
}

/** The failure of a question. */
const failureOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a channel between processes', () => {
  let near: End
  let asker: Channel<object, Questions>
  let notes: string[]
  let timers: (() => void)[]

  beforeEach(() => {
    near = new End()
    const far = new End()
    near.other = far
    far.other = near
    notes = []
    timers = []
    const clock = {
      after(_ms: number, callback: () => void) {
        timers.push(callback)
        return () => {
          timers = timers.filter((timer) => timer !== callback)
        }
      },
    }
    asker = new Channel<object, Questions>(near, {}, clock)
    new Channel<Questions, object>(
      far,
      {
        double: (value) => value * 2,
        fail: (value) => {
          throw new TypeError(value)
        },
        wait: () => new Promise(() => {}),
        note: (value) => void notes.push(value),
      },
      clock,
    )
  })

  it('gives each question its own answer, and keeps no timer', async () => {
    const answers = [1, 2, 3].map((value) => asker.ask('double', value))
    expect(await Promise.all(answers)).to.deep.equal([2, 4, 6])
    expect(timers).to.deep.equal([])
  })

  it('passes on what went wrong', async () => {
    expect(await failureOf(asker.ask('fail', 'so it is'))).to.include({ message: 'so it is' })
  })

  it('tells in the order of telling and asking', async () => {
    asker.tell('note', 'first')
    await asker.ask('note', 'second')
    expect(notes).to.deep.equal(['first', 'second'])
  })

  it('gives up when there is no answer in time', async () => {
    const failure = failureOf(asker.ask('wait', null, { limit: 7 }))
    for (const fire of timers) fire()
    expect(await failure)
      .to.be.instanceOf(Error)
      .and.not.instanceOf(ChannelLost)
  })

  for (const event of ['disconnect', 'close']) {
    it(`says that the other process has gone on ${event}`, async () => {
      const failure = failureOf(asker.ask('wait', null))
      near.emit(event)
      expect(await failure).to.be.instanceOf(ChannelLost)
      expect(timers).to.deep.equal([])
    })
  }

  it('asks nobody who has gone', async () => {
    near.connected = false
    expect(await failureOf(asker.ask('double', 1))).to.be.instanceOf(ChannelLost)
  })
})
