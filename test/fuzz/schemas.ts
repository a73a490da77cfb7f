/** Random schemas: what a load accepts compiles, and judges every value in bounded time. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { judging } from '#component/schema/judge.ts'
import { Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'
import { randomFrom } from './random.ts'
import { largeValue, randomNamed, randomSchema, randomValue } from './random-schemas.ts'

/** What the schemas of one run came to. */
export interface SchemaFuzz {
  readonly accepted: number
  /** Anything that went wrong: the schema, and how. */
  readonly crashed: readonly string[]
  /** Milliseconds of the slowest check of a value, and the check. */
  readonly slowest: number
  readonly slowestCheck: string
}

/** Checks are repeated where one takes longer: the machine may have been busy. */
const patience = 50
const repetitions = 3

/** Of a hundred values of a schema, this many are large. */
const largeOnes = 2

const metaSchema = new Ajv2020({ strict: false, logger: false, validateFormats: false })

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))

/** Integers as drafts know them: the meta-schema has no BigInt. */
const plain = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (_key, part: unknown) =>
      typeof part === 'bigint' ? Number(part) : part,
    ),
  )

/**
 * Judges random schemas, and checks random values against those that are accepted.
 * @param values how many values for each schema
 */
export function fuzzSchemas({
  count,
  values,
  seed,
}: {
  count: number
  values: number
  seed: number
}): SchemaFuzz {
  const random = randomFrom(seed)
  const crashed: string[] = []
  let accepted = 0
  let slowest = 0
  let slowestCheck = ''
  let validators = new Validators()
  for (let index = 0; index < count; index++) {
    // so that what is thrown away is seen, too
    if (index % 5_000 === 0) validators = new Validators()
    const named = randomNamed(random)
    const schema = randomSchema(random)
    const fail = (what: string, value?: unknown) =>
      crashed.push(`${what}: ${textOf({ schema, named, value })}`)
    try {
      const findings = { issues: [], warnings: [] }
      runAtOnce(judging([{ schema, at: '/x' }], named, findings))
      if (findings.issues.length > 0) continue
      accepted++
      const all = Object.values(named)
      if (!all.concat(schema).every((part) => metaSchema.validateSchema(plain(part) as object)))
        fail('the meta-schema refuses')
    } catch (error) {
      fail(String(error))
      continue
    }
    const validator = validators.of(schema, named)
    for (let made = 0; made < values; made++) {
      const value = made % 100 < largeOnes ? largeValue(random) : randomValue(random)
      const check = () => {
        const start = performance.now()
        validator.mistakesOf(value, '')
        return performance.now() - start
      }
      try {
        if (made === 0) check() // compiles
        let taken = check()
        for (let again = 0; again < repetitions && taken > patience; again++)
          taken = Math.min(taken, check())
        if (taken <= slowest) continue
        slowest = taken
        slowestCheck = textOf({ schema, named, value }).slice(0, 300_000)
      } catch (error) {
        fail(String((error as Error).cause ?? error), value)
        break
      }
    }
  }
  return { accepted, crashed, slowest, slowestCheck }
}
