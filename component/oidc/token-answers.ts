/** What a provider has answered to the forms of one exchange: no form is sent twice, though an answer may be judged twice. */
import { JOSEError } from 'jose/errors'
import { isMap, parseWithoutNulls } from '#component/syntax/values.ts'
import { type SignatureRules, verifySignature } from './signature.ts'

/** Whether the library has refused claims of which some are null, as it does with `auth_time` and `nbf`: null says what absence says. */
export function refusesNulls(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const claims = isMap(at.cause) ? at.cause.claims : undefined
    if (isMap(claims) && Object.values(claims).includes(null)) return true
  }
  return false
}

/** The answers of one exchange. */
export class TokenAnswers {
  readonly #answers = new Map<string, Response>()
  /** ID tokens as they were signed, by what the library was given in their place. */
  readonly #signed = new Map<string, string>()

  /** The answer of a URL, which `send` fetches the first time. */
  async answer(url: string, send: () => Promise<Response>): Promise<Response> {
    const answer = this.#answers.get(url) ?? (await send())
    this.#answers.set(url, answer)
    return answer.clone()
  }

  /**
   * The answer with an ID token whose claims of null are left out. Its signature is verified here, since it holds no more after that.
   * @throws Error for a wrong signature; what the keys throw
   */
  async withoutNulls(answer: Response, rules: SignatureRules): Promise<Response> {
    const body: unknown = await answer
      .clone()
      .json()
      .catch(() => undefined)
    if (!isMap(body) || typeof body.id_token !== 'string') return answer
    const verified = await verifySignature(body.id_token, rules)
    if (verified instanceof JOSEError) {
      throw new Error('the signature of the ID token is wrong', { cause: verified })
    }
    const claims = parseWithoutNulls(Buffer.from(verified.payload).toString('utf8'))
    const [header, , signature] = body.id_token.split('.')
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    const id_token = `${header}.${payload}.${signature}`
    this.#signed.set(id_token, body.id_token)
    return new Response(JSON.stringify({ ...body, id_token }), answer)
  }

  /** The ID token as the provider has signed it. */
  signed(id_token: string): string {
    return this.#signed.get(id_token) ?? id_token
  }
}
