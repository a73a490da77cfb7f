/** The API Specifications that the operator sees, kept as events tell of changes. */
import { call, specPath } from './api.js'
import { onEvent } from './live.js'
import { makeStore } from './store.js'

/** @typedef {import('../types.d.ts').Spec} Spec */

/** @type {{ specs: ReadonlyMap<string, Spec>, isLoaded: boolean, problem: string }} */
const nothing = { specs: new Map(), isLoaded: false, problem: '' }

/** By id. */
export const specStore = makeStore(nothing)

/** Changes are gathered for this time; more than a few are read as one list. */
const gatherMs = 80
const mostSingle = 8
const listPauseMs = 3_000

/** @type {Set<string>} */
const changed = new Set()
let isWaiting = false
let listedAt = 0

/** Reads all. */
async function loadSpecs() {
  listedAt = Date.now()
  changed.clear()
  try {
    /** @type {Spec[]} */
    const all = await call('GET', '/api_specs')
    specStore.set({ specs: new Map(all.map((one) => [one.id, one])), isLoaded: true, problem: '' })
  } catch (error) {
    specStore.set({ problem: error instanceof Error ? error.message : String(error) })
  }
}

onEvent((name, { id }) => {
  if (name === 'hello') void loadSpecs()
  if (name !== 'on_load' && name !== 'on_delete') return
  changed.add(id)
  if (!isWaiting) setTimeout(readChanged, gatherMs)
  isWaiting = true
})

async function readChanged() {
  const pause = listedAt + listPauseMs - Date.now()
  if (changed.size > mostSingle && pause > 0) {
    setTimeout(readChanged, pause)
    return
  }
  isWaiting = false
  if (changed.size > mostSingle) {
    await loadSpecs()
    return
  }
  const ids = [...changed]
  changed.clear()
  const found = await Promise.all(ids.map((id) => call('GET', specPath(id)).catch(() => undefined)))
  const specs = new Map(specStore.get().specs)
  for (const [index, id] of ids.entries()) {
    if (found[index]) specs.set(id, found[index])
    else specs.delete(id)
  }
  specStore.set({ specs })
}

const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']

/**
 * The operations of a document.
 * @param {Spec | undefined} spec
 * @returns {{ version: string, isActive: boolean, method: string, pattern: string, path: string, operation: any }[]}
 */
export function operationsOf(spec) {
  return Object.entries(spec?.versions ?? {}).flatMap(
    ([version, { base_path = '', paths = {}, is_active = true }]) =>
      Object.entries(paths).flatMap(([path, item]) =>
        methods
          .filter((method) => method in item)
          .map((method) => ({
            ...{ version, isActive: is_active !== false, method, path },
            pattern: `${base_path}${path}`,
            operation: item[method],
          })),
      ),
  )
}
