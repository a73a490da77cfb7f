/** Judges what is loaded: each realm document alone, and all of them beside those that are there. */

import { parseJson, pointer, stringifyJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { InvalidSpecError, type Issue } from '#component/errors.ts'
import { type Environment, fillEnvironment } from './environment.ts'
import { leadsBack, prototypeOf } from './inheritance.ts'
import { isMap, type Report } from './realm-rules.ts'
import { validateRealm } from './validate.ts'

/** One document of a load: as written, with the environment filled in, and where it stands. */
interface Candidate {
  readonly written: unknown
  readonly filled: unknown
  readonly path: string
}

/** What is wrong or doubtful in the documents of a load, each on its own. */
export interface CheckedLoad extends Report {
  readonly candidates: readonly Candidate[]
}

/** The URI that a document gives. */
export const uriOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.uri === 'string' ? document.uri : undefined

function candidatesOf(copy: unknown, environment: Environment, issues: Issue[]): Candidate[] {
  const list = Array.isArray(copy) ? copy : [copy]
  return list.map((written: unknown, index) => {
    const path = Array.isArray(copy) ? pointer('', index) : ''
    return { written, filled: fillEnvironment(written, environment, path, issues), path }
  })
}

/** All that each document shows alone; of a copy, which nobody changes meanwhile. */
export function checkDocuments(document: unknown, environment: Environment): CheckedLoad {
  const text = stringifyJson(document)
  const copy = parseJson(text, documentRules)
  const report: Report = { issues: [], warnings: [] }
  const unset: Issue[] = []
  const candidates = candidatesOf(copy, environment, unset)
  for (const { filled, path } of candidates) validateRealm(filled, path, report)
  // what an unset variable was to be cannot be described
  const described = report.issues.filter(({ path }) => !unset.some((issue) => issue.path === path))
  return { candidates, issues: [...unset, ...described], warnings: report.warnings }
}

/**
 * What no document shows alone: two of one URI, and prototypes that are missing or lead back.
 * @param stored documents that are there, by URI
 * @throws InvalidSpecError with these and all other issues
 */
export function checkTogether(
  { candidates, issues }: CheckedLoad,
  stored: Iterable<readonly [uri: string, document: unknown]>,
): void {
  const found: Issue[] = []
  const parents = new Map<string, string | undefined>()
  for (const [uri, document] of stored) parents.set(uri, prototypeOf(document))
  const seen = new Set<string>()
  for (const { filled, path } of candidates) {
    const uri = uriOf(filled)
    if (uri === undefined) continue
    if (seen.has(uri)) {
      found.push({
        path: pointer(path, 'uri'),
        message: 'another document of this load has the same URI',
      })
    }
    seen.add(uri)
    parents.set(uri, prototypeOf(filled))
  }
  for (const { filled, path } of candidates) {
    const prototype = prototypeOf(filled)
    if (prototype === undefined) continue
    const at = pointer(path, 'prototype_uri')
    if (!parents.has(prototype)) found.push({ path: at, message: 'the realm does not exist' })
    else if (leadsBack(uriOf(filled), prototype, parents)) {
      found.push({ path: at, message: 'the prototype inherits from this realm' })
    }
  }
  // what cannot be read at a place is not described there again
  const news = found.filter(({ path }) => !issues.some((issue) => issue.path === path))
  if (issues.length + news.length > 0) throw new InvalidSpecError([...issues, ...news])
}
