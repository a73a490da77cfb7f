/** wampy behind the port. */
import { requestSession } from '#component/wamp/wampy-session.ts'
import { describeSession } from './session.contract.ts'

describeSession('wampy', requestSession)
