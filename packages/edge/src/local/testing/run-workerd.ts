import { appendFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'
import { prepareWorkerd } from '../workerd-launcher.ts'

/** Runs as a separate process that the test kills; it keeps a real workerd until then. */
const [, , stateFolder = '', isTied] = process.argv
if (isTied === 'tied') await prepareWorkerd(stateFolder)
else await prepareWorkerd(stateFolder, null)
const script = 'export default { fetch: () => new Response() }'
await new Miniflare({ modules: true, script, cf: false, telemetry: { enabled: false } }).ready
appendFileSync(1, 'ready\n')
