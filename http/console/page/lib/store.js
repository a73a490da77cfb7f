/** A value that parts of the page show: they are drawn anew, at most once a frame, when it changes. */
import { useEffect, useReducer } from '../preact.js'

/**
 * @template T
 * @typedef {{ get(): T, set(change: Partial<T>): void, follow(listener: () => void): () => void }} Store
 */

/**
 * @template {object} T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function makeStore(initial) {
  let value = initial
  let isQueued = false
  /** @type {Set<() => void>} */
  const listeners = new Set()
  const flush = () => {
    isQueued = false
    for (const listener of [...listeners]) listener()
  }
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...change }
      if (isQueued) return
      isQueued = true
      requestAnimationFrame(flush)
    },
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/**
 * The value of a store, within a component.
 * @template T
 * @param {Store<T>} store
 * @returns {T}
 */
export function useStore(store) {
  const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0)
  const drawn = store.get()
  useEffect(() => {
    const unfollow = store.follow(() => redraw(undefined))
    // effects run a frame later: the value may have changed since
    if (store.get() !== drawn) redraw(undefined)
    return unfollow
  }, [store])
  return drawn
}
