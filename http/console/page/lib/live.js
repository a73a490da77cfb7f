/** What happens in the cluster: the events of the gateway, read by fetch, and what the pages keep of them. */
import { authorization, credentials, urlOf, useCredentials } from './api.js'
import { quantile } from './format.js'
import { withPoint } from './points.js'
import { makeStore } from './store.js'

/**
 * @typedef {object} Live
 * @property {'connecting' | 'live' | 'away' | 'signed-out'} state
 * @property {number} heardAt when something came last; milliseconds since the epoch
 * @property {number} retryAt when the next attempt is made
 * @property {string} refusal why the gateway has let nobody in
 * @property {import('../types.d.ts').Hello | undefined} hello
 * @property {ReadonlyMap<string, import('../types.d.ts').Stats>} nodes the newest numbers of each process
 * @property {readonly import('../types.d.ts').Point[]} points of the last hour, of all processes together, the oldest first
 * @property {readonly import('../types.d.ts').ClusterEvent[]} events the newest first
 */

/** @type {Live} */
const nothing = {
  state: 'connecting',
  heardAt: 0,
  retryAt: 0,
  refusal: '',
  hello: undefined,
  nodes: new Map(),
  points: [],
  events: [],
}

/** What the gateway has told until now. */
export const live = makeStore(nothing)

const mostEvents = 300
/** A process that tells nothing for so long is gone; milliseconds. */
const silentMs = 7_000
/** Nothing, not even a heartbeat, for so long: the connection is dead; milliseconds. */
const deadMs = 25_000

/** @type {Set<(name: string, data: any) => void>} */
const listeners = new Set()

/** @param {(name: string, data: any) => void} listener told of each event */
export function onEvent(listener) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

let attempt = new AbortController()
let pauseMs = 1_000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/** Reads the events from now on; after a loss it begins anew. */
export function connect() {
  clearTimeout(timer)
  attempt.abort()
  attempt = new AbortController()
  void read(attempt.signal)
}

/** @param {string} text credentials */
export function signIn(text) {
  useCredentials(text)
  live.set({ ...nothing })
  connect()
}

/** @param {string} refusal why */
export function signOut(refusal = '') {
  attempt.abort()
  clearTimeout(timer)
  useCredentials(undefined)
  live.set({ ...nothing, state: 'signed-out', refusal })
}

/** @param {AbortSignal} signal */
async function read(signal) {
  const reader = await open(signal)
  if (!reader) return
  const decoder = new TextDecoder()
  let text = ''
  const watch = setInterval(() => {
    if (Date.now() - live.get().heardAt > deadMs) void reader.cancel().catch(() => {})
  }, 1_000)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) break
      text += decoder.decode(value, { stream: true })
      const end = text.lastIndexOf('\n\n')
      live.set({ heardAt: Date.now() })
      if (end < 0) continue
      take(text.slice(0, end).split('\n\n'))
      text = text.slice(end + 2)
    }
  } catch {
    // the connection is lost
  }
  clearInterval(watch)
  if (!signal.aborted) retry()
}

/** @param {AbortSignal} signal */
async function open(signal) {
  try {
    const answer = await fetch(urlOf('/events'), { headers: authorization(), signal })
    if (answer.status === 401 || answer.status === 403) {
      const { message = '' } = await answer.json().catch(() => ({}))
      signOut(answer.status === 401 && credentials() === null ? '' : message)
    } else if (answer.ok && answer.body) {
      pauseMs = 1_000
      return answer.body.getReader()
    } else retry()
  } catch {
    if (!signal.aborted) retry()
  }
  return undefined
}

function retry() {
  const { state } = live.get()
  live.set({ state: state === 'signed-out' ? state : 'away', retryAt: Date.now() + pauseMs })
  timer = setTimeout(connect, pauseMs)
  pauseMs = Math.min(pauseMs * 1.6, 10_000)
}

/** @param {readonly string[]} frames */
function take(frames) {
  const { nodes, points, events } = live.get()
  const numbers = new Map(nodes)
  /** @type {import('../types.d.ts').ClusterEvent[]} */
  const fresh = []
  for (const frame of frames) {
    const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
    if (name === '') continue
    const value = JSON.parse(data)
    if (name === 'hello') live.set({ state: 'live', hello: value, refusal: '' })
    else if (name === 'stats') numbers.set(value.node, { ...value, ts: Date.now() })
    else if (name.startsWith('on_')) fresh.push({ ...value, name, at: Date.now() })
    if (name === 'on_node_leave') numbers.delete(value.node)
    for (const listener of listeners) listener(name, value)
  }
  const now = Date.now()
  for (const [node, { ts }] of numbers) if (now - ts > silentMs) numbers.delete(node)
  const isNew = frames.some((frame) => frame.startsWith('event: stats'))
  live.set({
    nodes: numbers,
    points: isNew ? withPoint(points, pointOf([...numbers.values()], now)) : points,
    events: fresh.length > 0 ? [...fresh.reverse(), ...events].slice(0, mostEvents) : events,
  })
}

/**
 * @param {readonly import('../types.d.ts').Stats[]} all
 * @param {number} at
 * @returns {import('../types.d.ts').Point}
 */
function pointOf(all, at) {
  const total = { rate: 0, failed: 0, inFlight: 0 }
  /** @type {number[]} */
  const buckets = []
  for (const { seconds, routes, in_flight = 0, ...whole } of all) {
    const parts = whole.count === undefined ? routes : [whole]
    for (const { count = 0, errors = 0, buckets: some = [] } of parts) {
      if (seconds > 0) total.rate += count / seconds
      if (seconds > 0) total.failed += errors / seconds
      for (const [index, each] of some.entries()) buckets[index] = (buckets[index] ?? 0) + each
    }
    total.inFlight += in_flight
  }
  const bounds = all[0]?.bounds ?? []
  return {
    at,
    rate: total.rate,
    errors: total.rate > 0 ? total.failed / total.rate : 0,
    p50: quantile(buckets, bounds, 0.5),
    p99: quantile(buckets, bounds, 0.99),
    inFlight: total.inFlight,
  }
}
