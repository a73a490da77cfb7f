/** Compiles `cache` as far as it is known at load. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { itemsOf, keysOf, member, type Node } from '#component/expression/compile.ts'
import type { PolicySources } from '#component/policies/kind.ts'
import { isMatch } from '#component/syntax/wamp-uri.ts'
import type { CachePlan, PurgePlan, TagPlan } from './plan.ts'

const milliseconds = 1000

/** undefined: answers are not kept. */
export function compileCache({ found, issues }: PolicySources): CachePlan | undefined {
  const { node, path } = found
  if (node.kind === 'constant' && node.value === null) return undefined
  const mustBeKnown = (at: string, name: string): void => {
    const message = `${name} must be known when the specification is loaded: it may not depend on the request`
    issues.push({ path: at, message })
  }
  if (keysOf(node) === undefined) {
    if (node.kind !== 'constant') mustBeKnown(path, 'cache')
    return undefined
  }
  const readOf = (key: string): unknown => {
    const value = member(node, key)
    if (value === undefined || value.kind === 'broken') return undefined
    if (value.kind === 'constant') return value.value
    mustBeKnown(pointer(path, key), `${key} of cache`)
    return undefined
  }
  const secondsOf = (key: string): number | undefined => {
    const value = readOf(key)
    return typeof value === 'number' ? value * milliseconds : undefined
  }
  const listOf = (key: string): readonly unknown[] | undefined => {
    const value = readOf(key)
    return Array.isArray(value) ? value : undefined
  }
  const per = readOf('per')
  const texts = (listOf('vary') ?? []).filter((name) => typeof name === 'string')
  const statuses = listOf('statuses')?.filter((status) => typeof status === 'number')
  return {
    at: path,
    ttlMs: secondsOf('ttl'),
    per: per === 'user' || per === 'all' ? per : undefined,
    vary: texts.map((name) => name.toLowerCase()),
    statuses: new Set(statuses ?? [200]),
    whileRevalidateMs: secondsOf('stale_while_revalidate') ?? 0,
    ifErrorMs: secondsOf('stale_if_error') ?? 0,
    tags: compileTags(member(node, 'tags'), pointer(path, 'tags'), mustBeKnown) ?? [],
    purges: compilePurges(member(node, 'purge_on'), pointer(path, 'purge_on'), mustBeKnown, issues),
    coalesces: readOf('coalesce') !== false,
  }
}

type MustBeKnown = (at: string, name: string) => void

/** undefined: the document has none. */
function compileTags(
  node: Node | undefined,
  at: string,
  mustBeKnown: MustBeKnown,
): readonly TagPlan[] | undefined {
  if (node === undefined || node.kind === 'broken') return undefined
  const items = itemsOf(node)
  if (items === undefined && node.kind !== 'constant') mustBeKnown(at, 'the number of tags')
  return (items ?? []).flatMap((item, index) =>
    item.kind === 'broken' ? [] : [{ node: item, at: pointer(at, index) }],
  )
}

function compilePurges(
  node: Node | undefined,
  at: string,
  mustBeKnown: MustBeKnown,
  issues: Issue[],
): readonly PurgePlan[] {
  if (node === undefined || node.kind === 'broken') return []
  const items = itemsOf(node)
  if (items === undefined && node.kind !== 'constant') mustBeKnown(at, 'purge_on')
  return (items ?? []).flatMap((item, index) => {
    const place = pointer(at, index)
    const [topic, match] = ['topic', 'match'].map((key) => {
      const value = member(item, key)
      const isKnown = value === undefined || value.kind === 'constant' || value.kind === 'broken'
      if (!isKnown) mustBeKnown(pointer(place, key), `${key} of an event`)
      return value?.kind === 'constant' ? value.value : undefined
    })
    const tags = compileTags(member(item, 'tags'), pointer(place, 'tags'), mustBeKnown)
    for (const tag of tags ?? []) checkReads(tag, issues)
    // what is no topic has been reported
    if (typeof topic !== 'string') return []
    return [{ topic, match: isMatch(match) ? match : 'exact', tags }]
  })
}

/** There is no request where an event comes. */
function checkReads({ node, at }: TagPlan, issues: Issue[]): void {
  for (const read of node.reads) {
    if (read === 'action.event' || read.startsWith('action.event.')) continue
    issues.push({ path: at, message: `there is no "${read}" here: expected action.event` })
  }
}
