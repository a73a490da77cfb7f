/** Fuzzes the expression language: half of the texts from its grammar, half mutations of expressions of real documents. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExpressionError, type Issue } from '#component/errors.ts'
import { compile } from '#component/expression/compile.ts'
import { functionNames } from '#component/expression/functions/functions.ts'
import type { Context } from '#component/expression/nodes.ts'
import { Scope, type SpecEntry } from '#component/expression/scope.ts'
import { requestKeys } from '#component/request.ts'

/** How a run of the fuzzer ended. */
export interface FuzzResult {
  /** Texts that compiled; each was evaluated as well. */
  readonly compiled: number
  /** Texts that were refused with an issue. */
  readonly refused: number
  /** Texts on which anything but an ExpressionError was thrown (the first 100), with what was thrown. */
  readonly crashed: readonly { readonly text: string; readonly error: unknown }[]
}

/** A small generator of pseudo-random numbers (mulberry32), so that a seed repeats a run. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const specEntries = (values: object): ReadonlyMap<string, SpecEntry> =>
  new Map(Object.entries(values).map(([key, value]) => [key, { value, path: `/${key}` }]))

const variables = {
  text: 'some text',
  number: 42,
  big: 2n ** 63n,
  list: [1, 'two', { three: 3 }, '{{request.body.x}}'],
  map: { a: 1, b: { c: '{{request.body}}' }, 'content-type': 'x' },
  schemes: ['http', 'https'],
  headers: { 'access-control-allow-origin': '*' },
  cors_headers: '{{variables.headers}}',
  oauth2: { type: 'oauth2', schemes: '{{variables.schemes}}' },
  oidc: { type: 'oidc' },
  foo: 100,
  query_match: '{{request.query_params |> without([_q,_p])}}',
  wamp_error_body: '{{action.error.kwargs |> put(code, {{action.error.error_uri}})}}',
}

const scope = new Scope(
  {
    variables: specEntries(variables),
    defaults: specEntries({ timeout: 5000, headers: '{{variables.headers}}' }),
    status_codes: specEntries({ 'wamp.error.x': 404 }),
  },
  { request: { keys: requestKeys }, action: { keys: ['result', 'error'] }, security: {} },
)

const data = {
  x: 'X',
  n: 7,
  f: 2.5,
  big: 2n ** 60n,
  list: [3, 1, 2],
  map: { a: 1 },
  nil: null,
  empty: '',
}
const outcome = { args: [data], kwargs: data, details: {}, error_uri: 'wamp.error.x', body: data }

const contextWith = (random: () => number): Context => ({
  request: {
    id: '1',
    method: 'post',
    path: '/a',
    headers: { 'content-type': 'text/plain' },
    query_params: { _q: '1' },
    bindings: { id: '42' },
    body: data,
    body_length: 9,
  },
  action: { result: outcome, error: outcome },
  security: { authid: 'joe', authroles: ['all'] },
  random,
})

const paths = [
  ...['variables.text', 'variables.number', 'variables.list', 'variables.map', 'variables.map.b.c'],
  ...[
    'variables.cors_headers',
    'variables.oauth2',
    'variables',
    'defaults.timeout',
    'status_codes',
  ],
  ...['request.body', 'request.body.x', 'request.body.n', 'request.body.list', 'request.body.map'],
  ...[
    'request',
    'request.path',
    'request.headers.content-type',
    'action.result.args',
    'security.authid',
  ],
  ...['request.body.none', 'variables.none', 'request.none', 'variables.big', 'request.body.empty'],
]

const words = [
  'a',
  'b',
  'x',
  '1',
  '2',
  '500',
  'true',
  'content-type',
  'wamp.error.x',
  "''",
  "'it''s }} {{'",
]

/** How many arguments a function is given most often, and whether they are a list. */
const shapes: Readonly<Record<string, number | 'list'>> = {
  nth: 1,
  get: 2,
  put: 2,
  merge: 1,
  with: 'list',
  without: 'list',
  random: 1,
  ...{
    where: 2,
    sort: 2,
    group: 1,
    key_by: 1,
    sum: 1,
    unique: 1,
    concat: 'list',
    slice: 2,
    contains: 1,
  },
  ...{ default: 1, equal: 1, if: 2, add: 1, sub: 1, mul: 1, join: 1, split: 1, map: 1, replace: 2 },
}

