/** The signers that a realm declares (`info.webhook_signers`), and the keys by which they sign. */
import type { Clock } from '#component/clock.ts'
import { type SignerScheme, signerSchemes } from '#component/realm/documents/info/signer-rules.ts'
import type { WebhookHash } from '#component/realm/documents/info/webhook-rules.ts'
import { privateKeyOf } from '#component/realm/ed25519.ts'
import type { Realms } from '#component/realm/realms.ts'
import { HmacKey } from '#component/security/webhook/hmac.ts'
import { OpenedKeys, secretsIn } from '#component/security/webhook/opened-keys.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { readSigningSecret } from '#component/syntax/webhook-secret.ts'
import type { SignatureForm, SigningKey } from './signature.ts'

/** A signer. */
export interface Signer {
  readonly name: string
  readonly form: SignatureForm
  readonly algorithm: WebhookHash
  /** Where its messages may go. */
  readonly origins: readonly string[]
  /** Sealed, in the clear, or references; opened by `Realms.openSecret`. */
  readonly secrets: readonly unknown[]
}

/** The parts that know the signers. */
export interface SignersPorts {
  readonly realms: Pick<Realms, 'realm' | 'openSecret' | 'secretOrigins'>
  readonly clock: Pick<Clock, 'now'>
}

/** The header of a signature, which the load of a realm asks for. */
const otherHeader = 'x-signature'

function formOf(scheme: SignerScheme, entry: JsonMap): SignatureForm {
  if (scheme === 'standard') return { scheme }
  const text = (key: string): string | undefined => {
    const value = entry[key]
    return typeof value === 'string' ? value : undefined
  }
  return {
    scheme,
    header: (text('header') ?? otherHeader).toLowerCase(),
    prefix: text('prefix') ?? '',
    encoding: entry.encoding === 'base64' ? 'base64' : 'hex',
    id_header: text('id_header')?.toLowerCase(),
  }
}

/** The signer as a realm document declares it; undefined for one that no load lets pass. */
function readSigner(name: string, entry: JsonMap): Signer | undefined {
  const scheme = signerSchemes.find((one) => one === entry.scheme)
  if (scheme === undefined) return undefined
  const origins = (Array.isArray(entry.origins) ? entry.origins : []).flatMap((one: unknown) => {
    const origin = typeof one === 'string' ? readOrigin(one) : { problem: '' }
    return 'problem' in origin ? [] : [origin.text]
  })
  const hashes: readonly WebhookHash[] = ['sha256', 'sha384', 'sha512']
  const algorithm = hashes.find((one) => scheme === 'hmac' && one === entry.algorithm) ?? 'sha256'
  return { name, form: formOf(scheme, entry), algorithm, origins, secrets: secretsIn(entry) }
}

/** The key of a secret; undefined for one that the scheme cannot have. */
function keyOf(text: string, { form, algorithm }: Signer): SigningKey | undefined {
  const { kind, bytes } =
    form.scheme === 'standard'
      ? (readSigningSecret(text) ?? { kind: 'hmac', bytes: Buffer.of() })
      : ({ kind: 'hmac', bytes: Buffer.from(text) } as const)
  if (bytes.length === 0) return undefined
  return kind === 'hmac'
    ? { kind, key: new HmacKey(algorithm, bytes) }
    : { kind, key: privateKeyOf(bytes) }
}

/** Finds signers, and opens their secrets. */
export class Signers {
  readonly #ports: SignersPorts
  /** By the entry in the realm, which is another one when the realm was built anew. */
  readonly #read = new WeakMap<object, Signer>()
  readonly #keys: OpenedKeys<Signer, SigningKey>

  constructor(ports: SignersPorts) {
    this.#ports = ports
    this.#keys = new OpenedKeys(ports.clock, keyOf)
  }

  /** A signer of the realm by its name. */
  find(realm_uri: string, name: string): Signer | undefined {
    const signers = this.#ports.realms.realm(realm_uri)?.info.webhook_signers
    const entry = isMap(signers) && Object.hasOwn(signers, name) ? signers[name] : undefined
    if (!isMap(entry)) return undefined
    const known = this.#read.get(entry)
    if (known) return known
    const signer = readSigner(name, entry)
    if (signer) this.#read.set(entry, signer)
    return signer
  }

  /**
   * The keys of a signer, of the secrets that were given for its origins. Rejects where a secret is in a file that cannot be read; a
   * secret that cannot be opened, or is malformed, has no key.
   */
  keys(realm_uri: string, signer: Signer): readonly SigningKey[] | Promise<readonly SigningKey[]> {
    const { realms } = this.#ports
    return this.#keys.of(signer, (secret) =>
      realms.openSecret(
        realm_uri,
        secret,
        realms.secretOrigins(realm_uri, 'webhook_signers', signer.name),
      ),
    )
  }
}
