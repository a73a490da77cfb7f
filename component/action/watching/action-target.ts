/** What an action reaches, as its document writes it: the name of the action in metrics and spans, which holds no data of a request. */
import { nowhere, type ServedVersion } from '#component/metrics/place.ts'

/** The target of one action of a document. One object for all requests. */
export interface ActionTarget {
  /** Of the action. */
  readonly type: string
  /** Procedure or topic; of a forward the origin. Where an expression computes it, the text of the document, shortened; empty where nothing is reached. */
  readonly text: string
  /** The same where it is known at load; undefined: requests decide. */
  readonly literal: string | undefined
  /** The id of the document. */
  readonly api: string
  /** The key of its version. */
  readonly version: string
  /** Both of them, for metrics. */
  readonly served: ServedVersion
  /** The pattern of the path, `base_path` included. */
  readonly route: string
}

/** The target of an action that reaches nothing. */
export const noTarget: ActionTarget = {
  type: '',
  text: '',
  literal: '',
  api: '',
  version: '',
  served: nowhere,
  route: '',
}