class Generator {
  readonly #random: () => number
  readonly #corpus: readonly string[]

  constructor(random: () => number, corpus: readonly string[]) {
    this.#random = random
    this.#corpus = corpus
  }

  next(): string {
    return this.#chance(0.5) ? this.#template() : this.#mutation()
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #chance(probability: number): boolean {
    return this.#random() < probability
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T
  }

  #template(): string {
    const lone = this.#expression(0)
    if (this.#chance(0.5)) return lone
    if (this.#chance(0.3)) return `"${lone}"`
    return this.#chance(0.5) ? `a ${lone} b` : `${lone}${this.#expression(0)}`
  }

  #expression(nesting: number): string {
    const blank = this.#pick(['', ' ', ' ', '\n'])
    let text = this.#pick(paths)
    for (let pipes = this.#below(4); pipes > 0; pipes--)
      text += `${blank}|>${blank}${this.#call(nesting)}`
    return `{{${blank}${text}${blank}}}`
  }

  #call(nesting: number): string {
    const name = this.#pick(functionNames)
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : 0
    if (shape === 'list') return `${name}([${this.#pick(words)}, ${this.#argument(nesting)}])`
    const wanted = this.#chance(0.05) ? this.#below(4) : (shape ?? 0)
    if (wanted === 0) return name
    return `${name}(${Array.from({ length: wanted }, () => this.#argument(nesting)).join(', ')})`
  }

  #argument(nesting: number): string {
    if (nesting < 3 && this.#chance(0.2)) return this.#expression(nesting + 1)
    return this.#chance(0.1) ? this.#pick(['$map', '_', '{{_}}']) : this.#pick(words)
  }

  /** One to three changes of a real text, small ones most of the time. */
  #mutation(): string {
    let text = this.#pick(this.#corpus)
    for (let changes = this.#below(3); changes >= 0; changes--) text = this.#change(text)
    return text
  }

  #change(text: string): string {
    const at = this.#below(text.length + 1)
    const end = at + this.#below(6)
    switch (this.#below(8)) {
      case 0:
        return text.slice(0, at) + text.slice(end)
      case 1:
        return (
          text.slice(0, at) +
          this.#pick([...words, '{{', '}}', '|>', '(', ')', "'", '"', '.', ',']) +
          text.slice(at)
        )
      case 2:
        return text.slice(0, at) + String.fromCharCode(this.#below(0x250)) + text.slice(at + 1)
      case 3:
        return text.slice(0, at) + this.#expression(0) + text.slice(at)
      case 4:
        return text.replace('}}', ` |> ${this.#call(1)}}}`)
      case 5:
        return text.replace('|>', this.#pick([' |> ', '|>\n', '|>']))
      case 6:
        return text + this.#pick(this.#corpus)
      default:
        return `${this.#pick(['', ' ', 'x'])}${text}${this.#pick(['', ' ', 'x'])}`
    }
  }
}

/** Every text with an expression in a value of a document. */
function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string' && value.includes('{{')) found.add(value)
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, found)
  }
}

/** The expressions of the API Specifications in `folder`. */
function readCorpus(folder: string): readonly string[] {
  const found = new Set<string>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    collect(JSON.parse(readFileSync(join(folder, name), 'utf8')), found)
  }
  return [...found]
}

/** Compiles `count` texts, and evaluates those that compile. The same seed makes the same texts. */
export function fuzzExpressions({ count, seed }: { count: number; seed: number }): FuzzResult {
  const random = randomFrom(seed)
  const generator = new Generator(random, readCorpus(join(import.meta.dirname, '../cases/specs')))
  const context = contextWith(random)
  const crashed: { text: string; error: unknown }[] = []
  let compiled = 0
  let refused = 0
  for (let index = 0; index < count; index++) {
    const text = generator.next()
    try {
      const issues: Issue[] = []
      const node = compile(text, '', scope, issues)
      if (node.kind === 'broken') refused++
      else compiled++
      if ((node.kind === 'broken') !== issues.length > 0)
        throw new TypeError('broken without issue')
      if (node.kind !== 'broken') node.evaluate(context)
    } catch (error) {
      if (!(error instanceof ExpressionError) && crashed.length < 100) crashed.push({ text, error })
    }
  }
  return { compiled, refused, crashed }
}
