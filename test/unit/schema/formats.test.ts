/** Texts that fit a format, and texts that do not. */
import { expect } from 'chai'
import { Validators } from '#component/schema/validators.ts'
import cases from '#test/cases/schema/formats.json' with { type: 'json' }

const validators = new Validators()
const fits = (format: string, text: string): boolean =>
  validators.of({ format }, {}).mistakesOf(text, '') === undefined

describe('a format', () => {
  for (const [format, texts] of Object.entries(cases)) {
    for (const text of texts.fits)
      it(`${format} is that of ${JSON.stringify(text)}`, () => {
        expect(fits(format, text)).to.equal(true)
      })
    for (const text of texts.fails)
      it(`${format} is not that of ${JSON.stringify(text)}`, () => {
        expect(fits(format, text)).to.equal(false)
      })
  }

  it('takes texts of 2,048 characters for what they are, and longer ones for no host, URI or time', () => {
    const uri = `a:${'b'.repeat(2046)}`
    expect([fits('uri', uri), fits('uri', `${uri}b`)]).to.deep.equal([true, false])
  })

  it('spends the budget of a check on international host names', () => {
    const names = Array.from({ length: 5_000 }, () => 'xn--zca.'.repeat(31).slice(0, -1))
    const validator = validators.of({ items: { format: 'hostname' } }, {})
    expect(validator.mistakesOf(names, '')).to.deep.equal([
      { path: '', message: 'too costly to check', keyword: '' },
    ])
  })
})
