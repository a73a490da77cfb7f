/** The options in which two configurations differ, and those of a configuration that differ from their defaults. */
import { isDeepStrictEqual } from 'node:util'
import { isMap } from '#component/syntax/values.ts'
import { type Config, configOf } from './config.ts'
import { maskConfig } from './mask-config.ts'

/** An option whose value differs. */
interface DifferingOption {
  /** Its section and its name in it. */
  readonly keys: readonly string[]
  /** What the first of the two configurations says. */
  readonly value: unknown
}

/** The options whose values differ; a section that only one of the two has counts as one option. */
export function differingOptions(
  one: unknown,
  other: unknown,
  keys: readonly string[] = [],
): readonly DifferingOption[] {
  if (!isMap(one) || !isMap(other)) {
    return isDeepStrictEqual(one, other) ? [] : [{ keys, value: one }]
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].flatMap((name) => differingOptions(one[name], other[name], [...keys, name]))
}

/** The changed options by their dotted keys, with secrets masked. */
export const changedOptions = (config: Config): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    differingOptions(config, configOf({})).map(({ keys, value }) => [
      keys.join('.'),
      maskConfig(value, keys.at(-1)),
    ]),
  )
