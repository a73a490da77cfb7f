/** All attacks, in the order in which they run. */
import type { Attack } from './attack.ts'
import { gzipBodies } from './gzip-bodies.ts'
import { malformed } from './malformed.ts'
import { manyConnections } from './many-connections.ts'
import { pipelined100, pipelined500 } from './pipelined.ts'
import { slowBodies } from './slow-bodies.ts'
import { unreadEchoes } from './unread-echoes.ts'

export const attacks: readonly Attack[] = [
  pipelined100,
  pipelined500,
  gzipBodies,
  unreadEchoes,
  slowBodies,
  manyConnections,
  malformed,
]
