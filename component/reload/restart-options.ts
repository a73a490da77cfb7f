/** The options that a running gateway takes over, and those that need a restart. */
import { differingOptions } from '#component/config/changed-options.ts'
import { type TlsOption, tlsFilesOf } from '#component/config/tls-files.ts'

/** Options that a running gateway takes over. `fail_on_refused_files` concerns nothing but a start. */
const live: ReadonlySet<string> = new Set([
  'fail_on_refused_files',
  'gateway.tls.certificates',
  'log.level',
  'realms',
  'specs',
  'specs_examples',
  'watch',
])

/** A configuration whose `gateway.tls` has one form, whichever it is written in. */
function withTlsFiles<C extends Compared>(config: C): object {
  const files = tlsFilesOf(config.gateway?.tls)
  if (files === undefined) return config
  const { certificates, clients: { ca: client_ca, crl: client_crl } = {} } = files
  const tls = { ...(certificates.length > 0 && { certificates }), client_ca, client_crl }
  return { ...config, gateway: { ...config.gateway, tls } }
}

/** The part of a configuration that is looked into. */
interface Compared {
  readonly [section: string]: unknown
  readonly gateway?: { readonly [option: string]: unknown; readonly tls?: TlsOption }
}

/** The options that differ and are taken over by a start only, by name. */
export const optionsForRestart = (running: Compared, read: Compared): string[] =>
  differingOptions(withTlsFiles(running), withTlsFiles(read))
    .map(({ keys }) => keys.join('.'))
    .filter((name) => !live.has(name))
    .sort()
