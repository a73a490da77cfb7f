/** Values as text, for `string` and concatenation. */
import { stringifyJson } from '#component/codec/json.ts'
import { charge, treeSize } from './budget.ts'
import type { Site } from './site.ts'
import { kindOf } from './values.ts'

/** Strings as they are, everything else as JSON; charged to the running evaluation. */
export function textOf(value: unknown, site: Site): string {
  let text: string
  if (typeof value === 'string') text = value
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) site.fail('expected a finite number')
    text = String(value)
  } else if (typeof value === 'object' && value !== null) return jsonOf(value, site)
  else text = String(value)
  charge(text.length, site)
  return text
}

/** A value as JSON. The size is charged before the text is built, and what escaping adds afterwards. */
export function jsonOf(value: unknown, site: Site): string {
  const kind = kindOf(value)
  if (kind === 'binary data') site.fail('binary data cannot be written as text')
  const size = treeSize(value)
  charge(size, site)
  const text = stringifyJson(value)
  charge(Math.max(0, text.length - size), site)
  return text
}
