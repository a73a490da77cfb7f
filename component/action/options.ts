/** The WAMP options that a document or a request may set, and their types (behaviour §4). */
import { ServiceError } from '#component/errors.ts'
import { maxInteger } from '#component/syntax/integers.ts'
import { isMap } from '#component/syntax/values.ts'
import { traceAttributes } from '#component/telemetry/wamp-context.ts'

type Options = Readonly<Record<string, unknown>>
type OptionType = keyof typeof types

const isInteger = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
  (typeof value === 'bigint' && value >= 0n && value <= maxInteger)

const types = {
  'a boolean': (value: unknown) => typeof value === 'boolean',
  'a non-negative integer': isInteger,
  'a string or an integer': (value: unknown) => typeof value === 'string' || isInteger(value),
  'a list of integers': (value: unknown) => Array.isArray(value) && value.every(isInteger),
  'a list of strings': (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string'),
} as const

/** The options of CALL that pass. */
export const callOptions: Readonly<Record<string, OptionType>> = {
  disclose_me: 'a boolean',
  receive_progress: 'a boolean',
  rkey: 'a string or an integer',
  timeout: 'a non-negative integer',
}

/** The options of PUBLISH that pass. */
export const publishOptions: Readonly<Record<string, OptionType>> = {
  acknowledge: 'a boolean',
  disclose_me: 'a boolean',
  eligible: 'a list of integers',
  eligible_authid: 'a list of strings',
  eligible_authrole: 'a list of strings',
  exclude: 'a list of integers',
  exclude_authid: 'a list of strings',
  exclude_authrole: 'a list of strings',
  exclude_me: 'a boolean',
  retain: 'a boolean',
}

/** The options of SUBSCRIBE that pass. */
export const subscribeOptions: Readonly<Record<string, OptionType>> = {
  get_retained: 'a boolean',
}

const none: Options = Object.freeze({})

/**
 * Keeps the options that pass, `_`-prefixed ones included, and drops the others; those of a trace context are the gateway's to set.
 * ServiceError `wamp.error.option_not_allowed` for a value of the wrong type.
 * @param value the field `options`; absent, null and `""` mean no options
 */
export function passOptions(
  value: unknown,
  allowed: Readonly<Record<string, OptionType>>,
): Record<string, unknown> | Options {
  if (value === undefined || value === null || value === '') return none
  if (!isMap(value)) {
    throw new ServiceError('wamp.error.option_not_allowed', 'options: expected a map')
  }
  let passed: Record<string, unknown> | undefined
  for (const [name, option] of Object.entries(value)) {
    if (name.startsWith('_')) {
      if (traceAttributes.includes(name)) continue
    } else {
      const type = Object.hasOwn(allowed, name) ? allowed[name] : undefined
      if (!type) continue
      if (!types[type](option)) {
        throw new ServiceError('wamp.error.option_not_allowed', `option ${name}: expected ${type}`)
      }
    }
    passed ??= {}
    passed[name] = option
  }
  return passed ?? none
}
