/** Checks the realm documents of a load: each by itself, and all of them together with the stored ones. */

import { parseJson, pointer, stringifyJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { InvalidSpecError, type Issue } from '#component/errors.ts'
import { Report } from '#component/spec/report.ts'
import { isMap } from '#component/syntax/values.ts'
import { type Environment, fillEnvironment } from './environment.ts'
import { proxySecretProblem, secretProblem } from './info/auth-rules.ts'
import { leadsBack, prototypeOf } from './inheritance.ts'
import { at } from './membership.ts'
import type { RealmDocument } from './model.ts'
import { validateRealm } from './realm-rules.ts'
import { movedSecrets } from './secret-origins.ts'
import { mask, type Unmasked, withoutMasks } from './shown-realm.ts'
import { withHidden } from './stored-secrets.ts'

/** One document of a load: as written and with the environment filled in, both without masks, and where it stands. */
interface Candidate {
  readonly written: unknown
  readonly filled: unknown
  readonly path: string
  /** The keys that lead to each mask: there the stored secret is kept. */
  readonly masks: Unmasked['masks']
}

/** The documents of a load, with the issues and warnings of each. */
export interface CheckedLoad {
  readonly candidates: readonly Candidate[]
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
  /** Whether the secrets that a document does not name are the stored ones; a version of the history has its own. */
  readonly keepsSecrets: boolean
}

/** The URI that a document gives. */
export const uriOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.uri === 'string' ? document.uri : undefined

function candidatesOf(copy: unknown, environment: Environment, issues: Issue[]): Candidate[] {
  const list = Array.isArray(copy) ? copy : [copy]
  return list.map((written: unknown, index) => {
    const path = Array.isArray(copy) ? pointer('', index) : ''
    return { written, filled: fillEnvironment(written, environment, path, issues), path, masks: [] }
  })
}

function unmask({ written, filled, path }: Candidate): Candidate {
  const { document, masks } = withoutMasks(written)
  return { written: document, filled: withoutMasks(filled).document, path, masks }
}

/** Checks each document by itself. It checks a copy, which does not change while the load runs. */
export function checkDocuments(
  document: unknown,
  environment: Environment,
  keepsSecrets = true,
): CheckedLoad {
  const text = stringifyJson(document)
  const copy = parseJson(text, documentRules)
  const report = new Report([], 'hidden')
  const unset: Issue[] = []
  const candidates = candidatesOf(copy, environment, unset)
  for (const { filled, path } of candidates) validateRealm(filled, path, report)
  // the value of an unset variable is unknown: its place has this issue only
  const described = report.issues.filter(({ path }) => !unset.some((issue) => issue.path === path))
  return {
    candidates: candidates.map(unmask),
    issues: [...unset, ...described],
    warnings: report.warnings,
    keepsSecrets,
  }
}

/**
 * What is wrong with the secrets that a document keeps: masks that stand for nothing, because the stored document has no secret
 * there, secrets that would go to another address, and upstreams that have none, or two.
 */
function keptIssues(
  { written, filled, path, masks }: Candidate,
  stored: StoredDocuments,
  environment: Environment,
): readonly Issue[] {
  const fill = (value: unknown) => fillEnvironment(value, environment, '', [])
  const before = stored.get(uriOf(filled) ?? '')?.document
  const whole = withHidden(written as RealmDocument, before, fill)
  const lost = masks.filter((keys) => (at(whole, keys) ?? undefined) === undefined)
  const message = `${mask} stands for the stored secret, and there is none here`
  return [
    ...lost.map((keys) => ({ path: pointer(path, ...keys), message })),
    ...movedSecrets({ loaded: written, whole, stored: before }, path),
    ...upstreamIssues(whole, path),
  ]
}

/** What is wrong with the secrets of upstreams, loaded and stored. */
function upstreamIssues(whole: unknown, path: string): readonly Issue[] {
  const upstreams = at(whole, ['info', 'upstreams'])
  if (!isMap(upstreams)) return []
  return Object.entries(upstreams).flatMap(([name, one]) => {
    const problems = [
      ['auth', secretProblem(at(one, ['auth']))],
      ['proxy', proxySecretProblem(at(one, ['proxy']))],
    ] as const
    return problems.flatMap(([holder, problem]) =>
      problem
        ? [
            {
              path: pointer(path, 'info', 'upstreams', name, holder, problem.key),
              message: problem.message,
            },
          ]
        : [],
    )
  })
}

/** Stored documents, by URI. */
type StoredDocuments = ReadonlyMap<string, { readonly document: RealmDocument }>

/**
 * Checks what no document shows by itself: duplicate URIs, prototypes that are missing or inherit from their heir, masks that
 * stand for nothing, and secrets that would go to another address.
 * @throws InvalidSpecError with these and all other issues
 */
export function checkTogether(
  { candidates, issues, keepsSecrets }: CheckedLoad,
  stored: StoredDocuments,
  environment: Environment,
): void {
  const keeping = keepsSecrets ? candidates : []
  const found = keeping.flatMap((one) => keptIssues(one, stored, environment))
  const parents = new Map<string, string | undefined>()
  for (const [uri, { document }] of stored) parents.set(uri, prototypeOf(document))
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
    const place = pointer(path, 'prototype_uri')
    if (!parents.has(prototype)) found.push({ path: place, message: 'the realm does not exist' })
    else if (leadsBack(uriOf(filled), prototype, parents)) {
      found.push({ path: place, message: 'the prototype inherits from this realm' })
    }
  }
  // one place has one issue
  const news = found.filter(({ path }) => !issues.some((issue) => issue.path === path))
  if (issues.length + news.length > 0) throw new InvalidSpecError([...issues, ...news])
}
