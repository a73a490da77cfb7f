/** Progressive results of callees in JavaScript. */

import { describeProgress } from './progress.suite.ts'
import { progressCallees } from './progress-callees.ts'

for (const [name, start] of Object.entries(progressCallees)) describeProgress(name, start)
