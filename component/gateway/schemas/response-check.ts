/** Checks the body of an answer against the schema of `on_result` or `on_error`. */

import type { Found } from '#component/schema/validators.ts'
import {
  type MismatchMode,
  type MismatchSink,
  type NamedOperation,
  type NamedRequest,
  ResponseMismatch,
} from './mismatches.ts'
import type { ValueCheck } from './value-check.ts'

/** The check of one response declaration. */
export interface ResponseCheck {
  /** JSON Pointer of the schema in the document. */
  readonly at: string
  readonly mode: MismatchMode
  readonly check: ValueCheck
  readonly sink: MismatchSink
}

/**
 * Checks a value; one that takes long in later turns of the event loop.
 * @throws ResponseMismatch, where `validate_responses` is `enforce`
 */
export function checkAnswer(
  response: ResponseCheck,
  request: NamedRequest,
  operation: NamedOperation,
  value: unknown,
): void | Promise<void> {
  const found = response.check.mistakesOf(value, '', response.mode)
  return found instanceof Promise
    ? found.then((mistakes) => judged(response, request, operation, value, mistakes))
    : judged(response, request, operation, value, found)
}

function judged(
  { at, mode, check, sink }: ResponseCheck,
  request: NamedRequest,
  operation: NamedOperation,
  value: unknown,
  mistakes: Found,
): void {
  request.listener?.judged({ part: 'response', mode, value, received: value, mistakes })
  if (mistakes === undefined) return
  sink.note(request, operation, 'response', mode, mistakes, check)
  if (mode === 'enforce') throw new ResponseMismatch(mistakes, at, check)
}
