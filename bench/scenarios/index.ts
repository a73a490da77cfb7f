/** All scenarios by the name that `--only` takes. */
import type { Scenario, Trial } from '#bench/stage.ts'
import { bearer } from './bearer.ts'
import { connections } from './connections.ts'
import { crossbar } from './crossbar.ts'
import { crossbarUsers } from './crossbar-users.ts'
import { expressions } from './expressions.ts'
import { forwardLarge, forwardSmall } from './forward.ts'
import { halfLoad } from './half-load.ts'
import { http2 } from './http2.ts'
import { largeDocument } from './large-document.ts'
import { metrics } from './metrics.ts'
import { nodes } from './nodes.ts'
import { openapi } from './openapi.ts'
import { policies, policiesOfPeers } from './policies.ts'
import { post } from './post.ts'
import { progress } from './progress.ts'
import { push } from './push.ts'
import { pushChurn } from './push-churn.ts'
import { pushCrowd } from './push-crowd.ts'
import { reloads } from './reloads.ts'
import { routes } from './routes.ts'
import { largeSchemas, schemas } from './schemas.ts'
import { schemasMemory } from './schemas-memory.ts'
import { specifications } from './specifications.ts'
import { start } from './start.ts'
import { staticLarge, staticSmall } from './static.ts'
import { telemetry } from './telemetry.ts'
import { tools } from './tools.ts'
import { tracing } from './tracing.ts'
import { wampLarge, wampSmall } from './wamp.ts'
import { watching } from './watching.ts'
import { webhook } from './webhook.ts'
import { workers } from './workers.ts'

/** In the order in which they run; what targets are about comes first. */
export const scenarios: Readonly<Record<string, Scenario | Trial>> = {
  static: staticSmall,
  wamp: wampSmall,
  crossbar,
  'crossbar-users': crossbarUsers,
  forward: forwardSmall,
  expressions,
  routes,
  reloads,
  'half-load': halfLoad,
  start,
  'large-document': largeDocument,
  specifications,
  schemas,
  'large-schemas': largeSchemas,
  'schemas-memory': schemasMemory,
  openapi,
  metrics,
  'static-10k': staticLarge,
  http2,
  'wamp-10k': wampLarge,
  'forward-10k': forwardLarge,
  post,
  connections,
  workers,
  bearer,
  webhook,
  tools,
  tracing,
  telemetry,
  watching,
  policies,
  'policies-peers': policiesOfPeers,
  nodes,
  push,
  progress,
  'push-crowd': pushCrowd,
  'push-churn': pushChurn,
}
