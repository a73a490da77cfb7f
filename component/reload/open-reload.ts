/** Reloads of a running gateway: on request, and with `watch` whenever one of its files has changed. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { pathsOf, tlsFilesOf } from '#component/config/tls-files.ts'
import { FileWatcher } from './file-watcher.ts'
import { type Reloadable, Reloader } from './reloader.ts'
import { stateOf } from './watched-files.ts'

/** Dependencies of {@link openReload}. */
export interface ReloadPorts {
  readonly gateway: Reloadable
  /** The configuration that the gateway runs with. */
  readonly config: Config
  /** The file of the configuration, if there is one. */
  readonly file?: string | undefined
  /** What {@link watchedState} was before the gateway started. */
  readonly state: string
  /** Reads the configuration anew. @throws ConfigError */
  readConfig(): Config
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** The reloads of a gateway, until they are closed. */
export interface Reloads {
  /** Reads everything again, for an operator. @param by who asks; for the log */
  reload(by: string): void
  /** Begins no more reloads. */
  close(): void
}

/** The files that are watched; none without `watch`. */
const watchedFiles = (
  { watch, realms, specs, gateway }: Config,
  file: string | undefined,
): readonly string[] => {
  const tls = watch ? tlsFilesOf(gateway.tls) : undefined
  return watch ? [file ?? [], realms, specs, tls ? pathsOf(tls) : []].flat() : []
}

/** The state of the files that are to be watched: what changes while the gateway starts is loaded after it. */
export const watchedState = (config: Config, file?: string): Promise<string> =>
  stateOf(watchedFiles(config, file))

/** Opens the reloads of a gateway that has started. */
export function openReload({ file, state, ...ports }: ReloadPorts): Reloads {
  const { clock, gateway } = ports
  const watcher = new FileWatcher({
    ...{ clock, log: gateway.log },
    onChange: () => reloader.reload({ by: 'a change of the files', isOperator: false }),
  })
  const reloader = new Reloader({
    ...ports,
    onConfig: (config) => watcher.follow(watchedFiles(config, file)),
  })
  if (ports.config.watch) void watcher.follow(watchedFiles(ports.config, file), state)
  return {
    reload: (by) => void reloader.reload({ by, isOperator: true }),
    close() {
      reloader.close()
      watcher.close()
    },
  }
}
