/** A topic with expressions in it, held to the pattern that its author wrote: a request may fill its parts, and may not widen it. */
import type { Findings } from '#component/compile/fold-check.ts'
import { ServiceError } from '#component/errors.ts'
import { deferred, type Node, runOf } from '#component/expression/nodes.ts'
import { type Match, uriProblem } from '#component/syntax/wamp-uri.ts'

/** One part of a topic between its dots. */
interface Component {
  /** As written, `x` in place of each expression. */
  text: string
  isComputed: boolean
}

/** The parts of a text that is made of others, those of variables with expressions in them included. */
function partsOf(node: Node): readonly Node[] {
  const joined = node.kind === 'deferred' ? node.joined : undefined
  return joined ? joined.nodes.flatMap(partsOf) : [node]
}

/** Splits a topic at the dots that are known at load; an expression stands for text within one component. */
function componentsOf(parts: readonly Node[]): readonly Component[] {
  let last: Component = { text: '', isComputed: false }
  const components = [last]
  for (const part of parts) {
    if (part.kind !== 'constant') {
      last.text += 'x'
      last.isComputed = true
      continue
    }
    for (const [index, text] of String(part.value).split('.').entries()) {
      if (index > 0) {
        last = { text: '', isComputed: false }
        components.push(last)
      }
      last.text += text
    }
  }
  return components
}

/** Why the pattern must be written in another way; undefined when it may stand. */
function problemOf(components: readonly Component[], match: Match): string | undefined {
  const problem = uriProblem(components.map(({ text }) => text).join('.'), match)
  if (problem !== undefined) return `expected a WAMP URI: ${problem}`
  if (match !== 'prefix') return undefined
  if (!components.some(({ text, isComputed }) => text !== '' && !isComputed)) {
    return 'a prefix needs a part that is known at load'
  }
  return components.at(-1)?.isComputed
    ? 'write a dot after the last expression: WAMP compares a prefix as text, so that …user.7 would fit the topics of …user.71, too'
    : undefined
}

/**
 * The node of a topic. Evaluated, a pattern has as many parts as the document wrote, and those with an expression are not
 * empty: else ServiceError `wamp.error.invalid_uri`.
 * @param path JSON Pointer of the topic
 */
export function topicPattern(node: Node, match: Match, path: string, { issues }: Findings): Node {
  if (node.kind === 'constant' || node.kind === 'broken') return node
  const parts = partsOf(node)
  const isWhole = parts.length === 1
  if (isWhole && match === 'exact') return node
  if (isWhole) {
    const message = `the pattern of match ${match} must be written in the document: an expression may stand for a part of it only`
    issues.push({ path, message })
    return node
  }
  const components = componentsOf(parts)
  const problem = problemOf(components, match)
  if (problem !== undefined) issues.push({ path, message: problem })
  if (match === 'exact') return node
  const run = runOf(node)
  return deferred(
    (context) => {
      const topic = String(run(context))
      const found = topic.split('.')
      const fits =
        found.length === components.length &&
        components.every(({ isComputed }, index) => !isComputed || found[index] !== '')
      if (fits) return topic
      throw new ServiceError(
        'wamp.error.invalid_uri',
        'topic: a value of the request stands for one part of it, which is neither empty nor holds a dot',
      )
    },
    [node],
    { source: node },
  )
}
