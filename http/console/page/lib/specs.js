/** The API Specifications that the operator sees, kept as events tell of changes. */
import { call, Refusal, specPath } from './api.js'
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

/** Ids of what is to be read again. @type {Set<string>} */
const changed = new Set()
/** Reads of one connection follow one another: none overwrites what a later one has found. */
let reading = Promise.resolve()
let connection = 0
let isDue = false
let listedAt = 0

onEvent((name, { id }) => {
  if (name === 'hello') {
    connection += 1
    reading = loadSpecs()
  }
  if (name !== 'on_load' && name !== 'on_delete') return
  changed.add(id)
  readLater(gatherMs)
})

/** @param {number} pauseMs */
function readLater(pauseMs) {
  if (isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    reading = reading.then(readChanged)
  }, pauseMs)
}

async function readChanged() {
  const pause = listedAt + listPauseMs - Date.now()
  if (changed.size <= mostSingle) await loadSingle()
  else if (pause <= 0) await loadSpecs()
  else readLater(pause)
}

/** Reads all. */
async function loadSpecs() {
  listedAt = Date.now()
  const ids = take()
  const mine = connection
  try {
    /** @type {Spec[]} */
    const all = await call('GET', '/api_specs')
    const specs = new Map(all.map((one) => [one.id, one]))
    if (mine === connection) specStore.set({ specs, isLoaded: true, problem: '' })
  } catch (error) {
    if (mine !== connection) return
    specStore.set({ problem: error instanceof Error ? error.message : String(error) })
    if (isPassing(error)) readAgain(ids)
  }
}

/** Reads each that has changed. */
async function loadSingle() {
  const ids = take()
  const mine = connection
  const found = await Promise.all(
    ids.map((id) => call('GET', specPath(id)).catch((error) => error)),
  )
  if (mine !== connection) return
  const specs = new Map(specStore.get().specs)
  for (const [index, id] of ids.entries()) {
    const one = found[index]
    if (isPassing(one)) readAgain([id])
    else if (!one || one instanceof Error) specs.delete(id)
    else specs.set(id, one)
  }
  specStore.set({ specs })
}

/** Ids of what has changed until now. */
function take() {
  const ids = [...changed]
  changed.clear()
  return ids
}

/**
 * Whether the gateway may answer otherwise in a moment.
 * @param {unknown} error
 */
const isPassing = (error) =>
  error instanceof Refusal && (error.status === 0 || error.status === 429 || error.status >= 500)

/** @param {readonly string[]} ids of what could not be read */
function readAgain(ids) {
  for (const id of ids) changed.add(id)
  if (ids.length > 0) readLater(listPauseMs)
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
