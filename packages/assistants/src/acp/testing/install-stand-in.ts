import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostName } from '@steward/contract'
import { ASSISTANTS } from '../../assistants.ts'
import { adapterFolder } from '../find-program.ts'

const AGENT = join(import.meta.dirname, 'scripted-agent.mjs')

/**
 * Puts the scripted agent where the adapter of Claude Code or Codex is installed. With a script it
 * does that whatever its task is; otherwise it does what the task says.
 */
export const installStandIn = async (
  assistant: Extract<HostName, 'claude' | 'codex'>,
  { root, script, log }: { root: string; script?: string; log?: string },
): Promise<void> => {
  const spec = await ASSISTANTS[assistant].loadDrive?.()
  if (spec?.program.kind !== 'adapter') throw new Error(`${assistant} has no adapter`)
  const { program } = spec
  const folder = join(adapterFolder({ root }, program), 'node_modules', program.package)
  const settings = { AGENT_SCRIPT: script, AGENT_LOG: log }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ bin: { agent: 'agent.mjs' } }))
  writeFileSync(
    join(folder, 'agent.mjs'),
    `Object.assign(process.env, ${JSON.stringify(settings)})\nawait import('./scripted-agent.mjs')\n`,
  )
  writeFileSync(join(folder, 'scripted-agent.mjs'), readFileSync(AGENT))
}
