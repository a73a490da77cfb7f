/** Judges the schemas of a document at load: keywords, references, loops and limits, each mistake with its place. */
import { canonicalJson, pointer } from '#component/codec/json.ts'
import { sizeOfPattern } from '#component/schema/pattern/pattern.ts'
import type { Steps } from '#component/yielding.ts'
import { type Findings, judgeKeywords, type SchemaFacts } from './judge-keywords.ts'
import { type Graph, groupsOf, Reach } from './reach.ts'
import type { NamedSchemas } from './references.ts'

export type { Findings } from './judge-keywords.ts'

/** A schema, and its JSON Pointer in the document. */
export interface SchemaUse {
  readonly schema: unknown
  readonly at: string
}

/** Different schemas of one document. */
export const mostSchemas = 10_000
/** Characters of all of them. */
const mostCharacters = 4 * 1024 * 1024

/** Of one schema with all that it refers to. */
const mostOfOne = { characters: 256 * 1024, subschemas: 5_000, instructions: 20_000 }

/** Levels of all schemas of a circle together: a deeper one would exhaust the stack when it is compiled. */
const mostLevelsOfCircle = 400

/** No more issues are looked for: the answer lists fewer. */
const mostIssues = 1_000

const nameForm = /^[A-Za-z0-9._-]{1,100}$/

/** Judges the named schemas of a document (at `/schemas`) and those that its other places hold. Equal ones are judged once. */
export function* judging(
  uses: readonly SchemaUse[],
  named: NamedSchemas,
  findings: Findings,
): Steps<void> {
  const judge = new Judge(named, findings)
  for (const name of Object.keys(named)) {
    const at = pointer('/schemas', name)
    if (!nameForm.test(name))
      judge.issue(at, 'the name of a schema has 1 to 100 of A-Z a-z 0-9 . _ -')
    yield* judge.one({ schema: named[name], at }, name)
  }
  for (const use of uses) yield* judge.one(use)
  if (judge.isSound) yield* judge.together()
}

/** One schema that was judged. */
interface Judged extends SchemaUse {
  readonly facts: SchemaFacts
}

class Judge {
  readonly #named: NamedSchemas
  readonly #reach: Reach
  readonly #findings: Findings
  /** Judged schemas by their text. */
  readonly #judged = new Map<string, Judged>()
  readonly #factsOf = new Map<string, SchemaFacts>()
  /** What is known of each pattern: its problem, or the size of its program. */
  readonly #patterns = new Map<string, string | number>()
  #characters = 0
  /** The issues that others have found before. */
  readonly #before: number

  constructor(named: NamedSchemas, findings: Findings) {
    this.#before = findings.issues.length
    this.#named = named
    this.#reach = new Reach(named)
    this.#findings = findings
  }

  /** Whether nothing was found that keeps schemas from being compared with each other. */
  get isSound(): boolean {
    return this.#findings.issues.length === this.#before
  }

  issue(path: string, message: string): void {
    this.#findings.issues.push({ path, message })
  }

  /** Judges a schema by itself. */
  *one(use: SchemaUse, name?: string): Steps<void> {
    if (this.#findings.issues.length >= mostIssues) return
    const text = canonicalJson(use.schema)
    const known = this.#judged.get(text)
    const facts = known?.facts ?? judgeKeywords(use, this.#named, this.#findings, text.length)
    if (name !== undefined) this.#factsOf.set(name, facts)
    if (known) return
    this.#judged.set(text, { ...use, facts })
    this.#count(use.at, text.length)
    for (const { pattern, at } of facts.patterns) {
      yield
      let found = this.#patterns.get(pattern)
      if (found === undefined) {
        found = sizeOfPattern(pattern)
        this.#patterns.set(pattern, found)
      }
      if (typeof found === 'string') this.issue(at, found)
      else facts.instructions += found
    }
    yield
  }

  #count(at: string, characters: number): void {
    this.#characters += characters
    const before = this.#characters - characters
    if (this.#judged.size === mostSchemas + 1) {
      this.issue(at, `a document has at most ${mostSchemas} different schemas`)
    }
    if (before <= mostCharacters && this.#characters > mostCharacters) {
      this.issue(at, `the schemas of a document have at most ${mostCharacters} characters together`)
    }
  }

  /** Judges what schemas refer to. */
  *together(): Steps<void> {
    yield* this.#loops()
    for (const { schema, at, facts } of this.#judged.values()) {
      const graph = this.#reach.graphOf(schema)
      this.#judgeSize(at, facts, graph)
      yield
    }
  }

  /** Schemas that refer to each other for the same value would be followed for ever. */
  *#loops(): Steps<void> {
    for (const name of Object.keys(this.#named)) {
      this.#reach.referencesFrom({ name, at: pointer('/schemas', name), schema: this.#named[name] })
      yield
    }
    const all = Object.keys(this.#named).map((name) => ({ $ref: `#/schemas/${name}` }))
    const graph = this.#reach.graphOf({ allOf: all })
    yield
    for (const group of groupsOf(graph, ({ isInPlace }) => isInPlace)) {
      const loop = loopIn(group, graph)
      if (loop.length === 0) continue
      const names = loop.map((at) => at.slice('/schemas/'.length))
      this.issue(
        loop[0] ?? '',
        `the schema refers to itself for the same value, without end: ${[...names, names[0]].join(' ─▶ ')}`,
      )
    }
    yield
    for (const group of groupsOf(graph)) {
      const levels = group.reduce((sum, at) => sum + this.#levelsOf(graph.get(at)?.target.name), 0)
      if (group.length === 1 || levels <= mostLevelsOfCircle) continue
      this.issue(
        group[0] ?? '',
        `${group.length} schemas that refer to each other in a circle have ${levels} levels together, and at most ${mostLevelsOfCircle} are allowed`,
      )
    }
  }

  #levelsOf(name = ''): number {
    return this.#factsOf.get(name)?.levels ?? 0
  }

  #judgeSize(at: string, own: SchemaFacts, graph: Graph): void {
    const sum = {
      characters: own.characters,
      subschemas: own.subschemas,
      instructions: own.instructions,
    }
    for (const name of new Set([...graph.values()].map(({ target }) => target.name))) {
      const facts = this.#factsOf.get(name)
      if (facts === undefined || facts === own) continue
      for (const what of ['characters', 'subschemas', 'instructions'] as const)
        sum[what] += facts[what]
    }
    for (const [what, words] of [
      ['characters', 'characters'],
      ['subschemas', 'subschemas'],
      ['instructions', 'instructions of patterns'],
    ] as const) {
      if (sum[what] <= mostOfOne[what]) continue
      this.issue(
        at,
        `the schema and what it refers to have ${sum[what]} ${words}, and at most ${mostOfOne[what]} are allowed`,
      )
    }
  }
}

/** Some schemas of a group, each of which refers in place to the next one and the last one to the first; empty when there is no loop. */
function loopIn(group: readonly string[], graph: Graph): string[] {
  const path: string[] = []
  let at = group.toSorted()[0] ?? ''
  while (!path.includes(at)) {
    path.push(at)
    const next = graph
      .get(at)
      ?.references.find(({ target, isInPlace }) => isInPlace && group.includes(target.at))
    if (next === undefined) return []
    at = next.target.at
  }
  return path.slice(path.indexOf(at))
}
