/** Compiles the evaluations of one expression so that a probe is told of them; the value stays the same. */
import { readsItem } from '#component/expression/items.ts'
import { type Node, runOf, withRun } from '#component/expression/nodes.ts'
import { parseExpression } from '#component/expression/parser.ts'
import type { Site } from '#component/expression/site.ts'
import type { Evaluation, Observer, Probe, Stage } from './probe.ts'

/** A function of the chain. */
interface Step {
  readonly name: string
  /** Its arguments as far as they are known at load. */
  readonly known: readonly unknown[]
  /** The arguments of the running evaluation. */
  args: unknown[]
}

/** A function whose result was made at load. */
interface FoldedStep {
  readonly name: string
  readonly args: readonly unknown[]
  readonly result: Node
}

/** An argument as it is told: a set of keys is a list. */
const told = (value: unknown): unknown => (value instanceof Set ? [...value] : value)

/** The value of a node as far as it is known at load. */
const knownOf = (node: Node): unknown => (node.kind === 'constant' ? told(node.value) : undefined)

/** One expression while it is compiled, told of each of its parts. */
export class Watch {
  readonly #observer: Observer
  readonly #path: string
  #read: unknown
  readonly #folded: FoldedStep[] = []
  readonly #steps: Step[] = []

  /**
   * @param keys the path of the expression
   * @param site of the path
   */
  constructor(probe: Probe, keys: readonly string[], { text, path, start }: Site) {
    const open = text.lastIndexOf('{{', start)
    const { end } = parseExpression(text, path, open)
    const expression = text.slice(open, end)
    this.#observer = probe.onCompile({ at: path, expression, column: open + 1 })
    this.#path = keys.join('.')
  }

  /** The path has been compiled. */
  read(node: Node): void {
    this.#read = knownOf(node)
  }

  /** A function has been folded into a node. */
  folded(name: string, args: readonly Node[], result: Node): void {
    this.#folded.push({ name, args: args.map(knownOf), result })
  }

  /**
   * A function is evaluated for each request.
   * @param isOfItems whether arguments are evaluated for each item of a list: what these yield is told by the expressions in them
   * @returns its arguments, which tell their values
   */
  stage(name: string, args: readonly Node[], isOfItems: boolean): readonly Node[] {
    const step: Step = { name, known: args.map(knownOf), args: [] }
    this.#steps.push(step)
    return args.map((node, index) => {
      if (node.kind === 'constant' || node.kind === 'broken') return node
      if (isOfItems && readsItem(node)) return node
      const run = runOf(node)
      return withRun(node, (context) => {
        const value = run(context)
        step.args[index] = told(value)
        return value
      })
    })
  }

  /** The node of an expression whose value is another's, or known. */
  whole(node: Node): Node {
    if (node.kind === 'broken') return node
    if (node.kind !== 'constant') return withRun(node, this.chain(runOf(node), []))
    this.#begin(1, node.value).onValue(node.value)
    return node
  }

  /** The chain of functions behind a head, as {@link stage} was told of them. */
  chain<C>(
    head: (context: C) => unknown,
    stages: readonly ((value: unknown, context: C) => unknown)[],
  ): (context: C) => unknown {
    return (context) => {
      let evaluation: Evaluation | undefined
      try {
        let value = head(context)
        evaluation = this.#begin(2, value)
        for (const [index, stage] of stages.entries()) {
          const step = this.#steps[index] as Step
          step.args = [...step.known]
          value = stage(value, context)
          evaluation.onStage(step.name, step.args, value)
        }
        evaluation.onValue(value)
        return value
      } catch (error) {
        evaluation ??= this.#observer(2)
        evaluation.onFailure(error)
        throw error
      }
    }
  }

  /** Tells what comes before the first function that requests evaluate. */
  #begin(stage: Stage, value: unknown): Evaluation {
    const evaluation = this.#observer(stage)
    const last = this.#folded.at(-1)
    evaluation.onRead(this.#path, last === undefined ? value : this.#read)
    for (const folded of this.#folded) {
      const { name, args, result } = folded
      evaluation.onStage(name, args, folded === last ? value : knownOf(result))
    }
    return evaluation
  }
}
