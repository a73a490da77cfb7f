/** The end of a sender: it is over once nothing is under way, of attempts and of claims. */
import { expect } from 'chai'
import { Sender } from '#component/delivery/sender.ts'
import type { ClaimedRow } from '#component/store/delivery-store.ts'

const waiting = {
  ...{ delivery: 'd', endpoint: 'ep_1', webhook_id: 'msg_1', seq: 1, key: null },
  ...{ due_at: 0, lease_until: 0, accepted_at: 0 },
}

const claimed = {
  ...{ delivery: 'd', endpoint: 'ep_1', webhook_id: 'msg_1', attempts: 1, sealed: '' },
} as unknown as ClaimedRow

const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function open() {
  const claim = Promise.withResolvers<readonly ClaimedRow[]>()
  const told: string[] = []
  let asked = 0
  const nothing = () => undefined
  const sender = new Sender({ limits: { concurrency: 1, timeoutMs: 1_000 } } as never, {
    rows: {
      due: async () => (asked++ === 0 ? [waiting] : []),
      claim() {
        told.push('claim')
        return claim.promise
      },
      async end({ state }) {
        told.push(`end ${state}`)
      },
      release: async () => [],
    },
    clock: { now: () => 1, random: () => 0, after: () => nothing },
    ...{ monotonic: () => 1, inTurn: queueMicrotask, open: nothing, onStop: nothing },
    ...{ onFailing: nothing, onAttempt: nothing, onDead: nothing, onOver: nothing },
    onBug: nothing,
  })
  return { claim, told, sender }
}

describe('a sender that is stopped', () => {
  it('is over once what it has claimed meanwhile is put back', async () => {
    const { claim, told, sender } = open()
    sender.start(null)
    await turns()
    expect(told).to.deep.equal(['claim'])
    const stopped = sender.stop(true).then(() => told.push('stopped'))
    await turns()
    expect(told).to.deep.equal(['claim'])
    claim.resolve([claimed])
    await stopped
    expect(told).to.deep.equal(['claim', 'end pending', 'stopped'])
  })

  it('is over where the claim fails', async () => {
    const { claim, told, sender } = open()
    sender.start(null)
    await turns()
    const stopped = sender.stop(false)
    claim.reject(new Error('the store is away'))
    await stopped
    expect(told).to.deep.equal(['claim'])
  })

  it('is over at once where nothing is under way', async () => {
    const { told, sender } = open()
    await sender.stop(true)
    expect(told).to.deep.equal([])
  })
})
