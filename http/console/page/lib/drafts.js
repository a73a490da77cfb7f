/** Texts that are edited and not loaded yet, by the place that edits them: another screen, another tab of a screen and a reload leave them. */

// API Specifications are kept for as long as the tab of the browser; users and grants, whose texts may hold passwords, in memory alone
/** @typedef {{ text: string, hash: string | undefined }} Draft hash: of the version that the editing began with */

const prefix = 'wamp-gateway.draft.'

/** @type {Map<string, Draft>} */
const inMemory = new Map()

/** @param {string} key */
const isSecret = (key) => key.startsWith('realm')

/** @param {string} key @returns {Draft | undefined} */
export function draftOf(key) {
  const kept = inMemory.get(key)
  if (kept || isSecret(key)) return kept
  const text = sessionStorage.getItem(prefix + key)
  return text === null ? undefined : JSON.parse(text)
}

/** @param {string} key @param {Draft | undefined} draft undefined: nothing is left to load */
export function keepDraft(key, draft) {
  if (draft === undefined) {
    inMemory.delete(key)
    sessionStorage.removeItem(prefix + key)
    return
  }
  inMemory.set(key, draft)
  if (isSecret(key)) return
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify(draft))
  } catch {
    // the storage of the tab is full: the draft ends with a reload, before which the browser asks
  }
}

/** Forgets all of them: whoever signs in next is another. */
export function forgetDrafts() {
  inMemory.clear()
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

addEventListener('beforeunload', (event) => {
  const isLost = [...inMemory.keys()].some((key) => sessionStorage.getItem(prefix + key) === null)
  if (isLost) event.preventDefault()
})
