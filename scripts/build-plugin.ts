/**
 * Writes plugin/agents from the table of built-in types. `--routing FILE` takes your names for
 * types without a fixed name from `names` of your routing.yaml; `--out DIR` writes elsewhere.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openRouting } from '@steward/agents'
import { renderAgents } from './plugin/render-agents.ts'

const { values } = parseArgs({
  options: {
    routing: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, '..', 'plugin') },
  },
})
const { routing: file } = values
const routing = openRouting(file === undefined ? undefined : readFileSync(file, 'utf8'), file)
if (!routing.ok) {
  console.error(routing.error.message)
  process.exit(2)
}

const folder = join(values.out, 'agents')
const files = Object.entries(renderAgents(routing.value.types))
mkdirSync(folder, { recursive: true })
for (const old of readdirSync(folder)) rmSync(join(folder, old))
for (const [path, text] of files) writeFileSync(join(values.out, path), text)
console.log(`${files.length} agent files in ${folder}`)
