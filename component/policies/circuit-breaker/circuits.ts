/** The circuits of this process: one for each rule and target. */
import { LRUCache } from 'lru-cache'
import { shortKey } from '#component/policies/short-key.ts'
import { Breaker, type CircuitState } from './breaker.ts'
import type { BreakerPlan } from './plan.ts'

/** Known at once; beyond, the one that was not used for longest is forgotten, and is closed. */
const maxCircuits = 1000

/** A circuit that was not used for longer is not told; milliseconds. Its document may be gone. */
const toldMs = 300_000

/** What a circuit is called: as the document writes its target, which holds no data of a request. */
export interface CircuitName {
  /** The id of the document. */
  readonly api: string
  /** The key of its version. */
  readonly version: string
  readonly text: string
}

interface Circuit {
  readonly name: CircuitName
  readonly breaker: Breaker
  usedAt: number
}

/** The states of all circuits with the same name: that of the worst. */
export interface NamedState {
  readonly name: CircuitName
  readonly state: CircuitState
}

const order: readonly CircuitState[] = ['closed', 'half-open', 'open']

/** Finds and makes circuits. */
export class Circuits {
  readonly #circuits = new LRUCache<string, Circuit>({ max: maxCircuits })

  /** @param target origin or procedure, as evaluated */
  of(plan: BreakerPlan, target: string, name: CircuitName, now: number): Breaker {
    const key = shortKey(`${name.api}\n${plan.place}\n${target}`)
    let circuit = this.#circuits.get(key)
    if (circuit === undefined) {
      circuit = { name, breaker: new Breaker(plan), usedAt: now }
      this.#circuits.set(key, circuit)
    }
    circuit.usedAt = now
    return circuit.breaker
  }

  /** The states of the circuits that are in use. @param isByApi whether those of other documents and versions have another name */
  states(now: number, isByApi: boolean): readonly NamedState[] {
    const worst = new Map<string, NamedState>()
    for (const { name, breaker, usedAt } of this.#circuits.values()) {
      if (now - usedAt > toldMs) continue
      const key = isByApi ? JSON.stringify([name.api, name.version, name.text]) : name.text
      const state = breaker.stateAt(now)
      const known = worst.get(key)
      if (!known || order.indexOf(state) > order.indexOf(known.state)) {
        worst.set(key, { name, state })
      }
    }
    return [...worst.values()]
  }
}
