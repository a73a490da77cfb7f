/** Compares what was printed with what a page shows. */
import { expect } from 'chai'

/** What a page shows, as a pattern: `…` stands for any text, also of several lines. */
function patternOf(shown: string): RegExp {
  const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${shown.trim().split('…').map(escaped).join('[^]*?')}$`)
}

/** What was printed, as a page shows it. */
const asShown = (printed: string): string => printed.replaceAll('\r', '').trim()

/** Whether it is what the page shows. */
export const isAnswer = (printed: string, shown: string): boolean =>
  patternOf(shown).test(asShown(printed))

/** @param what was typed. @throws AssertionError with both texts */
export function expectAnswer(printed: string, shown: string, what: string): void {
  const found = isAnswer(printed, shown) ? shown : asShown(printed)
  expect(found, what).to.equal(shown)
}
