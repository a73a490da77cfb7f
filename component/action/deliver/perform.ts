/** `deliver`: an event for a delivery of the document; it has succeeded once the event is on disk. */
import type { Action, ActionFields } from '#component/action/action.ts'
import { FieldError } from '#component/action/field-error.ts'
import { failed, readPayload, readUri } from '#component/action/wamp-fields.ts'

/** What names a delivery. */
interface Named {
  readonly realm_uri: string
  readonly api_spec: string
  readonly name: string
}

/** An event that is handed in. */
interface Handed {
  readonly topic: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly id?: string
}

/** The parts that keep events. */
export interface DeliverPorts {
  /** Resolves once the event is on disk. @throws ServiceError `service.error.unavailable` where it cannot be kept */
  handIn(
    to: Named,
    event: Handed,
  ): Promise<{ readonly webhook_id: string; readonly is_repeat: boolean }>
  readonly allowedDynamicUris: readonly string[]
}

/** Characters of the longest id. */
const maxId = 255

/** The id; undefined: each event is one of its own. */
function readId({ id }: ActionFields): string | undefined {
  if (id === undefined || id === null || id === '') return undefined
  const text = ['string', 'number', 'bigint'].includes(typeof id) ? String(id) : ''
  if (text !== '' && text.length <= maxId) return text
  throw new FieldError(['id'], `a text of at most ${maxId} characters, or a number`)
}

/** Makes the action. */
export const deliverAction = (ports: DeliverPorts): Action => ({
  async perform(fields, run) {
    const topic = readUri(fields, 'topic', run, ports.allowedDynamicUris)
    const { args, kwargs } = readPayload(fields)
    const id = readId(fields)
    const to = {
      realm_uri: run.realm_uri,
      api_spec: run.target.api,
      name: String(fields.delivery),
    }
    try {
      const kept = await ports.handIn(to, { topic, args, kwargs, ...(id !== undefined && { id }) })
      return { result: { webhook_id: kept.webhook_id, is_repeat: kept.is_repeat } }
    } catch (failure) {
      return failed(failure, run).outcome
    }
  },
})
