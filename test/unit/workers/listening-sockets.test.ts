/** The sockets of a gateway of several processes: who is given a connection, and that none is forgotten. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { readConfig } from '#component/config/config.ts'
import { ListeningSockets, type Recipient } from '#component/workers/listening-sockets.ts'
import { until } from '#test/support/running/until.ts'

/** A recipient whose answers the test gives. */
class Hands implements Recipient {
  readonly offered: { listener: string; answer(isTaken: boolean): void }[] = []

  take(listener: string): Promise<boolean> {
    return new Promise((resolve) => this.offered.push({ listener, answer: resolve }))
  }
}

describe('the sockets of a gateway', () => {
  let sockets: ListeningSockets
  const clients: Socket[] = []

  beforeEach(async () => {
    sockets = new ListeningSockets()
    await sockets.open(
      readConfig(
        undefined,
        {},
        {
          'gateway.listen': '[127.0.0.1:0, 127.0.0.1:0]',
          'admin.listen': '127.0.0.1:0',
          'health.listen': '127.0.0.1:0',
        },
      ),
      4,
    )
  })

  afterEach(() => {
    sockets.close()
    for (const client of clients.splice(0)) client.destroy()
  })

  async function enter(
    face: 'admin' | 'gateway' | 'health' = 'gateway',
    index = 0,
  ): Promise<Socket> {
    const { port = 0 } = sockets.addresses[face][index] ?? {}
    const client = connect(port, '127.0.0.1')
    client.on('error', () => {})
    clients.push(client)
    await once(client, 'connect')
    return client
  }

  const offers = (hands: Hands, count: number) =>
    until(`${count} are offered`, () => hands.offered.length === count)

  it('says which listener a connection came by', async () => {
    const hands = new Hands()
    sockets.admit(hands)
    for (const [face, index] of [
      ['admin', 0],
      ['health', 0],
      ['gateway', 0],
      ['gateway', 1],
    ] as const) {
      await enter(face, index)
      await until('it is offered', () => hands.offered.at(-1)?.listener === `${face}.${index}`)
      hands.offered.at(-1)?.answer(true)
    }
  })

  it('gives connections in turn, and to nobody a second one who has not taken the first', async () => {
    const [one, other] = [new Hands(), new Hands()]
    sockets.admit(one)
    sockets.admit(other)
    for (let at = 0; at < 4; at++) await enter()
    await offers(one, 1)
    await offers(other, 1)
    one.offered[0]?.answer(true)
    await offers(one, 2)
    expect(other.offered).to.have.length(1)
    other.offered[0]?.answer(true)
    await offers(other, 2)
  })

  it('keeps connections until somebody is there', async () => {
    await enter()
    await enter()
    const hands = new Hands()
    sockets.admit(hands)
    await offers(hands, 1)
    hands.offered[0]?.answer(true)
    await offers(hands, 2)
  })

  it('gives to another what was not taken, before all that came later', async () => {
    const [one, other] = [new Hands(), new Hands()]
    sockets.admit(one)
    const first = await enter('gateway', 1)
    await offers(one, 1)
    await enter()
    one.offered[0]?.answer(false)
    await new Promise(setImmediate) // the sockets has heard it
    sockets.admit(other)
    await offers(other, 1)
    expect(other.offered[0]?.listener).to.equal('gateway.1')
    expect(first.destroyed).to.equal(false)
    expect(one.offered).to.have.length(1)
  })

  it('gives nothing to who was dismissed', async () => {
    const [one, other] = [new Hands(), new Hands()]
    sockets.admit(one)
    sockets.admit(other)
    sockets.dismiss(one)
    await enter()
    await offers(other, 1)
    other.offered[0]?.answer(true)
    await enter()
    await offers(other, 2)
    expect(one.offered).to.deep.equal([])
  })

  it('lets no more wait than a listener may hold', async () => {
    let turnedAway = 0
    for (let at = 0; at < 6; at++) {
      const client = await enter()
      client.once('close', () => {
        turnedAway += 1
      })
    }
    await until('two are turned away', () => turnedAway === 2)
  })

  it('ends who waits when it closes, and lets nobody in', async () => {
    const client = await enter()
    client.resume()
    sockets.close()
    await once(client, 'close')
    const { port = 0 } = sockets.addresses.gateway[0] ?? {}
    const late = connect(port, '127.0.0.1')
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).to.equal('ECONNREFUSED')
  })
})
