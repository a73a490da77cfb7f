/** Every key of every object of a specification: what is valid, and what is exactly one issue, and where. */
import { expect } from 'chai'
import { validateSpec } from '#component/spec/validate.ts'
import { withValue } from './document.ts'
import { path, show, tables } from './field-rows.ts'

const pointersOf = (at: string, value: unknown): string[] =>
  validateSpec(withValue(at, value)).issues.map((issue) => issue.path)

for (const [object, rows] of Object.entries(tables)) {
  describe(`the keys of ${object || 'a document'}`, () => {
    for (const [key, { valid, invalid = [], members = [] }] of Object.entries(rows)) {
      const at = `${object}/${key}`
      for (const value of valid) {
        it(`${key} may be ${show(value)}`, () => {
          expect(validateSpec(withValue(at, value)).issues).to.deep.equal([])
        })
      }
      for (const value of invalid) {
        it(`${key} may not be ${show(value)}`, () => {
          expect(pointersOf(at, value)).to.deep.equal([at])
        })
      }
      for (const [value, below] of members) {
        it(`${key} may not be ${show(value)} because of ${below}`, () => {
          expect(pointersOf(at, value)).to.deep.equal([at + below])
        })
      }
    }
  })
}

describe('required keys', () => {
  for (const at of [
    '/id',
    '/host',
    '/realm_uri',
    '/versions',
    '/versions/1/base_path',
    '/versions/1/paths',
    `${path}/get/action`,
    `${path}/get/response`,
    `${path}/get/action/type`,
    `${path}/put/action/host`,
    `${path}/post/action/procedure`,
    `${path}/patch/action/topic`,
  ]) {
    it(`${at} is reported where it is missing`, () => {
      expect(pointersOf(at, undefined)).to.deep.equal([at])
    })
  }
})
