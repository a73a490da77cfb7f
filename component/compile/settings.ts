/** What compiling takes of the configuration. */
import { configuredPolicies } from '#component/policies/kinds.ts'
import type { CompilePorts } from './compile.ts'

/** The parts of a configuration that it takes. */
interface Configured {
  readonly wamp: { readonly call_timeout: number }
  readonly gateway: Readonly<Record<string, unknown>>
}

/** @param config that of the gateway which serves the document */
export const compileSettings = ({
  wamp,
  gateway,
}: Configured): Pick<CompilePorts, 'callTimeout' | 'policies'> => ({
  callTimeout: wamp.call_timeout,
  policies: configuredPolicies(gateway),
})
