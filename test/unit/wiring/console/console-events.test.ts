/** Which consoles get which events. */
import { expect } from 'chai'
import { ConsoleEvents, type EventReader } from '#component/wiring/console/console-events.ts'

type Seen = EventReader & { readonly seen: string[] }

function reader(within?: string): Seen {
  const seen: string[] = []
  return { within, seen, tell: (name) => seen.push(name), end: () => seen.push('(end)') }
}

describe('the events of consoles', () => {
  it('of a realm go to operators of that realm and of all realms', () => {
    const events = new ConsoleEvents()
    const [all, one, other] = [reader(), reader('com.one'), reader('com.other')]
    for (const each of [all, one, other]) events.open(each)
    events.tell({ name: 'a', data: {}, realm_uri: 'com.one' })
    events.tell({ name: 'b', data: {}, realm_uri: undefined })
    expect([all.seen, one.seen, other.seen]).to.deep.equal([['a', 'b'], ['a'], []])
  })

  it('are made for each realm, and left out where there is nothing to tell', () => {
    const events = new ConsoleEvents()
    const [all, one] = [reader(), reader('com.one')]
    for (const each of [all, one]) events.open(each)
    events.tellEach('stats', (within) => (within === undefined ? {} : undefined))
    expect([all.seen, one.seen]).to.deep.equal([['stats'], []])
  })

  it('are asked for when the first console opens, and no more when the last has gone', () => {
    const events = new ConsoleEvents()
    const calls: string[] = []
    events.onFirst = () => calls.push('first')
    events.onNone = () => calls.push('none')
    const [close, closeOther] = [events.open(reader()), events.open(reader())]
    close()
    close()
    expect([calls, events.isWatched]).to.deep.equal([['first'], true])
    closeOther()
    expect([calls, events.isWatched]).to.deep.equal([['first', 'none'], false])
  })

  it('end with the process, which takes no further console', () => {
    const events = new ConsoleEvents()
    const one = reader()
    events.open(one)
    events.close()
    expect(one.seen).to.deep.equal(['(end)'])
    expect(() => events.open(reader())).to.throw('this node is stopping')
  })
})
