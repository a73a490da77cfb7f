/** Asks all other processes of the cluster one question. */
import type { Sync } from '#component/sync/sync.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'

/** The processes of the cluster, as a part of one of them asks the others. */
export type Nodes = Pick<Sync, 'ask' | 'answers' | 'processNames'>

/** What they have said. */
export interface Heard<T> {
  readonly answers: readonly T[]
  /** The processes that have not answered, or not so that it can be read, as those of an earlier version. */
  readonly unheard: readonly string[]
}

/** @param read gives undefined for what is no answer */
export async function askNodes<T>(
  nodes: Nodes,
  question: Parameters<Sync['ask']>[1],
  content: JsonMap,
  read: (answer: JsonMap, node: string) => T | undefined,
): Promise<Heard<T>> {
  const answers: T[] = []
  const unheard: string[] = []
  await Promise.all(
    nodes.processNames.map(async (node) => {
      const asked = nodes.ask(node, question, content)
      const answer = await asked.then(
        (found) => read(found, node),
        () => undefined,
      )
      if (answer === undefined) unheard.push(node)
      else answers.push(answer)
    }),
  )
  return { answers, unheard: unheard.sort() }
}

/** Reads a member of an answer that is a list of maps; undefined for what is none. */
export const readMaps = (value: unknown): readonly JsonMap[] | undefined =>
  Array.isArray(value) ? value.filter(isMap) : undefined

/** What processes tell, in the order of the names of their nodes. */
export const inOrderOfNodes = <T extends JsonMap>(told: readonly T[]): readonly T[] =>
  told.toSorted((a, b) => String(a.node).localeCompare(String(b.node)))
