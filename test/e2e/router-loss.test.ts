/** The embedded router, as a process of its own, dies and comes back under load. */
import { startKillableRouter } from '#test/support/peers/killable-router.ts'
import { describeRouterLoss } from '#test/support/peers/router-loss.ts'

describeRouterLoss('the embedded router', startKillableRouter)
