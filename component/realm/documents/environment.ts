/** `${NAME}` in the strings of a realm document: the value of an environment variable. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'

/** The environment of the process, or of a test. */
export type Environment = Readonly<Record<string, string | undefined>>

const isNameCharacter = (code: number, isFirst: boolean): boolean => {
  const lower = code | 0x20
  if (code === 0x5f || (lower >= 0x61 && lower <= 0x7a)) return true
  return !isFirst && code >= 0x30 && code <= 0x39
}

function isName(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (!isNameCharacter(text.charCodeAt(at), at === 0)) return false
  }
  return text.length > 0
}

/** The text with every `${NAME}` filled in. */
function fillText(text: string, environment: Environment, onMissing: (name: string) => void) {
  let filled = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('${', at)
    const end = start < 0 ? -1 : text.indexOf('}', start)
    if (end < 0) return filled + text.slice(at)
    const name = text.slice(start + 2, end)
    if (isName(name)) {
      const value = environment[name]
      if (value === undefined) onMissing(name)
      filled += text.slice(at, start) + (value ?? '')
      at = end + 1
    } else {
      filled += text.slice(at, start + 2)
      at = start + 2
    }
  }
}

/** Whether the text is one `${NAME}` alone: such a text refers to a secret and is not one. */
export const isReference = (text: string): boolean =>
  text.startsWith('${') && text.endsWith('}') && isName(text.slice(2, -1))

/** Whether a value refers to environment variables or files of this machine anywhere: `${NAME}`, `{env: …}`, `{file: …}`, `ca_file`. */
export function hasReferences(value: unknown): boolean {
  if (typeof value === 'string') {
    let isFound = false
    fillText(value, {}, () => {
      isFound = true
    })
    return isFound
  }
  if (typeof value !== 'object' || value === null) return false
  const keys = Object.keys(value)
  const isPlace = keys.length === 1 && (keys[0] === 'env' || keys[0] === 'file')
  return isPlace || keys.includes('ca_file') || Object.values(value).some(hasReferences)
}

/**
 * A copy of a JSON value with the variables filled in.
 * @param issues gets one for each variable that is not set
 */
export function fillEnvironment(
  value: unknown,
  environment: Environment,
  path: string,
  issues: Issue[],
): unknown {
  if (typeof value === 'string') {
    return fillText(value, environment, (name) => {
      issues.push({ path, message: `the environment variable ${name} is not set` })
    })
  }
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      fillEnvironment(item, environment, pointer(path, index), issues),
    )
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      fillEnvironment(member, environment, pointer(path, key), issues),
    ]),
  )
}
