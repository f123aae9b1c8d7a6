/** `steward edge up` without the library, so that it starts quickly and often. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { startEdge } from '@steward/edge'
import { openLocalRuntime } from '@steward/runner'

const { env } = process
const library = join(env.STEWARD_HOME ?? '', 'library')
const steward = await openLocalRuntime({ env, homedir: homedir(), builtIn: library })
const warn = (text: string): void => console.error(text)
const edge = await startEdge(
  steward,
  {
    workersFolder: resolve('workers'),
    library,
    basePort: Number(process.argv[2]),
    startAtMs: undefined,
  },
  { say: warn, warn, log: (_level, text) => warn(text) },
)
console.log(JSON.stringify({ workers: edge.addresses() }))
throw await edge.lost
