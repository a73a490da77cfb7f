/** Texts read as the types of a schema. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseJson } from '#component/codec/json.ts'
import { textReaderOf } from '#component/schema/coerce.ts'
import { parseQuery, parseQueryLists } from '#http/form.ts'

interface Rows {
  readonly named: Record<string, unknown>
  readonly cases: { it: string; type?: unknown; schema?: unknown; read?: Record<string, unknown> }[]
  readonly queries: {
    it: string
    schema?: unknown
    properties?: unknown
    query: string
    values: unknown
  }[]
}

const { named, cases, queries } = parseJson(
  readFileSync('test/cases/schema/typed-texts.json'),
) as Rows

describe('textReaderOf', () => {
  for (const { it: title, type, schema = { type }, read } of cases) {
    it(title, () => {
      const reader = textReaderOf({ properties: { x: schema } }, named, {
        lists: false,
        defaults: false,
      })
      const values = Object.keys(read ?? {}).map((x) => [x, reader?.({ x }).x])
      expect(reader === undefined ? undefined : Object.fromEntries(values)).to.deep.equal(read)
    })
  }

  for (const { it: title, properties, schema = { properties }, query, values } of queries) {
    it(title, () => {
      const reader = textReaderOf(schema, named, { lists: true, defaults: true })
      expect(reader?.(parseQuery(query), () => parseQueryLists(query))).to.deep.equal(values)
    })
  }

  it('is none where lists and defaults are not asked for and no type is read', () => {
    const schema = { properties: { a: { type: 'array', default: [] } } }
    expect(textReaderOf(schema, named, { lists: false, defaults: false })).to.equal(undefined)
  })
})
