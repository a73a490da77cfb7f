/** docs/realm.md is printed from the rules, says something of every key, and shows what a load takes without a warning. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { realmPage } from '#component/realm/documents/realm-docs.ts'
import { realm, validateRealm } from '#component/realm/documents/realm-rules.ts'
import { Report } from '#component/spec/report.ts'
import type { JsonSchema } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/realm.md'), 'utf8')

function found(document: unknown) {
  const report = new Report()
  validateRealm(document, '', report)
  return { issues: report.issues, warnings: report.warnings }
}

const nothing = { issues: [], warnings: [] }

/** A value made of the examples of a schema, of those at a position; undefined where there are none. */
function sample(schema: JsonSchema, position: number): unknown {
  const { examples, properties, items, deprecated } = schema
  if (deprecated === true) return undefined
  if (Array.isArray(examples)) return examples[position] ?? examples[0]
  if (isMap(items)) return [sample(items, position)]
  if (!isMap(properties)) return undefined
  const members = Object.entries(properties).map(([key, member]) => [
    key,
    sample(member as JsonSchema, position),
  ])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** The places of keys without a description. */
function undescribed(schema: JsonSchema, path = ''): string[] {
  const { properties, items, additionalProperties, description } = schema
  const inner = Object.entries(isMap(properties) ? properties : {}).flatMap(([key, member]) =>
    undescribed(member as JsonSchema, `${path}/${key}`),
  )
  const ofMembers = [items, additionalProperties].flatMap((member) =>
    isMap(member) && isMap(member.properties) ? undescribed(member, `${path}/*`) : [],
  )
  return [...(typeof description === 'string' ? [] : [path]), ...inner, ...ofMembers]
}

describe('docs/realm.md', () => {
  it('is what the rules print', () => {
    expect(page, 'run: npm run docs').to.equal(realmPage())
  })

  it('shows a document that a load takes without a warning', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
    expect(found(JSON.parse(example))).to.deep.equal(nothing)
  })

  for (const position of [0, 1]) {
    it(`shows examples that a load takes without a warning: number ${position + 1}`, () => {
      const document = sample(realm.schema, position)
      expect(Object.keys(document as object)).to.include.members(['users', 'grants', 'oauth2'])
      expect(found(document)).to.deep.equal(nothing)
    })
  }

  it('says what every key is for', () => {
    expect(undescribed(realm.schema)).to.deep.equal([])
  })
})
