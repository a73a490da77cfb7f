/** Compiled schemas that nobody holds any more: what is left of them in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { CompiledSchema } from '#component/schema/compiled.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const heapUsed = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

/** Compiles distinct schemas, checks a value by each, and drops them. */
function compileAndDrop(first: number, count: number): void {
  for (let index = first; index < first + count; index++) {
    const properties = { [`n${index}`]: { type: 'integer', minimum: 1, maximum: index + 10 } }
    const schema = { type: 'object', required: [`n${index}`], properties }
    expect(new CompiledSchema(schema, {}).fits({ [`n${index}`]: 3 })).to.equal('fits')
  }
}

describe('a compiled schema that was thrown away', () => {
  it('leaves less than a kilobyte behind', () => {
    compileAndDrop(0, 50)
    const before = heapUsed()
    compileAndDrop(50, 500)
    expect((heapUsed() - before) / 500).to.be.lessThan(1_024)
  })
})
