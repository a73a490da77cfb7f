/** What every Session promises about publications and events. */
import { expect } from 'chai'
import type { Payload } from '#component/wamp/session.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { freshUri, nothing, type Pair } from './support.ts'

/** Adds the tests. */
export function describeEvents(pair: Pair): void {
  it('publishes to subscribers and is told the publication', async () => {
    const uri = freshUri()
    const events: Payload[] = []
    await pair.other.subscribe(uri, (event) => events.push(event))
    const payload = { args: [0, 2n ** 60n], kwargs: { a: false } }
    const { publication_id } = await pair.session.publish(uri, payload, {}, 2000)
    expect(publication_id).to.be.greaterThan(0)
    await untilHolds(() => events.length > 0)
    expect(events).to.deep.equal([payload])
  })

  it('publishes without acknowledgement when told so', async () => {
    const uri = freshUri()
    let events = 0
    await pair.other.subscribe(uri, () => events++)
    const options = { acknowledge: false }
    expect(await pair.session.publish(uri, nothing, options, 2000)).to.deep.equal({})
    await untilHolds(() => events > 0)
    expect(pair.session.pending).to.equal(0)
  })

  it('passes exclude_me: false on', async () => {
    const uri = freshUri()
    let events = 0
    await pair.session.subscribe(uri, () => events++)
    await pair.session.publish(uri, nothing, { exclude_me: false }, 2000)
    await untilHolds(() => events > 0)
  })

  it('survives a handler of events that throws, and calls the others', async () => {
    const uri = freshUri()
    let events = 0
    await pair.session.subscribe(uri, () => {
      throw new Error('broken')
    })
    await pair.session.subscribe(uri, async () => {
      throw new Error('broken later')
    })
    await pair.session.subscribe(uri, () => events++)
    await pair.other.publish(uri, nothing, {}, 2000)
    await untilHolds(() => events > 0)
    expect(pair.session.isOpen).to.equal(true)
  })

  it('tells handlers which URI of a pattern was meant', async () => {
    const base = freshUri()
    const seen: string[] = []
    await pair.session.subscribe(base, (_event, { uri }) => seen.push(uri), { match: 'prefix' })
    await pair.other.publish(`${base}.a`, nothing, {}, 2000)
    await untilHolds(() => seen.length > 0)
    expect(seen).to.deep.equal([`${base}.a`])
  })
}
