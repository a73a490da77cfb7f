/** The tables in test/cases/expression: each row is a test, its expression the title. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { functionNames } from '#component/expression/functions/functions.ts'
import { type Ending, evaluateText, type Given } from './context.ts'
import { deafProbe } from './probes.ts'

interface Row {
  /** Usually a text; a map or list where a whole value is meant. */
  readonly expression: unknown
  readonly result?: unknown
  /** What the message contains. */
  readonly error?: string
  /** What the client is told, when the request is at fault; null: the document is. */
  readonly ofRequest?: string | null
  /** When it is known: at load, or per request. */
  readonly stage1?: 'value' | 'deferred'
  /** false: the error is about a whole value, so there is no column. */
  readonly caret?: boolean
  readonly comment?: string
}

interface Table {
  readonly comment?: string
  /** Does each row hold as well with the variables as data of the request? */
  readonly twins?: boolean
  readonly given: Given
  readonly cases: readonly Row[]
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Keeps the digits of integers beyond 2^53. */
const exactly: Reviver = (_key, value, { source = '' }) =>
  typeof value === 'number' &&
  !Number.isSafeInteger(value) &&
  Number.isInteger(value) &&
  !source.includes('e')
    ? BigInt(source)
    : value

const folder = join(import.meta.dirname, '../../cases/expression')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))

function expectEnding(row: Row, ending: Ending): void {
  if (row.error === undefined) {
    expect(ending.error).to.equal(undefined)
    expect(ending.result).to.deep.equal(row.result)
  } else {
    expect(ending.error, 'error').to.contain(row.error)
    if (row.caret !== false) expect(ending.error).to.contain('^')
    if (row.ofRequest !== undefined) expect(ending.ofRequest ?? null).to.equal(row.ofRequest)
  }
}

function describeTable(name: string, { given, cases, twins }: Table): void {
  describe(`expression cases: ${name}`, () => {
    for (const row of cases) {
      const text =
        typeof row.expression === 'string' ? row.expression : JSON.stringify(row.expression)
      const outcome = row.error === undefined ? 'yields' : 'refuses'
      it(`${outcome} ${text.slice(0, 120)}`, () => {
        const ending = evaluateText(row.expression, given)
        expectEnding(row, ending)
        if (row.stage1) expect(ending.stage1).to.equal(row.stage1)
        expect(evaluateText(row.expression, given, deafProbe), 'watched').to.deep.equal(ending)
      })
      if (!twins) continue
      it(`${outcome} ${text.slice(0, 120)} deferred`, () => {
        const moved = text.replaceAll('variables.', 'request.body.')
        const ending = evaluateText(moved, { request: { body: given.variables } })
        expectEnding(row, ending)
        const isLoadError = row.error !== undefined && row.stage1 === 'value'
        if (isLoadError) expect(ending.stage1).to.equal('value')
      })
    }
  })
}

for (const file of files) {
  const text = readFileSync(join(folder, file), 'utf8')
  describeTable(file.slice(0, -5), JSON.parse(text, exactly as never) as Table)
}

describe('the tables of expression cases', () => {
  for (const name of functionNames) {
    it(`have one for ${name}`, () => {
      expect(files).to.include(`function-${name.replace(':', '-')}.json`)
    })
  }
})
