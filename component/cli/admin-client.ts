/** The management of a running gateway, over HTTP. */
import { readFileSync } from 'node:fs'
import { parseJson } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { CommandError, type ExitCode, exitCode, type Invocation } from './command.ts'

/** The answer of the gateway. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** The decoded body; undefined when it is no JSON. */
  readonly body: unknown
  /** The hash that the `ETag` names. */
  readonly hash: string | undefined
}

/** A refusal of the gateway: 4xx but for credentials. */
export class Refusal extends CommandError {
  readonly status: number
  readonly errorUri: string
  readonly issues: readonly Issue[]

  constructor({ status, body }: Answer) {
    const { code, message, details } = isMap(body) ? body : {}
    super(codeOf(status), typeof message === 'string' ? message : `the gateway returned ${status}`)
    this.status = status
    this.errorUri = String(code)
    this.issues = Array.isArray(details) ? details : []
  }
}

function codeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCode.notPermitted
  if (status === 503 || status === 429) return exitCode.tryAgain
  return status >= 500 ? exitCode.software : exitCode.findings
}

/** How long a request may take; milliseconds. Many large documents need a while. */
const longestRequest = 60_000

/** Conditions of a change (RFC 9110, 13.1): the hash that the document must have, or `absent`. */
export type Condition = { readonly hash: string } | 'absent'

/** The documents and the state of one gateway. */
export class AdminClient {
  readonly #base: string
  readonly #token: string | undefined

  /** @throws CommandError for a URL or file of a token that cannot be used */
  constructor({ option, environment }: Invocation) {
    const base = option('admin') ?? environment.WAMP_GATEWAY_ADMIN ?? 'http://127.0.0.1:18081'
    if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol))
      throw new CommandError(exitCode.usage, `--admin: expected an http or https URL`)
    this.#base = base.replace(/\/$/, '')
    const file = option('token-file')
    this.#token = file === undefined ? environment.WAMP_GATEWAY_TOKEN : readToken(file)
  }

  /**
   * Sends one request.
   * @param path begins with "/"; encoded
   * @throws Refusal for a status of 400 and above that is not in `expected`; CommandError without an answer
   */
  async request(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: string,
    condition?: Condition,
    expected: readonly number[] = [],
  ): Promise<Answer> {
    const answer = await this.#fetch(method, path, body, condition)
    if (answer.status >= 400 && !expected.includes(answer.status)) throw new Refusal(answer)
    return answer
  }

  async #fetch(
    method: string,
    path: string,
    body: string | undefined,
    condition: Condition | undefined,
  ): Promise<Answer> {
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(condition === 'absent' && { 'if-none-match': '*' }),
          ...(typeof condition === 'object' && { 'if-match': `"${condition.hash}"` }),
        },
        ...(body !== undefined && { body }),
        redirect: 'error',
        signal: AbortSignal.timeout(longestRequest),
      })
      return {
        status: response.status,
        ...readBody(await response.text()),
        hash: /^"(.*)"$/.exec(response.headers.get('etag') ?? '')?.[1],
      }
    } catch (cause) {
      // the cause of fetch's error says what happened to the connection
      const reason = cause instanceof Error ? (cause.cause ?? cause) : cause
      const message = reason instanceof Error ? reason.message || reason.name : String(reason)
      throw new CommandError(
        exitCode.unavailable,
        `the gateway is not reached at ${this.#base}: ${message}`,
        { cause },
      )
    }
  }
}

function readBody(text: string): Pick<Answer, 'text' | 'body'> {
  try {
    return { text, body: parseJson(text, trustedRules) }
  } catch {
    // text of `/ready`, nothing, or the page of a proxy
    return { text, body: undefined }
  }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new CommandError(exitCode.noInput, `--token-file: ${file} cannot be read`, { cause })
  }
}
