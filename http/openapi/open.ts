/** OpenAPI descriptions: for the public, with the docs page, and for operators. */
import type { Log } from '#component/log.ts'
import { Descriptions } from '#component/openapi/descriptions.ts'
import type { FindExamples, FindScopeTexts } from '#component/openapi/options.ts'
import { DescriptionTexts } from '#component/openapi/texts.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { openDocsFiles } from './docs-files.ts'
import { openApiEndpoints } from './endpoints.ts'

/** Where clients reach the gateway, and what making long texts needs. */
export interface PublicationPorts {
  /** `gateway.public_base_url`. */
  readonly publicBase: string | undefined
  /** The same, or the first address of the gateway; without a slash at the end. */
  readonly issuerBase: () => string
  readonly findExamples: FindExamples
  readonly scopeTexts: FindScopeTexts
  readonly yieldTurn: YieldTurn
  readonly log: Pick<Log, 'error'>
}

/** Makes the endpoints of published versions, and the descriptions for operators. */
export function openPublication({
  publicBase,
  issuerBase,
  findExamples,
  scopeTexts,
  yieldTurn,
  log,
}: PublicationPorts) {
  // who reads the public one has reached the gateway: relative addresses lead there again
  const serverBase = publicBase?.replace(/\/$/, '') ?? ''
  const texts = new DescriptionTexts({
    ...{ yieldTurn, log, findExamples, scopeTexts },
    options: () => ({ baseUrl: issuerBase(), serverBase, isInternal: false }),
  })
  return {
    endpoints: openApiEndpoints({ texts, docsFile: openDocsFiles() }),
    descriptions: new Descriptions({
      ...{ yieldTurn, findExamples, scopeTexts },
      addresses: () => ({ baseUrl: issuerBase(), serverBase: issuerBase() }),
    }),
  }
}
