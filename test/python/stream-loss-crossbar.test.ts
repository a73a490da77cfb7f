/** Crossbar.io dies and comes back under open streams. */
import { startCrossbar } from '#test/support/peers/crossbar.ts'
import { describeStreamLoss } from '#test/support/peers/stream-loss.ts'

describeStreamLoss('Crossbar.io', startCrossbar)
