/** The signals that change a running gateway; one that arrives while the gateway starts is obeyed once it has started. */

/** SIGUSR2 switches the log between `debug` and its level. */
type Changing = 'SIGUSR2'

const signals: readonly Changing[] = ['SIGUSR2']
const early: Changing[] = []
let obey = (signal: Changing): void => void early.push(signal)

/** Takes the signals from now on: by default each would end the process. Called before the code of the gateway is read, which takes a while. */
export function holdSignals(): void {
  for (const signal of signals) process.on(signal, () => obey(signal))
}

/** Obeys the signals, also those that came since {@link holdSignals}. */
export function obeySignals(handlers: Readonly<Record<Changing, () => void>>): void {
  obey = (signal) => handlers[signal]()
  for (const signal of early.splice(0)) obey(signal)
}
