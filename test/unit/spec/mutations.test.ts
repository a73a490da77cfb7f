/** Documents at random: validation never throws, and whatever it refuses, it says where. */
import { expect } from 'chai'
import fc from 'fast-check'
import { validateSpec } from '#component/spec/validate.ts'
import { makeDocument } from './document.ts'

/** Every place of a value, as the keys on the way to it. */
function placesOf(value: unknown, way: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...way]]
  const below = Object.entries(value).flatMap(([key, member]) => placesOf(member, [...way, key]))
  return [[...way], ...below]
}

/** The document with one value replaced. */
function replace(value: unknown, way: readonly string[], by: unknown): unknown {
  const [key, ...rest] = way
  if (key === undefined) return by
  const map = value as Readonly<Record<string, unknown>>
  return { ...map, [key]: replace(map[key], rest, by) }
}

const places = placesOf(makeDocument())

/** Does the pointer lead to something in the document, or to a key that is missing in it? */
function leads(document: unknown, pointer: string): boolean {
  let value = document
  for (const key of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return false
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
  }
  return true
}

describe('documents at random', () => {
  it('with one value replaced by any other have issues at existing or missing keys only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
        const document = replace(makeDocument(), place, value)
        const { issues } = validateSpec(document)
        for (const { path, message } of issues) {
          expect(leads(document, path), `${path}: ${message}`).to.equal(true)
        }
        expect(new Set(issues.map(({ path }) => path)).size).to.equal(issues.length)
      }),
      { numRuns: 2000 },
    )
  })

  it('may be anything at all', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (document) => {
        expect(validateSpec(document).issues).to.not.have.length(0)
      }),
      { numRuns: 1000 },
    )
  })
})
