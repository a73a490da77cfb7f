/** What is made of a text is made once, within bounds. */
import { expect } from 'chai'
import { remembered } from '#component/syntax/remembered.ts'

/** A function that is remembered, and the texts of which it made something. */
function counted<T>(make: (text: string) => T) {
  const texts: string[] = []
  const get = remembered((text) => {
    texts.push(text)
    return make(text)
  })
  return { texts, get }
}

describe('what is made of a text', () => {
  it('is made once, and is the same value', () => {
    const { texts, get } = counted((text) => ({ text }))
    expect(get('a')).to.equal(get('a'))
    expect(get('b')).to.deep.equal({ text: 'b' })
    expect(texts).to.deep.equal(['a', 'b'])
  })

  it('is kept of 1,000 texts; one more forgets them all', () => {
    const { texts, get } = counted((text) => text.length)
    const all = Array.from({ length: 1001 }, (_, index) => `t${index}`)
    for (const text of all.slice(0, 1000)) get(text)
    get('t0')
    expect(texts).to.have.length(1000)
    get('t1000')
    get('t0')
    expect(texts.slice(1000)).to.deep.equal(['t1000', 't0'])
  })

  for (const [title, text, make] of [
    ['of more than 500 characters', 'a'.repeat(501), () => 1],
    ['of which nothing is made', 'a', () => undefined],
  ] as const) {
    it(`is not kept of a text ${title}`, () => {
      const { texts, get } = counted(make)
      get(text)
      get(text)
      expect(texts).to.deep.equal([text, text])
    })
  }

  it('is not kept where it fails', () => {
    const { texts, get } = counted(() => expect.fail('malformed'))
    for (const _ of [1, 2]) expect(() => get('a')).to.throw('malformed')
    expect(texts).to.have.length(2)
  })
})
