/** Two texts side by side in the console. */
import { expect } from 'chai'
import fc from 'fast-check'
import { sideBySide, withoutSame } from '#http/console/page/lib/diff.js'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })

describe('two texts side by side', () => {
  it('are both whole, and equal lines stand beside each other', () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const rows = sideBySide(one.join('\n'), other.join('\n'))
        const side = (name: 'left' | 'right') =>
          rows.flatMap((row) => (row[name] === undefined ? [] : [row[name]])).join('\n')
        expect([side('left'), side('right')]).to.deep.equal([one.join('\n'), other.join('\n')])
        for (const { left, right, isSame } of rows) if (isSame) expect(left).to.equal(right)
      }),
      { numRuns: 500 },
    )
  })

  it('differ in as few lines as possible', () => {
    const rows = sideBySide('a\nb\nc\nd', 'a\nx\nb\nd')
    expect(rows.map(({ left, right, isSame }) => [left, right, isSame])).to.deep.equal([
      ['a', 'a', true],
      [undefined, 'x', false],
      ['b', 'b', true],
      ['c', undefined, false],
      ['d', 'd', true],
    ])
  })

  it('have the numbers of their lines', () => {
    const [, , last] = sideBySide('a\nb', 'a\nx\nb')
    expect(last).to.include({ leftLine: 2, rightLine: 3 })
  })

  it('are shown without the long parts that are equal', () => {
    const many = Array.from({ length: 40 }, (_, index) => String(index))
    const changed = many.with(20, 'x')
    const shown = withoutSame(sideBySide(many.join('\n'), changed.join('\n')), 2)
    expect(shown).to.have.length(7)
    expect(shown[0]).to.deep.equal({ skipped: 18 })
    expect(shown.at(-1)).to.deep.equal({ skipped: 17 })
  })

  it('are compared in short time where nothing is equal', () => {
    const many = (name: string) =>
      Array.from({ length: 4_000 }, (_, index) => `${name}${index}`).join('\n')
    expect(sideBySide(many('a'), many('b'))).to.have.length(4_000)
  })
})
