/** The rules of paths and their operations, with the declarations of their answers. */
import { methods } from '#component/request.ts'
import { examples } from '#component/spec/examples/examples.ts'
import { views } from '#component/spec/streams/stream-rules.ts'
import { tool } from '#component/spec/tools/tool-rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { action, optionsAction } from './action-rules.ts'
import { headers, reference, statusCode } from './http-rules.ts'
import { inheritable, scopes } from './inheritable.ts'
import { level } from './levels.ts'
import { lifetimeKeys } from './lifetime-rules.ts'
import { publication } from './publication-rules.ts'
import { operationRequest, pathRequest, schema } from './request-rules.ts'
import {
  anything,
  boolean,
  described,
  dynamic,
  integer,
  must,
  object,
  type Rule,
  type Shape,
  string,
} from './rules.ts'
import { streamedBodyKeys } from './streamed-body-rule.ts'

/** What a response declares as values. */
export const declared = {
  status_code: statusCode,
  headers,
  body: anything,
  uri: dynamic(reference),
}
const bytes = integer(0, Number.MAX_SAFE_INTEGER, ' of bytes')

/** Where the body of a success stands in the whole. */
export const extent = {
  first: described(dynamic(bytes), 'Which byte of the whole is the first one of the body.', {
    default: 0,
  }),
  length: described(dynamic(bytes), 'Bytes of the whole body.'),
}

const declaration = (keys: Shape['keys']): Rule =>
  dynamic(
    level(
      'on_result or on_error',
      { keys: { ...declared, ...keys, schema } },
      'a response declaration',
    ),
  )

export const onResult = declaration(extent)
export const onError = declaration({})

export const response = dynamic(
  level('a response', { keys: { on_result: onResult, on_error: onError, ...views } }),
)

/** Without headers: an operation has none of its own. */
const operationDefaults = dynamic(object('a map of defaults', { keys: inheritable }))

const operationOf = (action: Rule): Rule =>
  dynamic(
    level('an operation', {
      keys: {
        action,
        response,
        request: operationRequest,
        examples,
        tool,
        ...streamedBodyKeys,
        info: must('a text or a map', (value) => typeof value === 'string' || isMap(value), {
          type: ['string', 'object'],
        }),
        summary: string,
        description: string,
        ...publication,
        ...lifetimeKeys,
        ...inheritable,
        ...scopes,
        defaults: operationDefaults,
      },
      required: {
        action: 'an action: what the operation does',
        response: 'a response: {on_result, on_error}',
      },
    }),
  )

/** One method of a path. */
export const operation = operationOf(action)
const optionsOperation = operationOf(optionsAction)

const pathShape: Shape = {
  keys: {
    summary: string,
    description: string,
    is_collection: boolean,
    ...lifetimeKeys,
    request: pathRequest,
    headers,
    ...inheritable,
    ...scopes,
    ...Object.fromEntries(
      methods.map((method) => [method, method === 'options' ? optionsOperation : operation]),
    ),
  },
}

/** A Path object; it is never an expression as a whole. */
export const path: Rule = level(
  'a path',
  pathShape,
  'a path: a map with an operation for each method',
)
