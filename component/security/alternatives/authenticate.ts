/**
 * Several kinds of credentials on a path: one alternative decides. It is found by what the request brings, before anything is verified;
 * then it alone is judged, so that a wrong credential never falls through to a weaker one, and a request costs one judgement.
 */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { because } from '#component/login-refusal.ts'
import { admit, admitAgain } from '#component/security/admission.ts'
import { Brought, TokenHeads } from '#component/security/brought.ts'
import type { ClientProof } from '#component/security/client-proof.ts'
import { Decided, nameOf, nobodysName } from '#component/security/decided.ts'
import { PassedAnswer } from '#component/security/passed-answer.ts'
import {
  type Alternative,
  type AlternativeScheme,
  type Alternatives,
  type BroughtAlternatives,
  InsufficientScope,
  isSafe,
  type Protection,
  quoted,
  type SecuredRequest,
  type SecurityScheme,
} from '#component/security/scheme.ts'
import { UnprovedError } from '#component/security/unproved.ts'
import { addressOf, isInRanges } from '#component/syntax/ip-address.ts'
import { isOwnOrigin } from '#component/syntax/page-origin.ts'
import { bearerPrefix, challengesOf } from './challenges.ts'

/** How a request was decided about; `missing`: it brings none of the alternatives whole. */
export type Decision = 'passed' | 'unauthorized' | 'forbidden' | 'limited' | 'failed' | 'missing'

/** Counts decisions. */
export interface DecisionWatch {
  /** @param via the name of the alternative that decides; `""`: none does */
  decided(version: Alternatives['version'], via: string, result: Decision): void
}

/** The dependencies of {@link AlternativesScheme}. */
export interface AlternativesPorts {
  /** The Set-Cookie fields by which a browser forgets a ticket that does not hold. Absent: it keeps it. */
  clearedCookies?(request: SecuredRequest, login: Protection): readonly string[]
  /** Whether people choose among the providers of a realm on a page. Absent: they do not. */
  hasLoginPage?(realm_uri: string): boolean
  /** Absent: nothing counts. */
  readonly decisions?: DecisionWatch
  /** Origins whose pages may send what browsers add by themselves, where the version names none. Absent: only its own. */
  readonly corsOrigins?: readonly string[]
}

/** The part of a request that is judged now, and whether it has passed before. */
interface Judged {
  readonly request: SecuredRequest
  readonly protection: Protection
  readonly alternatives: Alternatives
  readonly isAgain: boolean
  /** What the client shows; undefined where no alternative looks at it. */
  readonly certificate: ClientProof | undefined
}

const decisionOf = (error: unknown): Decision => {
  const status = error instanceof ServiceError ? error.status : 500
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  return status === 429 ? 'limited' : 'failed'
}

/** Judges requests by the alternative that decides. */
export class AlternativesScheme implements SecurityScheme {
  readonly #schemes: Readonly<Record<string, AlternativeScheme>>
  readonly #ports: AlternativesPorts
  readonly #heads = new TokenHeads()
  readonly #decided = new Decided()

  constructor(schemes: Readonly<Record<string, AlternativeScheme>>, ports: AlternativesPorts = {}) {
    this.#schemes = schemes
    this.#ports = ports
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, false)

