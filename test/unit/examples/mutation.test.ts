/** A changed character in an expression of an example document does not go unnoticed: the document is refused, or one of its examples fails. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pointer } from '#component/codec/json.ts'
import { testDocument } from '#component/examples/examples.ts'
import { isMap } from '#component/syntax/values.ts'
import { randomFrom } from '#test/fuzz/random.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { examplePorts } from './ports.ts'

const root = join(import.meta.dirname, '../../..')
const documents = ['hello', 'live', 'oauth2', 'oidc-login', 'tools'].map(
  (name) => `examples/${name}/api-spec.json`,
)

/** A text of a document that holds expressions. */
interface Place {
  readonly file: string
  /** Its keys, from the document on. */
  readonly keys: readonly string[]
  readonly text: string
}

/** Every text with expressions; examples and schemas have none. */
function* placesIn(file: string, value: unknown, keys: readonly string[] = []): Generator<Place> {
  if (typeof value === 'string') {
    if (value.includes('{{')) yield { file, keys, text: value }
    return
  }
  if (!isMap(value) && !Array.isArray(value)) return
  for (const [key, member] of Object.entries(value)) {
    if (!['examples', 'request', 'schemas'].includes(key))
      yield* placesIn(file, member, [...keys, key])
  }
}

const characters = 'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_.,|>(){}[]+-*/\'" '

/** The offsets of the characters within expressions. */
function offsetsIn(text: string): number[] {
  const offsets: number[] = []
  for (const { index, 0: part } of text.matchAll(/\{\{.*\}\}/gs))
    for (let at = index; at < index + part.length; at += 1) offsets.push(at)
  return offsets
}

/** The document with another text at a place. */
function withText(document: unknown, { keys }: Place, text: string): unknown {
  const copy = structuredClone(document)
  let map = copy as Record<string, unknown>
  for (const key of keys.slice(0, -1)) map = map[key] as Record<string, unknown>
  map[keys.at(-1) ?? ''] = text
  return copy
}

describe('a character changed in an expression of the example documents', () => {
  it('is noticed in at least 90 of 100 cases, by the load or by an example', async () => {
    const random = randomFrom(20_261_123)
    const pick = <T>(items: ArrayLike<T>): T => items[Math.floor(random() * items.length)] as T
    const read = new Map(
      documents.map((file) => [
        file,
        JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown,
      ]),
    )
    const places = [...read].flatMap(([file, document]) => [...placesIn(file, document)])
    const count = rounds(500, 5000)
    const survivors: string[] = []
    for (let mutant = 0; mutant < count; mutant += 1) {
      const place = pick(places)
      const { file, keys, text } = place
      const at = pick(offsetsIn(text))
      const character = pick(characters.replaceAll(text[at] ?? '', ''))
      const changed = text.slice(0, at) + character + text.slice(at + 1)
      const { report } = await testDocument(withText(read.get(file), place, changed), examplePorts)
      if (report?.failed === 0) survivors.push(`${file}${pointer('', ...keys)}: ${changed}`)
    }
    const told = `${survivors.length} of ${count} changes are not noticed:\n${survivors.join('\n')}`
    expect(survivors.length, told).to.be.at.most(count / 10)
    if (survivors.length > 0) process.stdout.write(`      ${told.replaceAll('\n', '\n      ')}\n`)
  })
})
