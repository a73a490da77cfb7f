/** The files of a page: what its steps make of them. */
import { expect } from 'chai'
import type { Step } from './steps.ts'

/** A step that changes a file. */
export type FileStep = Extract<Step, { readonly file: string }>

/** The text of a file after a step. @param text before it; '' where there is no file */
export function changed(text: string, step: FileStep): string {
  if (step.kind === 'write') return step.text
  if (step.kind === 'append') return text + step.text
  const lines = text.split('\n')
  const places = lines.flatMap((each, index) => (each.trim() === step.line ? [index] : []))
  expect(places, `lines "${step.line}" in ${step.file}`).to.have.length(1)
  return lines.toSpliced((places[0] ?? 0) + 1, 0, ...step.text.trimEnd().split('\n')).join('\n')
}

/** The text of a file after all steps of a page that change it. */
export const textOfFile = (steps: Iterable<readonly Step[]>, name: string): string =>
  [...steps]
    .flat()
    .filter((step) => 'file' in step)
    .filter(({ file }) => file === name)
    .reduce(changed, '')
