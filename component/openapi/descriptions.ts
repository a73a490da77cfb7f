/** The descriptions that operators ask for: with hidden operations, and with what lies behind each operation. */
import type { Buffer } from 'node:buffer'
import { ServiceError } from '#component/errors.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { describing } from './document.ts'
import type { DescribeOptions, FindExamples, FindScopeTexts, OpenApi } from './options.ts'
import { type DescriptionType, textOf } from './text.ts'

/** What descriptions depend on. */
export interface DescriptionPorts {
  readonly addresses: () => Pick<DescribeOptions, 'baseUrl' | 'serverBase'>
  /** Absent: no example is shown. */
  readonly findExamples?: FindExamples | undefined
  /** Absent: nothing is said of scopes. */
  readonly scopeTexts?: FindScopeTexts | undefined
  readonly yieldTurn: YieldTurn
}

/** Made anew each time: operators ask rarely. */
export class Descriptions {
  readonly #ports: DescriptionPorts

  constructor(ports: DescriptionPorts) {
    this.#ports = ports
  }

  /**
   * Describes a version.
   * @param versions the active ones of a document
   * @param label may be left out where there is one
   * @throws ServiceError `service.error.not_found` where none is served, or the version is not active;
   *   `wamp.error.invalid_argument` with the labels for an unknown or ambiguous one
   */
  async describe(versions: readonly DescribedVersion[], label?: string): Promise<OpenApi> {
    const { addresses, findExamples, scopeTexts, yieldTurn } = this.#ports
    const described = chooseVersion(versions, label)
    const holding = await findExamples?.(described)
    const texts = scopeTexts?.(described.spec.realm_uri)
    const options = {
      ...{ ...addresses(), isInternal: true },
      ...(holding && { holding }),
      ...(texts && { scopeTexts: texts }),
    }
    return await runSteps(describing(described, options), yieldTurn)
  }

  /** @throws ServiceError `service.error.unavailable` for a text of more than 32 MiB */
  async write(description: OpenApi, type: DescriptionType): Promise<Buffer> {
    return await runSteps(textOf(description, type), this.#ports.yieldTurn)
  }
}

function chooseVersion(
  versions: readonly DescribedVersion[],
  label: string | undefined,
): DescribedVersion {
  const [first] = versions
  if (first === undefined) {
    throw new ServiceError('service.error.not_found', 'no version of the document is served')
  }
  const chosen = versions.find(({ version }) => version.label === label)
  if (chosen) return chosen
  if (label === undefined && versions.length === 1) return first
  if (first.spec.versions.some((version) => version.label === label)) {
    throw new ServiceError('service.error.not_found', 'the version is not active')
  }
  const details = versions.map(({ version }) => ({
    path: version.path,
    message: `the version ${JSON.stringify(version.label)}`,
  }))
  const labels = versions.map(({ version }) => JSON.stringify(version.label)).join(', ')
  throw new ServiceError(
    'wamp.error.invalid_argument',
    `version: expected ${versions.length === 1 ? '' : 'one of '}${labels}`,
    { details },
  )
}
