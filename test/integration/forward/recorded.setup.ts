/** A gateway with a document whose forwards lead to an upstream that keeps what arrives. */
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  type RecordingUpstream,
  recordingUpstream,
} from '#test/support/peers/recording-upstream.ts'

/** Both of a suite, from its `before` on. */
export interface Recorded {
  readonly gateway: TestGateway
  readonly upstream: RecordingUpstream
}

/** Starts both for the suite that this is called in. @param documentOf the document for the origin of the upstream */
export function recordedForwards(documentOf: (origin: string) => object): () => Recorded {
  let gateway: TestGateway
  let upstream: RecordingUpstream
  before(async () => {
    upstream = await recordingUpstream()
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(documentOf(upstream.origin))
  })
  after(async () => {
    await gateway?.stop()
    upstream?.close()
  })
  return () => ({ gateway, upstream })
}