  readonly authenticateAgain: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, true)

  told(request: SecuredRequest, protection: Protection): BroughtAlternatives {
    const { all } = alternativesOf(protection)
    const proof = request.clientCertificate?.()
    // of a certificate that is being judged it is known that it was shown
    const certificate = proof instanceof Promise ? { refused: '' } : proof
    const brought = new Brought(request, certificate, this.#heads)
    const alternatives = all
      .filter((one) => isOffered(one, request))
      .map(({ via, members }) => {
        const isThere = (member: Protection): boolean => this.#isBrought(member, brought)
        const there = members.filter(isThere).map(nameOf)
        return { via, there, lacks: members.filter((one) => !isThere(one)).map(nameOf) }
      })
    return { alternatives, decided: request.via ?? null }
  }

  #authenticate(
    request: SecuredRequest,
    protection: Protection,
    isAgain: boolean,
  ): Identity | Promise<Identity> {
    const alternatives = alternativesOf(protection)
    const proof = alternatives.wantsCertificate ? request.clientCertificate?.() : undefined
    if (!(proof instanceof Promise)) {
      return this.#judge({ request, protection, alternatives, isAgain, certificate: proof })
    }
    return proof.then((certificate) =>
      this.#judge({ request, protection, alternatives, isAgain, certificate }),
    )
  }

  #isBrought(member: Protection, brought: Brought): boolean {
    return (this.#schemes[member.type] as AlternativeScheme).isBrought(brought, member)
  }

  /** The first alternative whose credentials are all there. */
  #deciding({ all }: Alternatives, brought: Brought): Alternative | undefined {
    for (const one of all) {
      if (one.allowFrom !== undefined && !isOffered(one, brought.request)) continue
      let isWhole = true
      for (const member of one.members) isWhole &&= this.#isBrought(member, brought)
      if (isWhole) return one
    }
    return undefined
  }

  #judge(judged: Judged): Identity | Promise<Identity> {
    const { request, alternatives, isAgain, certificate } = judged
    const brought = new Brought(request, certificate, this.#heads)
    const decided = this.#deciding(alternatives, brought)
    if (decided === undefined) return this.#undecided(judged, brought)
    request.via = decided.via
    if (decided.isSentUnasked && alternatives.hasLogin) this.#checkOrigin(judged)
    if (decided.members.length > 1 || decided.judgedWith.length > 1) {
      return this.#judgeWhole(judged, decided)
    }
    const found = this.#ask(judged, decided, decided.members[0])
    return found instanceof Promise
      ? found.then((user) => this.#passed(alternatives, decided, isAgain, user))
      : this.#passed(alternatives, decided, isAgain, found)
  }

  /** Judges by several members, or by the alternatives that differ in scopes alone. */
  async #judgeWhole(judged: Judged, decided: Alternative): Promise<Identity> {
    const { request, alternatives, isAgain } = judged
    let lacks: InsufficientScope | undefined
    for (const one of decided.judgedWith) {
      try {
        const identities: Identity[] = []
        for (const index of one.order) {
          const member = one.members[index] as Protection
          identities[index] = await this.#ask(judged, one, member)
        }
        const [user, ...proofs] = identities
        request.via = one.via
        return this.#passed(alternatives, one, isAgain, user as Identity, proofs)
      } catch (error) {
        if (!(error instanceof InsufficientScope)) throw error
        lacks ??= error
      }
    }
    if (decided.judgedWith.length > 1) this.#count(judged, decided.via, 'forbidden')
    throw lacks
  }

  #passed(
    { version }: Alternatives,
    decided: Alternative,
    isAgain: boolean,
    user: Identity,
    proofs?: readonly Identity[],
  ): Identity {
    if (!isAgain) this.#ports.decisions?.decided(version, decided.via, 'passed')
    return this.#decided.by(decided, user, proofs)
  }

  #count({ alternatives, isAgain }: Judged, via: string, result: Decision): void {
    if (!isAgain) this.#ports.decisions?.decided(alternatives.version, via, result)
  }

  /** Judges by one member. */
  #ask(judged: Judged, decided: Alternative, member: Protection): Identity | Promise<Identity> {
    const { request, isAgain } = judged
    try {
      const found = isAgain
        ? admitAgain(this.#schemes, request, member)
        : admit(this.#schemes, request, member)
      if (!(found instanceof Promise)) return found
      return found.catch((error: unknown) => {
        throw this.#refused(judged, decided, member, error)
      })
    } catch (error) {
      throw this.#refused(judged, decided, member, error)
    }
  }

  /** The refusal by one member; a 401 has the challenges of all. */
  #refused(judged: Judged, decided: Alternative, member: Protection, error: unknown): unknown {
    const { request, alternatives, isAgain } = judged
    const isOfScope = error instanceof InsufficientScope
    // of the scopes of other alternatives it is not known yet
    if (!(isOfScope && decided.judgedWith.length > 1))
      this.#count(judged, decided.via, decisionOf(error))
    if (!(error instanceof ServiceError) || error.uri !== 'service.error.unauthorized') return error
    const { 'www-authenticate': own, ...headers } =
      error instanceof PassedAnswer ? error.answer.headers : error.headers
    const challenge = typeof own === 'string' ? own : undefined
    const lines = this.#challenges(
      judged,
      challenge === undefined ? undefined : { of: member, challenge },
    )
    if (error instanceof PassedAnswer) {
      if (error.answer.status !== 401) return error
      const answer = { ...error.answer, headers: { ...headers, 'www-authenticate': lines } }
      return new PassedAnswer(error.uri, answer, { cause: error.cause })
    }
    const brought = new Brought(request, judged.certificate, this.#heads)
    const isByCookie = member.kind.hasLogin && !brought.token?.isTicket
    const { isOptional } = alternatives
    if (isByCookie && isOptional && !isAgain) {
      request.cookies = this.#ports.clearedCookies?.(request, member)
    }
    const ways = isByCookie ? this.#waysIn(judged, brought) : {}
    return new UnprovedError(
      error.message,
      {
        headers: { ...headers, 'www-authenticate': lines } as ServiceError['headers'],
        cause: error.cause,
      },
      { ...ways, isOptional },
    )
  }

  #challenges(
    { request, alternatives }: Judged,
    own: Parameters<typeof challengesOf>[2],
  ): readonly string[] {
    const offered = alternatives.all.filter((one) => isOffered(one, request))
    return challengesOf(offered, request.header('sec-fetch-mode') !== undefined, own)
  }

  /** A request that brings no alternative whole: anonymous where it brings nothing and need not, else 401. */
  #undecided(judged: Judged, brought: Brought): Identity {
    const { request, protection, alternatives } = judged
    const { authorization, bearer } = brought
    const { isOptional, counted, members } = alternatives
    if (isOptional && authorization === undefined) {
      if (!counted.some((member) => this.#isBrought(member, brought))) {
        request.via = nobodysName
        this.#count(judged, nobodysName, 'passed')
        return this.#decided.nobody(protection)
      }
    }
    const isNobodys = bearer !== undefined && !members.some((one) => this.#isOfBearer(one, brought))
    this.#count(judged, '', isNobodys ? 'unauthorized' : 'missing')
    const lines = this.#challenges(judged, undefined)
    if (!isNobodys) {
      const ways = authorization === undefined ? this.#waysIn(judged, brought) : {}
      const message = 'valid credentials are required for this path'
      throw new UnprovedError(message, { headers: { 'www-authenticate': lines } }, ways)
    }
    const { realm_uri: realm } = protection
    const reason = 'the token is of no issuer whose tokens the path takes'
    const told = `, error="invalid_token", error_description=${quoted(reason)}`
    const headers = {
      'www-authenticate': lines.map((line) =>
        line.startsWith(bearerPrefix) ? line.replace(/(?=, scope=)|$/, told) : line,
      ),
    }
    const cause = because({ realm, authmethod: 'bearer', reason })
    throw new UnprovedError(reason, { headers, ...cause })
  }

  /** Whether the Bearer token is that of a member. */
  #isOfBearer(member: Protection, brought: Brought): boolean {
    const { kind, object } = member
    const isThere = kind.inAuthorization?.(object) || (kind.hasLogin && brought.token?.isTicket)
    return !!isThere && this.#isBrought(member, brought)
  }

  /** The login that would let the request pass: the first one, or the choice where there are several. */
  #waysIn({ request, alternatives, protection }: Judged, brought: Brought) {
    const isHere = (member: Protection): boolean =>
      !!member.kind.hasLogin || this.#isBrought(member, brought)
    const logins = alternatives.all
      .filter((one) => isOffered(one, request) && one.members.every(isHere))
      .flatMap((one) => one.members.find(({ kind }) => kind.hasLogin) ?? [])
    const [login] = logins
    const isChoice = logins.length > 1 && this.#ports.hasLoginPage?.(protection.realm_uri) === true
    return { login, isChoice }
  }

  /**
   * Refuses what a page of another origin had a browser send that adds credentials by itself.
   * @throws ServiceError 403
   */
  #checkOrigin(judged: Judged): void {
    const { request, alternatives } = judged
    const origin = isSafe(request.method) ? undefined : request.header('origin')
    if (origin === undefined) return
    const { origins = this.#ports.corsOrigins ?? [] } = alternatives
    if (isOwnOrigin({ origin, host: request.header('host') ?? '' }) || origins.includes(origin))
      return
    this.#count(judged, request.via ?? '', 'forbidden')
    const message =
      'pages of another origin may not have a browser send this method with a password or a certificate'
    throw new ServiceError('wamp.error.not_authorized', message)
  }
}

/** @throws TypeError for a protection that is one object */
export function alternativesOf({ alternatives }: Protection): Alternatives {
  if (alternatives === undefined) throw new TypeError('the protection has no alternatives')
  return alternatives
}

/** Whether an alternative is there for the network of a request. */
function isOffered({ allowFrom }: Alternative, { peername }: SecuredRequest): boolean {
  if (allowFrom === undefined) return true
  const address = addressOf(peername)
  return allowFrom.every((ranges) => isInRanges(address, ranges))
}
