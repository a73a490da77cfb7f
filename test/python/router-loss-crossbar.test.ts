/** Crossbar.io dies and comes back under load. */
import { startCrossbar } from '#test/support/crossbar.ts'
import { describeRouterLoss } from '#test/support/router-loss.ts'

describeRouterLoss('Crossbar.io', startCrossbar)
