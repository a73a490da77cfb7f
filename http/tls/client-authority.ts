/** The authorities that client certificates must come from (`client_ca`), and their revocation lists (`client_crl`). */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { ClientFiles } from '#component/config/tls-files.ts'
import { messageOf } from '#component/errors.ts'

/** What judges client certificates; all PEM. */
export interface ClientAuthority {
  /** The file of the authorities, as configured. */
  readonly file: string
  /** The certificates of the authorities, one a text. */
  readonly ca: readonly string[]
  /** Revocation lists, one a text; empty: revocation is not looked at. */
  readonly crl: readonly string[]
}

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g

/** The blocks of a PEM file that have one of these labels (RFC 7468). */
const blocksOf = (text: string, labels: readonly string[]): readonly string[] =>
  [...text.matchAll(blocks)].flatMap(([block, label = '']) =>
    labels.includes(label) ? [`${block}\n`] : [],
  )

/** @throws Error that names the file */
function readBlocks(file: string, label: string, check: (block: string) => void) {
  const text = readFileSync(file, 'utf8')
  try {
    const found = blocksOf(text, [label])
    if (found.length === 0) throw new Error(`no block BEGIN ${label} is in it`)
    for (const block of found) check(block)
    return found
  } catch (cause) {
    throw new Error(`${file}: ${messageOf(cause)}`, { cause })
  }
}

function checkAuthority(block: string): void {
  const { ca } = new X509Certificate(block)
  if (!ca) throw new Error('one of its certificates is not that of an authority')
}

/**
 * Reads the files.
 * @throws Error when one of them cannot be read; the message names it
 */
export function readClientAuthority(files: ClientFiles): ClientAuthority {
  const ca = readBlocks(files.ca, 'CERTIFICATE', checkAuthority)
  const checkList = (block: string) => void createSecureContext({ ca: [...ca], crl: block })
  const crl = files.crl === undefined ? [] : readBlocks(files.crl, 'X509 CRL', checkList)
  return { file: files.ca, ca, crl }
}
