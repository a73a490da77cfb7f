/** What a policy adds to the OpenAPI description of an operation: answers, header fields, and what it reads of a request. */
import type { JsonMap } from '#component/syntax/values.ts'

/** A header field of answers, and its Header Object. */
export interface Field {
  readonly name: string
  readonly header: JsonMap
}

/** A field that a request may have. */
interface RequestField {
  readonly schema: JsonMap
  readonly isRequired: boolean
}

/** What a policy adds. */
export interface PolicyAnswers {
  /** Those of an answer of the action. @param status may be `2XX`, `default` */
  fields?(status: string): readonly Field[]
  /** An answer in place of one with a status of `of`: it has the fields that all policies give to the first of these. */
  readonly inPlace?: {
    readonly status: string
    readonly of: readonly string[]
    /** Whether it has their content, too. */
    readonly hasContent?: boolean
  }
  /** Statuses of errors of the gateway. */
  readonly errors?: readonly string[]
  /** Status to the fields of a refusal. */
  readonly refusals?: Readonly<Record<string, readonly Field[]>>
  /** Names in lower case; undefined: as the request has it. */
  readonly request?: Readonly<Record<string, RequestField | undefined>>
}

/** Makes a field. */
export const field = (
  name: string,
  type: 'string' | 'integer',
  description: string,
  example: unknown,
): Field => ({ name, header: { description, schema: { type }, example } })

/** Of refusals. */
export const retryAfter = field(
  'Retry-After',
  'integer',
  'Seconds until a request can be served again.',
  3,
)

/** Whether a method reads. */
export const isRead = (method: string): boolean => method === 'get' || method === 'head'
