/** The place in the console that the address names, as `#/apis/com.example/versions`. */
import { makeStore, useStore } from './store.js'

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const read = () => location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decoded)

const place = makeStore({ parts: read() })

addEventListener('hashchange', () => place.set({ parts: read() }))

/** The parts of the place: the screen, and what it shows. */
export const usePlace = () => useStore(place).parts

/** @param {readonly string[]} parts */
export const linkTo = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`

/** @param {readonly string[]} parts */
export function goTo(...parts) {
  location.hash = linkTo(...parts)
}
