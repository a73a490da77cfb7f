/** The browser of this machine, which reaches no host but this one. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** @throws Error when there is none */
function chromiumPath(): string {
  const files = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'chromium'))
  const found = files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error('chromium is not on PATH: apt-get install chromium')
  return found
}

/** Starts it. @param more arguments of its command line */
export const launchBrowser = (...more: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath(),
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...more, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'],
  })
