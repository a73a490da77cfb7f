/** All attacks, in the order in which they run. */
import type { Attack } from './attack.ts'
import { gzipBodies } from './gzip-bodies.ts'
import { handshakes } from './handshakes.ts'
import { http2Attacks } from './http2.ts'
import { malformed } from './malformed.ts'
import { manyConnections } from './many-connections.ts'
import {
  keysOfBodies,
  keysOfLists,
  keysOfMessages,
  keysOfTools,
  valuesOfMessages,
} from './many-keys.ts'
import { pipelined100, pipelined500 } from './pipelined.ts'
import { rawSockets } from './rawsocket.ts'
import { rightsTaken } from './rights-taken.ts'
import { schemaAlternatives } from './schema-alternatives.ts'
import { slowBodies } from './slow-bodies.ts'
import { keysOfStrangers, quotasOfStrangers } from './strangers.ts'
import { streamsDropped, streamsLeft, streamsReplayed, streamsUnread } from './streams.ts'
import { unreadEchoes } from './unread-echoes.ts'
import { upgradesFlooded, upgradesRefused } from './upgrades.ts'
import { upstreamSlow, upstreamTargets } from './upstream-targets.ts'
import { wampIntegers } from './wamp-integers.ts'
import { wampPatterns } from './wamp-patterns.ts'
import { wampRetained } from './wamp-retained.ts'
import { unfinishedBefore, unfinishedJoined } from './wamp-unfinished.ts'
import { wampUnread } from './wamp-unread.ts'

export const attacks: readonly Attack[] = [
  pipelined100,
  pipelined500,
  gzipBodies,
  unreadEchoes,
  slowBodies,
  manyConnections,
  malformed,
  streamsDropped,
  streamsUnread,
  streamsReplayed,
  streamsLeft,
  upgradesFlooded,
  upgradesRefused,
  upstreamTargets,
  upstreamSlow,
  schemaAlternatives,
  keysOfBodies,
  keysOfLists,
  keysOfTools,
  keysOfMessages,
  valuesOfMessages,
  wampIntegers,
  unfinishedBefore,
  unfinishedJoined,
  wampPatterns,
  wampRetained,
  wampUnread,
  rawSockets,
  keysOfStrangers,
  quotasOfStrangers,
  rightsTaken,
  ...http2Attacks,
  handshakes,
]
