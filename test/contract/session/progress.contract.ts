/** What every Session promises about the progressive results of its calls. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { failureOf, freshUri, nothing, type Pair, realm_uri } from './support.ts'

/** A callee that answers as a test says. */
interface Callee {
  readonly uri: string
  /** The next invocation. */
  invocation(): Promise<{ readonly id: unknown; readonly details: unknown }>
  /** YIELD with `progress`, its arguments the numbers from one to another. */
  pieces(id: unknown, from: number, to: number): void
  readonly peer: RouterPeer
}

async function openCallee(url: string): Promise<Callee> {
  const peer = await RouterPeer.join({ url, realm: realm_uri })
  const uri = freshUri()
  await peer.register(uri)
  return {
    uri,
    peer,
    async invocation() {
      const [type, id, , details] = await peer.next()
      expect(type).to.equal(68)
      return { id, details }
    },
    pieces(id, from, to) {
      for (let number = from; number <= to; number++) {
        peer.send(70, id, { progress: true }, [number], { even: number % 2 === 0 })
      }
    },
  }
}

/** Adds the tests. */
export function describeProgress(pair: Pair): void {
  let callee: Callee

  beforeEach(async () => {
    callee = await openCallee(pair.url)
  })
  afterEach(() => callee.peer.cut())

  const collect = (pieces: unknown[], onPiece: (count: number) => void = () => undefined) =>
    pair.session.call(callee.uri, nothing, {}, 5000, ({ args }) => {
      pieces.push(args[0])
      onPiece(pieces.length)
    })

  /** One more call of the same session: everything that the router sent before has come. */
  const oneMore = async () => {
    const uri = freshUri()
    await pair.other.register(uri, (payload) => payload)
    await pair.session.call(uri, nothing, {}, 5000).result
  }

  for (const count of [0, 1, 1000]) {
    it(`gives ${count} pieces in order, then the result`, async () => {
      const pieces: unknown[] = []
      const { result } = collect(pieces)
      const { details, id } = await callee.invocation()
      expect(details).to.include({ receive_progress: true })
      callee.pieces(id, 1, count)
      callee.peer.send(70, id, {}, ['the result'])
      expect((await result).args).to.deep.equal(['the result'])
      expect(pieces).to.deep.equal(Array.from({ length: count }, (_, index) => index + 1))
      expect(pair.session.pending).to.equal(0)
    })
  }

  it('gives a piece as a result, with the request id of the call', async () => {
    const seen: unknown[] = []
    const { result } = pair.session.call(callee.uri, nothing, {}, 5000, (piece) => seen.push(piece))
    const { id } = await callee.invocation()
    callee.pieces(id, 2, 2)
    callee.peer.send(70, id, {})
    const { request_id } = await result
    expect(seen).to.deep.equal([
      { request_id, details: { progress: true }, args: [2], kwargs: { even: true } },
    ])
  })

  it('rejects with an ERROR that comes after 3 pieces', async () => {
    const pieces: unknown[] = []
    const { result } = collect(pieces)
    const { id } = await callee.invocation()
    callee.pieces(id, 1, 3)
    callee.peer.send(8, 68, id, {}, 'com.example.error.broken', ['after three'])
    const { error_uri, args } = await failureOf(result)
    expect({ error_uri, args }).to.deep.equal({
      error_uri: 'com.example.error.broken',
      args: ['after three'],
    })
    expect(pieces).to.deep.equal([1, 2, 3])
  })

  it('gives no piece after it was cancelled, and interrupts the callee', async () => {
    const pieces: unknown[] = []
    const call = collect(pieces, (count) => count === 2 && call.cancel())
    const { id } = await callee.invocation()
    callee.pieces(id, 1, 3)
    expect((await failureOf(call.result)).error_uri).to.equal('wamp.error.canceled')
    const [type, interrupted] = await callee.peer.next()
    expect([type, interrupted]).to.deep.equal([69, id])
    callee.pieces(id, 4, 6)
    callee.peer.send(70, id, {})
    await callee.peer.drain()
    await oneMore()
    expect(pieces).to.deep.equal([1, 2])
  })

  it('is cancelled by a listener that throws, and lives on', async () => {
    const call = pair.session.call(callee.uri, nothing, {}, 5000, () => {
      throw new Error('broken')
    })
    const { id } = await callee.invocation()
    callee.pieces(id, 1, 2)
    expect((await failureOf(call.result)).error_uri).to.equal('service.error.internal')
    expect((await callee.peer.next())[0]).to.equal(69)
    await oneMore()
    expect(pair.session.isOpen).to.equal(true)
  })

  it('asks for no pieces without a listener', async () => {
    const { result } = pair.session.call(callee.uri, nothing, {}, 5000)
    const { details, id } = await callee.invocation()
    expect(details).not.to.have.property('receive_progress')
    callee.peer.send(70, id, {}, ['the result'])
    expect((await result).args).to.deep.equal(['the result'])
  })
}
