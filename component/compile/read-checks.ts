/** Members of request-time data that an operation reads and that cannot exist: bindings that its path lacks, and slips in known maps. */

import type { ActionKind } from '#component/action/kind.ts'
import { payload } from '#component/action/wamp-kind.ts'
import type { Issue } from '#component/errors.ts'
import { siteOfRead } from '#component/expression/read-sites.ts'
import { SiteError } from '#component/expression/site.ts'
import { didYouMean } from '#component/expression/suggest.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { alternativeKeys, identityKeys } from '#component/identity.ts'
import { membersOf, type Protection } from '#component/security/scheme.ts'
import { type KeyedForm, namesOf } from '#component/syntax/path-pattern.ts'
import type { Findings } from './fold-check.ts'

/** An operation, as far as it decides what its expressions can read. */
interface Readable {
  /** JSON Pointer. */
  readonly at: string
  /** base_path and path, as written. */
  readonly pattern: string
  /** Those of the pattern; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  /** The rows of its actions. */
  readonly actions: readonly ActionKind[]
  readonly isList: boolean
  /** The members of `action.progress`; absent: those of a progressive result of a call. */
  readonly progress?: readonly string[]
  /** undefined on an open path. */
  readonly protection: Protection | undefined
}

/** Expressions of an operation that are evaluated at the same time. */
export interface ReadPart {
  /** What has happened by then. */
  readonly place: Place
  /** JSON Pointer. */
  readonly at: string
  readonly nodes: readonly Live[]
  /** JSON Pointers of other parts that lie in it. */
  readonly others?: readonly string[]
}

/** A part that is evaluated once for each request, for each event, for each progressive result, for a snapshot. */
type Place = 'request' | 'event' | 'progress' | 'snapshot'

/** The members of `action` that there are; of a request only those of streams are judged. */
const membersOfAction: Readonly<Record<Place, readonly string[]>> = {
  request: ['result', 'error', 'results', 'errors'],
  event: ['event'],
  progress: ['progress'],
  snapshot: ['result'],
}

/** Why `action` does not have the member there; undefined where it may have it. */
function whyNotYet(place: Place, member: string): string | undefined {
  const members = membersOfAction[place]
  if (members.includes(member)) return undefined
  if (member === 'event') {
    return 'there is no event yet: action.event is known in on_event and filter only'
  }
  if (member === 'progress') {
    return 'there is no progressive result yet: action.progress is known in on_progress only'
  }
  return `there is no "action.${member}" here: expected action.${members.join()}`
}

/** The members of `action.event` and `action.progress`, and of the result that a snapshot is made of. */
const partKeys: Readonly<Record<string, readonly string[]>> = {
  event: [...payload, 'publication_id', 'topic', 'is_retained'],
  progress: [...payload, 'number'],
}

/** The result of the call that a snapshot is made of. */
const ofSnapshot = [...payload, 'request_id']

/** The names that a pattern binds. */
export function bindingsOf(forms: Readable['forms']): readonly string[] {
  return [...new Set(forms.flatMap(({ form }) => form.flatMap(namesOf)))]
}

/** The members that a map of request-time data can have; undefined when that is not known, or all are. */
function membersOfMap(
  root: string,
  map: string,
  place: Place,
  operation: Readable,
): readonly string[] | undefined {
  const { actions, forms, isList } = operation
  if (root === 'request') {
    return map === 'bindings' && forms.length > 0 ? bindingsOf(forms) : undefined
  }
  if (root === 'action' && map === 'progress' && operation.progress) return operation.progress
  if (root === 'action' && Object.hasOwn(partKeys, map)) return partKeys[map]
  if (place === 'snapshot') return root === 'action' && map === 'result' ? ofSnapshot : undefined
  const isKnown = actions.some(({ result }) => result !== undefined)
  if (root !== 'action' || !isKnown) return undefined
  const known = actions.flatMap(({ result = [] }) => result)
  const hasBranches = actions.some(({ branches }) => branches !== undefined)
  if (map === 'errors') return hasBranches ? undefined : ['result', 'error']
  if (map === 'result' && hasBranches) return undefined
  if (map === 'results') return isList ? undefined : ['result', 'error']
  if (map === 'result') return known
  if (map !== 'error') return undefined
  return ['error_uri', ...payload, ...new Set(actions.flatMap(({ error }) => error))]
}

/** The members that `security` can have. */
const membersOfSecurity = ({ protection }: Readable): readonly string[] => [
  ...identityKeys,
  ...(protection?.kind.identityKeys ?? []),
  // judged by its places
  'provider_token',
  ...membersOf(protection).flatMap(({ object }) => Object.keys(object)),
]

const withoutAlternatives = ': it exists only on paths whose security has alternatives ("any")'

/** Members of `security` that no request has there. */
const isOfAlternatives = (map: string, { protection }: Readable): boolean =>
  alternativeKeys.some((key) => key === map) && !protection?.alternatives

/** Why no request can have the member; undefined where it may come. */
function whyAbsent(root: string, map: string, operation: Readable): string | undefined {
  const { pattern } = operation
  if (root === 'security') return isOfAlternatives(map, operation) ? withoutAlternatives : undefined
  if (root === 'request') return `: the path ${pattern} does not bind it`
  if (map === 'errors') return ': it exists only where an action performs others'
  return map === 'results' ? ': it exists only where action is a list' : undefined
}

/**
 * Reports what the expressions of an operation read in vain: an issue for a binding, which clients cannot send, and for the
 * results of a single action, and for what has not come yet; a warning for other members of `security` and `action`.
 * @param part all that is evaluated at one time: variables that it does not use are not judged
 */
export function checkReads(part: ReadPart, operation: Readable, findings: Findings): void {
  const { issues, warnings } = findings
  const { place, at, nodes, others } = part
  for (const read of new Set(nodes.flatMap(({ reads }) => reads))) {
    const [root = '', map = '', key] = read.split('.')
    const report = (found: Issue[], sentence: string): void => {
      const site = siteOfRead(issues, read, at, others)
      const user = site?.path.startsWith(`${operation.at}/`) ? '' : ` (used by ${operation.at})`
      const told = `${sentence}${user}`
      const message = site ? new SiteError(site, told).issueMessage : told
      found.push({ path: site?.path ?? operation.at, message })
    }
    const notYet = root === 'action' && map !== '' ? whyNotYet(place, map) : undefined
    if (notYet !== undefined) {
      report(issues, notYet)
      continue
    }
    const isSecurity = root === 'security'
    const isResults = root === 'action' && (map === 'results' || map === 'errors')
    const name = isSecurity || isResults ? map : key
    const members = isSecurity
      ? membersOfSecurity(operation)
      : membersOfMap(root, map, place, operation)
    if (!name || !members || members.includes(name)) continue
    const why = whyAbsent(root, map, operation)
    const sentence = `there is no "${read}"${why ?? ''}${didYouMean(name, members, issues)}`
    report(why === undefined ? warnings : issues, sentence)
  }
}
