/**
 * A runner that is about to be killed. Its arguments: the home, the folder that bubblewrap is looked for
 * in first, and the actions to call.
 */
import { createActionHosts } from '../action-hosts.ts'
import { callAction } from './call-action.ts'

const [path = '', bin = '', ...names] = process.argv.slice(2)
const hosts = createActionHosts({ path: bin })
for (const name of names) {
  void callAction(hosts, { path }, name, { log: (line) => console.log(line) })
}
