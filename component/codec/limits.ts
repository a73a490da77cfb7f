/** Limits of reading and writing: depth and number of values, for bodies, documents and WAMP messages alike. */

import { ServiceError } from '#component/errors.ts'

/** The rules by which a reader of JSON, MessagePack or CBOR accepts its input. */
export interface ReadRules {
  /** Deepest nesting of lists and maps. */
  readonly depth: number
  /** Most values, containers included; keys count in the binary forms. */
  readonly values: number
  /** Most keys of one map. */
  readonly keys: number
  /** Most different keys, of all maps together. */
  readonly names: number
  /** Half a surrogate pair in JSON text stays as it is. */
  readonly allowLoneSurrogates: boolean
  /** A key `__proto__` becomes a key like any other. */
  readonly allowProtoKeys: boolean
  /** An integer of more than 64 bits becomes a double; else it is refused. */
  readonly allowGreatIntegers: boolean
  /**
   * Values that JSON lacks are read as docs/router.md says, "Values"; JSON text of NUL and base64 becomes bytes (WAMP: Binary
   * conversion of JSON strings).
   */
  readonly isWamp: boolean
}

/** What is read of a long text or message in one step, which takes 1 to 2 ms; characters or bytes. */
export const stepLength = 32_768

/** The body of a request or of an upstream's answer (reliability F6). */
export const bodyRules: ReadRules = {
  depth: 64,
  values: 200_000,
  keys: 10_000,
  names: 20_000,
  allowLoneSurrogates: false,
  allowProtoKeys: false,
  allowGreatIntegers: false,
  isWamp: false,
}

/** The most keys of one map of a body that a document may allow: the event loop decodes such a map in less than 100 ms. */
export const maxBodyKeys = 90_000

/** The rules of a body whose maps have at most this many keys each. */
export const bodyRulesFor = (keys: number): ReadRules =>
  keys === bodyRules.keys ? bodyRules : { ...bodyRules, keys, names: 2 * keys }

/** Largest API Specification or realm document, as JSON without blanks; bytes (behaviour: API Specifications). */
export const maxDocumentBytes = 4 * 1024 * 1024

/** @throws ServiceError `service.error.payload_too_large` for a document of this many bytes */
export function checkDocumentSize(bytes: number): void {
  if (bytes <= maxDocumentBytes) return
  const message = `the document is larger than ${maxDocumentBytes} bytes`
  throw new ServiceError('service.error.payload_too_large', message)
}

/** A document: the validation reports surrogates and `__proto__` with their place. */
export const documentRules: ReadRules = {
  ...bodyRules,
  depth: 256,
  values: 1_000_000,
  keys: 100_000,
  names: Infinity,
  allowLoneSurrogates: true,
  allowProtoKeys: true,
}

/** Text that this gateway or another one has written. */
export const trustedRules: ReadRules = {
  ...documentRules,
  depth: 300,
  values: 50_000_000,
  keys: Infinity,
}

/** A message of a peer to the embedded router: a document of 64 levels inside CALL and kwargs, with room (reliability F6). */
export const peerRules: ReadRules = {
  ...bodyRules,
  depth: 80,
  values: 1_000_000,
  isWamp: true,
}

/** A message of a peer before WELCOME: HELLO and AUTHENTICATE are short. */
export const strangerRules: ReadRules = { ...peerRules, values: 1_000 }

/** A message of the router, which has its own limits. */
export const routerRules: ReadRules = {
  ...peerRules,
  depth: 500,
  values: 10_000_000,
  keys: Infinity,
  names: Infinity,
  allowLoneSurrogates: true,
  allowProtoKeys: true,
}

/** Most digits of an integer beyond 64 bits in a message of WAMP. */
export const maxDigits = 1_000

/** Most characters of a written value as JSON text unless a caller says otherwise (reliability F15). */
export const maxTextLength = 32 * 1024 * 1024

/** Deepest value that is written. */
export const maxWrittenDepth = 500

/** Most values of a MessagePack body, shared ones counted each time. */
export const maxWrittenValues = 4_000_000

/** Most values of a message that the gateway sends; routers accept a million. */
export const maxSentValues = 500_000

/** Deepest message that the gateway sends: a document of 64 levels and its message; routers accept 80 levels. */
export const maxSentDepth = 72
