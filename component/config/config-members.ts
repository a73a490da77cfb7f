/** The kinds of options that the sections of the configuration have in common. */
import { array, integer, type Members, object, string, union } from './json-schema.ts'

/** A time of at most an hour, in milliseconds. */
export const milliseconds = (value: number, description: string) =>
  integer({
    minimum: 0,
    maximum: 3_600_000,
    default: value,
    description: `${description} Milliseconds.`,
  })

/** A time in whole seconds, at least one. */
export const seconds = (value: number, maximum: number, description: string) =>
  integer({ minimum: 1, maximum, default: value, description: `${description} Seconds.` })

/** A list of strings; empty when absent. */
export const strings = (description: string, value: readonly string[] = []) =>
  array(string(), { default: value, description })

/** An object whose absent members get their defaults, and whose unknown members are refused. */
export const section = <M extends Members>(members: M, description: string) =>
  object(members, { default: {}, description })

/** A text that is shown nowhere. */
export const secret = (description: string) =>
  union([string(), object({ file: string() })], {
    description: `${description} Text, or \`{file: …}\` to read it from a file.`,
  })
