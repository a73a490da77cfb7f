/** The requests in flight. */
import { expect } from 'chai'
import { ActiveRequests } from '#http/active-requests.ts'

const member = (name: string) => ({ name, place: -1 })

describe('the crowd of requests in flight', () => {
  it('has whoever was added and has not left, whichever order they leave in', () => {
    const crowd = new ActiveRequests<ReturnType<typeof member>>()
    const [a, b, c, d] = [member('a'), member('b'), member('c'), member('d')]
    for (const one of [a, b, c, d]) crowd.add(one)
    crowd.delete(b)
    expect(crowd.all().map(({ name }) => name)).to.have.members(['a', 'c', 'd'])
    crowd.delete(d)
    crowd.delete(a)
    expect(crowd.all()).to.deep.equal([c])
    crowd.delete(c)
    expect(crowd.size).to.equal(0)
  })

  it('is not touched by one that leaves twice or was never there', () => {
    const crowd = new ActiveRequests<ReturnType<typeof member>>()
    const [a, b] = [member('a'), member('b')]
    crowd.add(a)
    crowd.add(b)
    crowd.delete(a)
    crowd.delete(a)
    crowd.delete(member('stranger'))
    expect(crowd.all()).to.deep.equal([b])
  })

  it('may change while all are walked', () => {
    const crowd = new ActiveRequests<ReturnType<typeof member>>()
    for (let at = 0; at < 10; at += 1) crowd.add(member(`${at}`))
    for (const one of crowd.all()) crowd.delete(one)
    expect(crowd.size).to.equal(0)
  })
})
