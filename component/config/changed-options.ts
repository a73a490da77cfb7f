/** The options of a configuration that differ from their defaults. */
import { isDeepStrictEqual } from 'node:util'
import { isMap } from '#component/syntax/values.ts'
import { type Config, configOf, maskConfig } from './config.ts'

/** The changed options by their dotted keys, with secrets masked. */
export const changedOptions = (config: Config): Readonly<Record<string, unknown>> =>
  Object.fromEntries(differences(config, configOf({}), []))

function differences(
  value: unknown,
  standard: unknown,
  keys: readonly string[],
): (readonly [string, unknown])[] {
  if (isDeepStrictEqual(value, standard)) return []
  if (!isMap(value) || (keys.length > 0 && !isMap(standard)))
    return [[keys.join('.'), maskConfig(value, keys.at(-1))]]
  const standards = isMap(standard) ? standard : {}
  return Object.entries(value).flatMap(([key, member]) =>
    differences(member, standards[key], [...keys, key]),
  )
}
