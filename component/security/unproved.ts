/** The refusal of a request by a path with alternatives: 401 with all challenges, and what a person may do about it. */
import { ServiceError, type ServiceErrorOptions } from '#component/errors.ts'
import type { Protection } from './scheme.ts'

/** What becomes of a person who opens a page. */
interface ForPeople {
  /** The member by whose login the request would pass; undefined: no login helps. */
  readonly login?: Protection | undefined
  /** Whether a person chooses among several logins first. */
  readonly isChoice?: boolean
  /** Whether the page is there for anybody, once the ticket that does not hold is gone. */
  readonly isOptional?: boolean
}

/** 401. */
export class UnprovedError extends ServiceError {
  readonly login: Protection | undefined
  readonly isOptional: boolean
  readonly isChoice: boolean

  constructor(
    message: string,
    options: ServiceErrorOptions,
    { login, isOptional = false, isChoice = false }: ForPeople = {},
  ) {
    super('service.error.unauthorized', message, options)
    this.login = login
    this.isOptional = isOptional
    this.isChoice = isChoice
  }
}
