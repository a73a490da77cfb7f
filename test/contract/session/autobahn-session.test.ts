/** autobahn behind the port. */
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { describeSession } from './session.contract.ts'

describeSession('autobahn', componentSession)
