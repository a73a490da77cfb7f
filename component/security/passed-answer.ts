/** The answer of another service that is passed on to the client in place of an error of the gateway. */
import { type ErrorUri, ServiceError, type ServiceErrorOptions } from '#component/errors.ts'

/** What a service answers about a request. */
export interface AuthAnswer {
  readonly status: number
  /** Lower-case names, without those of the connection; a list is a field that is sent more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The names of the fields that came more than once; {@link headers} has one of them, with all values. */
  readonly repeated: ReadonlySet<string>
  readonly body: Uint8Array
}

/** Refuses a request by the answer of another service. */
export class PassedAnswer extends ServiceError {
  readonly answer: AuthAnswer

  constructor(uri: ErrorUri, answer: AuthAnswer, options?: ServiceErrorOptions) {
    super(uri, 'another service refuses the request', options)
    this.answer = answer
  }
}
