/** The realm of examples/oauth2, edited while its users are at work, in SQLite; test/cluster has PostgreSQL. */
import { describeEditedExample } from './edited-example.ts'

describeEditedExample('SQLite', async () => undefined)
