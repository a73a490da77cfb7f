/** Reloads of a running gateway: on request, and with `watch` whenever one of its files has changed. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { FileWatcher } from './file-watcher.ts'
import { type Reloadable, Reloader } from './reloader.ts'

/** Dependencies of {@link openReload}. */
export interface ReloadPorts {
  readonly gateway: Reloadable
  /** The configuration that the gateway runs with. */
  readonly config: Config
  /** The file of the configuration, if there is one. */
  readonly file?: string | undefined
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

/** Opens the reloads of a gateway that has started. */
export function openReload({ file, ...ports }: ReloadPorts): Reloads {
  const { clock, gateway } = ports
  const watcher = new FileWatcher({
    ...{ clock, log: gateway.log },
    onChange: () => reloader.reload({ by: 'a change of the files', isOperator: false }),
  })
  const follow = ({ watch, realms, specs, gateway: { tls } }: Config) =>
    watcher.follow(watch ? [file ?? [], realms, specs, tls ? [tls.cert, tls.key] : []].flat() : [])
  const reloader = new Reloader({ ...ports, onConfig: follow })
  void follow(ports.config)
  return {
    reload: (by) => void reloader.reload({ by, isOperator: true }),
    close() {
      reloader.close()
      watcher.close()
    },
  }
}
