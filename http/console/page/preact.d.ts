/** The parts of Preact, hooks and htm that the pages use: `preact.js` is `htm/preact/standalone`. */

/** A piece of a page. */
export interface VNode {
  readonly type: unknown
  readonly props: unknown
}

/** What may stand between tags. */
export type Child = VNode | string | number | boolean | null | undefined | readonly Child[]

type Update<S> = (next: S | ((before: S) => S)) => void

export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode
export function render(tree: VNode, parent: Element): void
export function useState<S>(initial: S | (() => S)): [S, Update<S>]
export function useReducer<S, A>(
  step: (state: S, action: A) => S,
  initial: S,
): [S, (action: A) => void]
export function useEffect(run: () => unknown, inputs?: readonly unknown[]): void
export function useLayoutEffect(run: () => unknown, inputs?: readonly unknown[]): void
export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T
export function useRef<T>(initial: T): { current: T }
export function useErrorBoundary(): [unknown, () => void]
