/** Which routes were asked for since the processes of all gateways have been there. */
import { useAnswer, useNow } from '../parts/basics.js'
import { call, specPath } from './api.js'

/** @typedef {import('../types.d.ts').RouteUse} RouteUse */

/** It is asked for anew so often; milliseconds. */
const everyMs = 5_000

/** @param {string} api @param {{ version: string, method: string, pattern?: string, route?: string }} route */
const keyOf = (api, { version, method, pattern, route }) =>
  JSON.stringify([api, version, method, route ?? pattern])

/** @param {string} [id] of a document; absent: of all @param {boolean} [isWanted] */
export function useRouteUse(id, isWanted = true) {
  const tick = Math.floor(useNow(everyMs) / everyMs)
  const { value, error } = useAnswer(async () => {
    if (!isWanted) return undefined
    return await call('GET', id === undefined ? '/route_use' : `${specPath(id)}/route_use`)
  }, [id, isWanted, tick])
  /** @type {RouteUse[]} */
  const routes = value?.routes ?? []
  const used = new Map(routes.map((one) => [keyOf(one.api, one), one]))
  return {
    ...{ error, routes },
    /** When the last process has started; milliseconds since the epoch. */
    since: Number(value?.since ?? 0),
    /** Whether a route that is not there was not asked for. */
    isWhole: value?.is_whole === true,
    /** @param {string} api @param {{ version: string, method: string, pattern: string }} operation */
    find: (api, operation) => used.get(keyOf(api, operation)),
  }
}
