/** Mutations of real API Specifications: none may crash the loader or stall the process. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileDocument } from '#component/compile/compile-document.ts'
import { policiesDocument } from '#test/support/pages/policies.ts'
import { randomFrom } from './random.ts'

const folder = join(import.meta.dirname, '../cases/specs')

/** What the mutations of one run came to. */
export interface DocumentFuzz {
  readonly loaded: number
  readonly refused: number
  /** Anything thrown; the document and what it threw. */
  readonly crashed: readonly { readonly document: string; readonly error: string }[]
  /** Milliseconds of the slowest document. */
  readonly slowest: number
}

/** Values that are wrong, or right, somewhere. */
const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  200,
  '',
  '{{',
  '{{}}',
  '{{variables}}',
  '{{variables.a}}',
  '{{request.body}}',
  '{{request.body |> get(a, {{variables.b}})}}',
  '{{defaults.timeout |> integer}}',
  '/[a]/[b]/:c',
  'static',
  '\ud800',
  [],
  {},
  { type: 'static' },
  { '': '' },
  { constructor: 1 },
  { amount: 1, window: 1 },
  [{ amount: 1, window: 1, per: '{{request.headers.x}}', by: { constructor: 2 } }],
]

type Json = Record<string, unknown>

/** A place in a document: a member of a map or list. */
interface Place {
  readonly holder: Json
  readonly key: string
}

function placesOf(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return places
  const holder = value as Json
  for (const key of Object.keys(holder)) {
    places.push({ holder, key })
    placesOf(holder[key], places)
  }
  return places
}

function mutateText(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1))
  const bits = ['{{', '}}', '|>', '/', '.', ':', '[', ']', '"', ' ', 'é', 'x', '']
  const bit = bits[Math.floor(random() * bits.length)] ?? ''
  return text.slice(0, at) + bit + text.slice(at + (random() < 0.5 ? 1 : 0))
}

/** Changes a document in one place. */
export function mutate(document: Json, random: () => number): void {
  const places = placesOf(document)
  const pick = () => places[Math.floor(random() * places.length)]
  const place = pick()
  const other = pick()
  if (!place || !other) return
  const { holder, key } = place
  const value = holder[key]
  const kind = random()
  if (kind < 0.25) delete holder[key]
  else if (kind < 0.5) holder[key] = structuredClone(values[Math.floor(random() * values.length)])
  else if (kind < 0.65) holder[key] = structuredClone(other.holder[other.key])
  else if (kind < 0.8 && typeof value === 'string') holder[key] = mutateText(value, random)
  else if (kind < 0.9) holder[mutateText(key, random)] = value
  else holder[`x_${key}`] = value
}

/**
 * Mutates each real document again and again, by one to three steps.
 * @param count how many documents are made
 */
export function fuzzDocuments({ count, seed }: { count: number; seed: number }): DocumentFuzz {
  const random = randomFrom(seed)
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'security_config.json')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .concat(JSON.stringify(policiesDocument()))
  // the large one costs a hundred times the others: it takes its turn, but not every ninth
  const small = sources.filter((text) => text.length < 10_000)
  const crashed: { document: string; error: string }[] = []
  let loaded = 0
  let slowest = 0
  for (let index = 0; index < count; index++) {
    const pool = index % 100 === 0 ? sources : small
    const document = JSON.parse(pool[Math.floor(random() * pool.length)] ?? '{}') as Json
    const steps = 1 + Math.floor(random() * 3)
    for (let step = 0; step < steps; step++) mutate(document, random)
    // what a mutation leaves undefined is absent in what a loader gets to see
    const received: unknown = JSON.parse(JSON.stringify(document))
    const start = performance.now()
    try {
      const { issues } = compileDocument(received, { callTimeout: 30_000 })
      if (issues.length === 0) loaded++
    } catch (error) {
      crashed.push({ document: JSON.stringify(document), error: String(error) })
    }
    slowest = Math.max(slowest, performance.now() - start)
  }
  return { loaded, refused: count - loaded - crashed.length, crashed, slowest }
}
