/** What a realm says of its upstreams (`info.upstreams`), read with defaults. The load of the realm has checked it. */

import type { Origin } from '#component/syntax/upstream-origin.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'

/** At most so many upstreams of a realm, and targets of one. */
export const upstreamLimits = { upstreams: 256, targets: 64 } as const

/** The name of an upstream: what paths, metrics and the log call it. */
export const upstreamName = /^[\w.-]{1,64}$/

/** One copy of a backend. */
export interface TargetSettings {
  /** As the document writes it: the target is known by it. */
  readonly url: string
  readonly origin: Origin
}

/** One upstream. */
export interface UpstreamSettings {
  readonly name: string
  readonly targets: readonly TargetSettings[]
}

function readTarget(value: unknown): TargetSettings[] {
  const url = isMap(value) ? String(value.url) : ''
  const origin = readOrigin(url)
  return 'problem' in origin ? [] : [{ url, origin }]
}

const readUpstream = (name: string, { targets }: JsonMap): UpstreamSettings => ({
  name,
  targets: Array.isArray(targets) ? targets.flatMap(readTarget) : [],
})

/** The upstreams of a realm. @param info of its document */
export function readUpstreams({ upstreams }: JsonMap): readonly UpstreamSettings[] {
  if (!isMap(upstreams)) return []
  return Object.entries(upstreams).flatMap(([name, value]) =>
    isMap(value) ? [readUpstream(name, value)] : [],
  )
}

/** Whether a realm has an upstream of a name. @param info of its document */
export const hasUpstream = (info: JsonMap, name: string): boolean =>
  isMap(memberOf(info.upstreams, name))
