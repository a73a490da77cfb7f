/** Quantities that are collected round by round. */
import type { Figure } from './stage.ts'

/** The values of each name, in the order in which the names came. */
export class Figures {
  readonly #byName = new Map<string, Figure & { readonly values: number[] }>()

  add(name: string, unit: string, value: number): void {
    const figure = this.#byName.get(name) ?? { name, unit, values: [] }
    figure.values.push(value)
    this.#byName.set(name, figure)
  }

  all(): Figure[] {
    return [...this.#byName.values()]
  }
}
