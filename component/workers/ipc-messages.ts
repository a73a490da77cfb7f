/** The requests and notifications between the primary and its workers. */
import type { Socket } from 'node:net'
import type { Config } from '#component/config/config.ts'
import type { TokenAnswer, TokenNews, TokenQuestion } from '#component/credentials/shared-tokens.ts'
import type { Contents } from '#component/running-gateway.ts'
import type { ToldHealth } from '#component/upstreams/active-checks.ts'
import type { FilePatterns, FilesLoaded } from '#component/wiring/configured-files.ts'
import type { LevelChange } from '#component/wiring/log-level.ts'
import type { MetricValues } from '#http/management/metrics.ts'
import type { Addresses } from '#http/options.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'

/** The start message of a worker. */
export interface Settings {
  /** With the worker's own `node`, and the key that all of them share. */
  readonly config: Config
  /** The names of all workers. */
  readonly workers: readonly string[]
  /** Where the primary listens. */
  readonly addresses: Addresses
  /** What the gateway listener serves HTTPS with; absent: it serves HTTP. */
  readonly tls: TlsSetup | undefined
  /** Path of the Unix socket of the embedded router; absent with another router. */
  readonly routerSocket: string | undefined
}

/** Messages to a worker. */
export interface ToWorker {
  start(settings: Settings): void
  /** Takes a connection of the listener with this key; false: that listener is closed here. */
  take(listener: string, socket?: Socket): boolean
  /** All workers have their configuration. */
  allReady(value: null): void
  metrics(value: null): Promise<MetricValues>
  /** Makes changes of the other workers in the store live. */
  refresh(value: null): Promise<void>
  /** What a check of another worker has found of a target of an upstream. */
  health(told: ToldHealth): void
  /** The level of the log from now on. */
  logLevel(level: string): void
  /** What HTTPS is served with from now on. */
  tls(setup: TlsSetup): void
  /** Loads the configured files that have changed, for all workers. */
  loadFiles(patterns: FilePatterns): Promise<FilesLoaded>
  /** The files that another worker has refused. */
  refusedFiles(refused: FilesLoaded['refused']): void
  /** Drains and stops everything but what passes through to the embedded router. */
  stop(drainDelay: number): Promise<void>
}

/** Messages to the primary. */
export interface ToPrimary {
  /** The listeners of the worker take connections. */
  open(value: null): void
  /** The worker has started: its documents are loaded, and its sessions have tried to join. */
  started(value: null): void
  /** The worker is configured and has caught up with the other gateways. */
  ready(contents: Contents): void
  /** A listener of the worker takes no more connections. */
  closed(value: null): void
  /** Why the worker ends without having begun. */
  failed(failure: { readonly message: string; readonly isConfig: boolean }): void
  /** The worker received SIGTERM. */
  leave(value: null): void
  /** The metrics of all the other processes. */
  gather(value: null): Promise<readonly MetricValues[]>
  /** The realms have changed: resolves when the embedded router follows the current content of the store. */
  refreshRouter(value: null): Promise<void>
  /** What a check has found of a target of an upstream, for the other workers. */
  health(told: ToldHealth): void
  /** Sets the level of the log in all processes. */
  setLogLevel(request: { readonly level: string; readonly by: string }): LevelChange
  /** Asks for a token for an upstream. */
  token(question: TokenQuestion): TokenAnswer | Promise<TokenAnswer>
  /** Tells what the worker has fetched, or why it could not. */
  tokenNews(news: TokenNews): void
  /** Resolves when all other workers that answer have made the current content of the store live. */
  refreshOthers(value: null): Promise<void>
}

/** The listeners of one face by number: the same key in all processes. */
export const listenerKey = (face: string, index: number): string => `${face}.${index}`
