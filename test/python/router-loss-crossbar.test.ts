/** Crossbar.io dies and comes back under load. */
import { startCrossbar } from '#test/support/peers/crossbar.ts'
import { describeRouterLoss } from '#test/support/peers/router-loss.ts'

describeRouterLoss('Crossbar.io', startCrossbar)
