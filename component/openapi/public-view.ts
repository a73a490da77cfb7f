/** The view of clients, made of the description for operators. */
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'

const extension = 'x-wamp-gateway'

/** Leaves out hidden operations, what lies behind the others, and shared parts that only the former use. */
export function withoutInternals(description: JsonMap): JsonMap {
  const { components, ...rest } = description
  const paths = entriesOf(description.paths).flatMap(([template, item]) => {
    const members = entriesOf(item).filter(([, each]) => !isHidden(each))
    const hasOperations = members.some(([, each]) => isMap(each))
    return hasOperations ? [[template, Object.fromEntries(members.map(withoutExtension))]] : []
  })
  const view = { ...rest, paths: Object.fromEntries(paths) as JsonMap }
  const ofPaths = JSON.stringify(view)
  // a response may refer to headers
  const responses = kept('responses', memberOf(components, 'responses'), ofPaths)
  const used = ofPaths + JSON.stringify(responses)
  const shared = entriesOf(components)
    .map(([kind, parts]): [string, JsonMap] => [kind, kept(kind, parts, used)])
    .filter(([, parts]) => Object.keys(parts).length > 0)
  return { ...view, ...(isMap(components) && { components: Object.fromEntries(shared) }) }
}

const entriesOf = (value: unknown): [string, unknown][] =>
  isMap(value) ? Object.entries(value) : []

const isHidden = (operation: unknown): boolean =>
  memberOf(memberOf(operation, extension), 'hidden') === true

function withoutExtension([key, value]: [string, unknown]): [string, unknown] {
  if (!isMap(value)) return [key, value]
  const { [extension]: _, ...rest } = value
  return [key, rest]
}

/** Schemas are the author's; responses and security schemes are derived from operations. */
const kept = (kind: string, parts: unknown, used: string): JsonMap =>
  Object.fromEntries(
    entriesOf(parts).filter(
      ([name]) =>
        kind === 'schemas' ||
        used.includes(JSON.stringify(`#/components/${kind}/${name}`)) ||
        used.includes(`${JSON.stringify(name)}:[`),
    ),
  )
