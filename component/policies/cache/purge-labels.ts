/** What kept answers are purged by. */
import type { CachePlan } from './plan.ts'

/** All answers of a document. @param id of the document */
export const documentLabel = (id: string): string => `document ${id}`

/** All answers under a rule. @param id of the document */
export const ruleLabel = (id: string, { at }: Pick<CachePlan, 'at'>): string => `rule ${id}\n${at}`

/** All answers with a tag: of a document, or under a rule. @param of the label of that */
export const tagLabel = (of: string, tag: string): string => `tag ${of}\n${tag}`
