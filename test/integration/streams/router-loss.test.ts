/** The embedded router, a process of its own, dies and comes back under open streams. */
import { startKillableRouter } from '#test/support/peers/killable-router.ts'
import { describeStreamLoss } from '#test/support/peers/stream-loss.ts'

describeStreamLoss('the embedded router', startKillableRouter)
